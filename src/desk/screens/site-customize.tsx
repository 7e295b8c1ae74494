/** The look of a site, with a live preview. Changes are a draft that only the preview shows, until they are published. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { CustomizeOptions } from '../admin/customize-options.js'
import { Segments } from '../admin/form.js'
import { type Site, SiteFrame, sitePath, useSite } from '../admin/site.js'
import { adminWords } from '../admin/words.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Note, Show } from '../shell/notes.js'
import { attempt, explain, toast } from '../shell/toast.js'
import { plural } from '../words/index.js'

/** The settings of a site's look. */
export type Look = Schemas['SiteCustomization']

/** The published look, and the draft if there is one. */
interface Looks {
  published: Look
  draft: Look | null
  preview: string
}

const look = (site: Site): Promise<Looks> =>
  Promise.all([
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/customization', { params: { path: sitePath(site) } })),
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/customization/draft', { params: { path: sitePath(site) } })),
  ]).then(([published, draft]) => ({
    published,
    draft: draft.pending ? draft.customization : null,
    preview: draft.urls.preview,
  }))

const keyOf = (id: string): string => `sites/${id}/looks`

/** The number of settings that differ. */
function differences(a: unknown, b: unknown): number {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a))
    return JSON.stringify(a) === JSON.stringify(b) ? 0 : 1
  const [one, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].reduce((sum, name) => sum + differences(one.get(name), other.get(name)), 0)
}

const SAVE_AFTER_MS = 600

export function SiteCustomize({ site: id = '' }: { site?: string }) {
  const site = useSite(id).value
  const looks = useData(site ? keyOf(id) : null, () => (site ? look(site) : Promise.reject(new Error('No site'))))
  const [edited, setEdited] = useState<Look | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [round, setRound] = useState(0)
  const saving = useRef<ReturnType<typeof setTimeout>>(undefined)
  const current = edited ?? looks.value?.draft ?? looks.value?.published
  const save = async (next: Look) => {
    if (!site) return
    const params = { path: sitePath(site) }
    try {
      await body(api.PUT('/v1/orgs/{organizationId}/sites/{siteId}/customization/draft', { params, body: next }))
      setError(null)
      setRound((one) => one + 1)
    } catch (thrown) {
      setError(thrown)
    }
  }
  const change = (next: Look) => {
    setEdited(next)
    clearTimeout(saving.current)
    saving.current = setTimeout(() => void save(next), SAVE_AFTER_MS)
  }
  useEffect(() => () => clearTimeout(saving.current), [])
  const finish = async (isPublished: boolean) => {
    if (!site || !current) return
    clearTimeout(saving.current)
    const w = adminWords().customize
    const params = { path: sitePath(site) }
    const before = looks.value?.published
    await attempt(async () => {
      if (isPublished)
        await body(api.PUT('/v1/orgs/{organizationId}/sites/{siteId}/customization', { params, body: current }))
      await body(api.DELETE('/v1/orgs/{organizationId}/sites/{siteId}/customization/draft', { params }))
      await reload(keyOf(id))
      setEdited(null)
      setError(null)
      setRound((one) => one + 1)
      // Restores the draft, or the published customization.
      const undo = async () => {
        const target = isPublished ? before : current
        if (!target) return
        const input = { params, body: target }
        await (isPublished
          ? body(api.PUT('/v1/orgs/{organizationId}/sites/{siteId}/customization', input))
          : body(api.PUT('/v1/orgs/{organizationId}/sites/{siteId}/customization/draft', input)))
        await reload(keyOf(id))
        setRound((one) => one + 1)
      }
      toast(isPublished ? w.published : w.discarded, { undo })
    })
  }
  const count = looks.value && current ? differences(looks.value.published, current) : 0
  return (
    <SiteFrame
      id={id}
      part="customize"
      main="cust"
      end={(one) => one.permissions.admin && count > 0 && <Publishing count={count} finish={finish} />}
    >
      {() => (
        <Show data={looks}>
          {(value) => (
            <>
              <section class="opts" aria-label={adminWords().customize.options}>
                <h1 class="vh">{adminWords().site.parts.customize}</h1>
                {error !== null && (
                  <Note tone="bad">
                    <p>{explain(error)}</p>
                  </Note>
                )}
                {current && <CustomizeOptions look={current} onChange={change} error={error} />}
              </section>
              <Live address={value.preview} round={round} />
            </>
          )}
        </Show>
      )}
    </SiteFrame>
  )
}

function Publishing({ count, finish }: { count: number; finish: (isPublished: boolean) => Promise<void> }) {
  const w = adminWords().customize
  return (
    <>
      <span class="save hide-m" role="status">
        <Icon name="edit" />
        {plural(w.changes, count)}
      </span>
      <button type="button" class="btn quiet" onClick={() => void finish(false)}>
        {w.discard}
      </button>
      <button type="button" class="btn primary" onClick={() => void finish(true)}>
        {w.publish}
      </button>
    </>
  )
}

const WIDTHS = ['desktop', 'tablet', 'phone'] as const
const ICONS: Record<(typeof WIDTHS)[number], IconName> = { desktop: 'desktop', tablet: 'tablet', phone: 'phone' }

/** The preview of the site, in a frame with another origin. */
function Live({ address, round }: { address: string; round: number }) {
  const w = adminWords().customize
  const [width, setWidth] = useState<(typeof WIDTHS)[number]>('desktop')
  return (
    <section class="live stack" aria-label={w.live}>
      <div class="row wrap">
        <Segments
          label={w.width}
          value={width}
          of={WIDTHS.map((one) => [one, w.widths[one]] as const)}
          onChange={setWidth}
        />
        <Icon name={ICONS[width]} />
        <span class="grow" />
        <a class="btn small" href={address} target="_blank" rel="noopener">
          <Icon name="eye" />
          {w.open}
        </a>
      </div>
      <iframe
        key={round}
        class={`frame view ${width}`}
        title={w.live}
        src={`${address}/`}
        sandbox="allow-scripts allow-same-origin allow-popups"
        referrerpolicy="no-referrer"
      />
    </section>
  )
}
