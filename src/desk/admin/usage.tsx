/** The use and the limits of an organization. */
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { Show } from '../shell/notes.js'
import { fill, language } from '../words/index.js'
import { sizeInWords } from './importing.js'
import { adminWords } from './words.js'

const QUOTAS = ['spaces', 'members', 'files', 'bytes'] as const

const inWords = (quota: (typeof QUOTAS)[number], value: number): string =>
  quota === 'bytes' ? sizeInWords(value) : value.toLocaleString(language.value)

/** Renders each quota with its use and, if there is one, its limit. */
export function Usage({ organization }: { organization: string }) {
  const w = adminWords().general
  const data = useData(`organization/${organization}/usage`, () =>
    body(api.GET('/v1/orgs/{organizationId}/usage', { params: { path: { organizationId: organization } } })),
  )
  return (
    <section class="panel" aria-labelledby="usage">
      <div class="ph">
        <h2 class="h" id="usage">
          {w.usage}
        </h2>
      </div>
      <div class="pb stack">
        <Show data={data}>
          {(usage) => (
            <dl class="kv">
              {QUOTAS.map((quota) => {
                const { used, allowed } = usage[quota]
                return (
                  <>
                    <dt key={quota}>{w[quota]}</dt>
                    <dd>
                      {allowed === null
                        ? inWords(quota, used)
                        : fill(w.usageOf, { used: inWords(quota, used), allowed: inWords(quota, allowed) })}
                      {allowed !== null && (
                        <progress aria-label={w[quota]} max={allowed} value={Math.min(used, allowed)} />
                      )}
                    </dd>
                  </>
                )
              })}
            </dl>
          )}
        </Show>
        <p class="sm muted">{w.usageHelp}</p>
      </div>
    </section>
  )
}
