/** The other settings of a space: its PDF, its translations, the specifications that its pages use, copies and transfers. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { useData } from '../api/data.js'
import { Icon } from '../shell/icons.js'
import { Note } from '../shell/notes.js'
import { attempt } from '../shell/toast.js'
import { plural } from '../words/index.js'
import { Duplicate, Transfer } from './elsewhere.js'
import { adminWords } from './words.js'

export function SpaceExtras({ space }: { space: Schemas['Space'] }) {
  const w = adminWords().space
  const path = { organizationId: space.organization }
  const counts = useData(`space/${space.id}/extras`, async () => {
    const [translations, specs] = await Promise.all([
      body(api.GET('/v1/orgs/{organizationId}/translations', { params: { path, query: { limit: 1000 } } })),
      body(api.GET('/v1/orgs/{organizationId}/openapi', { params: { path, query: { limit: 1 } } })),
    ])
    return {
      translations: translations.items.filter(({ source }) => source.space === space.id).length,
      specs: specs.count ?? 0,
    }
  }).value
  const settings = `/o/${space.organization}/settings`
  return (
    <section class="stack s" aria-labelledby="more">
      <h2 class="h" id="more">
        {w.more}
      </h2>
      <ul class="list t panel">
        <li>
          <Icon name="page" />
          <div class="grow">
            <b>{w.pdf}</b>
            <div class="d">{w.pdfHelp}</div>
          </div>
          <Pdf space={space} />
        </li>
        <li>
          <Icon name="lang" />
          <div class="grow">
            <a class="t" href={`${settings}/translations`}>
              {w.translations}
            </a>
            <div class="d">{counts && plural(w.translationCount, counts.translations)}</div>
          </div>
        </li>
        <li>
          <Icon name="code" />
          <div class="grow">
            <a class="t" href={`${settings}/openapi`}>
              {w.openapi}
            </a>
            <div class="d">{counts && plural(w.openapiCount, counts.specs)}</div>
          </div>
        </li>
        <li>
          <Icon name="copy" />
          <div class="grow">
            <b>{adminWords().elsewhere.copyTitle}</b>
            <div class="d">{adminWords().elsewhere.copyHelp}</div>
          </div>
          <Duplicate space={space} />
        </li>
      </ul>
      <Transfer content={{ type: 'space', ...space }} />
    </section>
  )
}

function Pdf({ space }: { space: Schemas['Space'] }) {
  const w = adminWords().space
  const [isBusy, setBusy] = useState(false)
  const [made, setMade] = useState<Schemas['PdfAddress'] | null>(null)
  const make = async () => {
    setBusy(true)
    await attempt(async () =>
      setMade(await body(api.GET('/v1/spaces/{spaceId}/pdf', { params: { path: { spaceId: space.id }, query: {} } }))),
    )
    setBusy(false)
  }
  if (made)
    return (
      <>
        {(made.diagnostics?.length ?? 0) > 0 && (
          <Note tone="wait">
            <p>{plural(w.pdfProblems, made.diagnostics?.length ?? 0)}</p>
          </Note>
        )}
        <a class="btn small primary" href={made.url} download>
          <Icon name="arrow-down" />
          {w.download}
        </a>
      </>
    )
  return (
    <button type="button" class="btn small" aria-disabled={isBusy || undefined} onClick={make}>
      {isBusy ? w.makingPdf : w.makePdf}
    </button>
  )
}
