/** The source difference of a change request, one page at a time. */
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { rowsOf, rowsOfText } from '../review/line-diff.js'
import {
  type ChangedPage,
  changedPages,
  keyOf,
  loadAllLines,
  pathOf,
  type RequestPlace,
  useChanges,
  usePageChanges,
  useSourceChanges,
  type RequestView,
} from '../review/request.js'
import { RequestFrame } from '../review/request-frame.js'
import { RequestSide, selectedPage } from '../review/side.js'
import { SourceTable } from '../review/source-table.js'
import { reviewWords } from '../review/words.js'
import { Empty, Note, Show } from '../shell/notes.js'
import { fill } from '../words/index.js'

/** The screen, for `/s/:space/c/:number/source`. */
export const ChangeSource = ({ space, number }: Readonly<Record<string, string>>) => (
  <RequestFrame
    space={space}
    number={number}
    tab="source"
    main=""
    side={(view) => <RequestSide view={view} path="/source" />}
  >
    {(view) => <Source view={view} />}
  </RequestFrame>
)

function Source({ view }: { view: RequestView }) {
  const changes = useChanges(view.place)
  const w = reviewWords()
  return (
    <Show data={changes}>
      {({ changes: all }) => {
        const page = selectedPage(changedPages(all))
        if (!page)
          return (
            <Empty icon="code" title={w.blocks.nothing}>
              {w.blocks.nothingLead}
            </Empty>
          )
        return (
          <>
            <h2 class="vh">{fill(w.source.title, { page: page.title })}</h2>
            {page.mark === 'new' || page.mark === 'deleted' ? (
              <WholeText view={view} page={page} />
            ) : (
              <Lines view={view} page={page} />
            )}
          </>
        )
      }}
    </Show>
  )
}

function Lines({ view: { place, request }, page }: { view: RequestView; page: ChangedPage }) {
  const w = reviewWords().source
  return (
    <Show data={useSourceChanges(place, page.id)}>
      {({ changes }) => {
        const diff = changes.map((change) => ('diff' in change ? change.diff : undefined)).find((one) => one)
        if (diff?.omitted !== undefined)
          return (
            <Note tone="wait">
              <p>{fill(w.omitted, { reason: diff.omitted })}</p>
            </Note>
          )
        if (diff?.unified === undefined) return <p class="pad muted">{w.none}</p>
        return (
          <SourceTable
            key={`${page.id} ${request.revision}`}
            rows={rowsOf(diff.unified)}
            file={page.file}
            loadAll={() => loadAllLines(place, page.id)}
          />
        )
      }}
    </Show>
  )
}

/** A page that the change request creates or deletes: all of its lines. */
function WholeText({ view: { place }, page }: { view: RequestView; page: ChangedPage }) {
  const isNew = page.mark === 'new'
  const before = usePageChanges(place, isNew ? null : page.id).value?.before
  const isReady = isNew || before !== undefined
  const text = useData(isReady ? `${keyOf(place)}/text/${page.id}` : null, () =>
    isNew ? newText(place, page.id) : oldText(place, page.id, before ?? ''),
  )
  return (
    <Show data={text}>
      {(loaded) => <SourceTable rows={rowsOfText(loaded, isNew ? 'after' : 'before')} file={page.file} />}
    </Show>
  )
}

/** Loads the file of a page that the change request creates, with its front matter. */
const newText = async (place: RequestPlace, pageId: string): Promise<string> =>
  (
    await body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/source', {
        params: { path: { ...pathOf(place), pageId } },
      }),
    )
  ).markdown

/** Loads the text that a deleted page had. */
async function oldText({ spaceId }: RequestPlace, pageId: string, revisionId: string): Promise<string> {
  const page = await body(
    api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}', {
      params: { path: { spaceId, revisionId, pageId }, query: { metadata: false, computed: false } },
    }),
  )
  return 'markdown' in page ? String(page.markdown) : ''
}
