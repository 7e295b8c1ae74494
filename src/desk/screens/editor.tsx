/** The editor of a page, on the main content or in a change request. */
import { address } from '../route.js'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, ApiError, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { session } from '../api/session.js'
import { findCopy } from '../editor/local-copy.js'
import { loadSource } from '../editor/page-api.js'
import { startPresence } from '../editor/presence.js'
import { EditorRibbon, type ViewName } from '../editor/ribbon.js'
import { SaveNote } from '../editor/save-notes.js'
import { Writing, type WritingInput } from '../editor/writing.js'
import { Frame, Waiting } from '../shell/frame.js'
import { Failed, Nothing, Note, Shape } from '../shell/notes.js'
import { toast } from '../shell/toast.js'
import { findPage, keyOf, type Place, type Space } from '../space/space.js'
import { later } from '../shell/later.js'
import { SpaceFrame } from '../space/space-frame.js'
import { fill } from '../words/index.js'
import { editorWords } from '../editor/words.js'

interface Loaded extends WritingInput {
  space: Space
}

/** A reason why the page cannot be edited, which is not an error. */
class CannotEdit extends Error {}

async function load(place: Place, pageId: string): Promise<Loaded> {
  const { spaceId, changeRequest: changeRequestId } = place
  const w = editorWords()
  const user = session.peek()?.user.id ?? ''
  // The reasons why a page has no text come first.
  const text = loadSource(place, pageId).then(
    (source) => () => source,
    (error) => () => {
      throw error
    },
  )
  const kept = findCopy({ user, spaceId, changeRequest: changeRequestId ?? '', pageId })
  const [space, changeRequest, pages] = await Promise.all([
    body(api.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } })),
    changeRequestId === undefined
      ? null
      : body(
          api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
            params: { path: { spaceId, changeRequestId } },
          }),
        ),
    pagesOf(place),
  ])
  const page = findPage(pages, pageId)?.page
  if (!page) throw new ApiError(404, '')
  const suggests = !space.permissions.edit && space.permissions.comment && changeRequest !== null
  if (space.editMode === 'locked') throw new CannotEdit(w.locked)
  if (!space.permissions.edit && !suggests) throw new CannotEdit(w.mayNotEdit)
  if (changeRequest && changeRequest.status !== 'draft' && changeRequest.status !== 'open')
    throw new CannotEdit(w.closedRequest)
  if (page.type !== 'document') throw new CannotEdit(w.noFile)
  const [sourceOf, base, copy] = await Promise.all([
    text,
    changeRequest ? loadSource({ spaceId }, pageId).catch(() => null) : null,
    kept,
  ])
  const source = sourceOf()
  // A stored text that the server already has needs no decision.
  const isNews = copy !== null && copy.text !== source.markdown
  return {
    space,
    place,
    page,
    source,
    base: changeRequest ? (base?.markdown ?? null) : source.markdown,
    isLive: space.requiredApprovals === 0 || space.permissions.admin,
    changeRequest,
    suggests,
    copy: isNews ? copy : null,
  }
}

const pagesOf = async ({ spaceId, changeRequest: changeRequestId }: Place): Promise<Schemas['Page'][]> =>
  (changeRequestId === undefined
    ? await body(
        api.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId }, query: { metadata: false } } }),
      )
    : await body(
        api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
          params: { path: { spaceId, changeRequestId }, query: { metadata: false } },
        }),
      )
  ).pages

export function Editor({ space = '', number, page = '' }: Readonly<Record<string, string>>) {
  const [state, setState] = useState<{ key: string; loaded?: Loaded; error?: unknown } | null>(null)
  const key = `${space} ${number ?? ''} ${page}`
  const run = (): void => {
    const place: Place = { spaceId: space, ...(number === undefined ? {} : { changeRequest: number }) }
    load(place, page).then(
      (loaded) => setState({ key, loaded }),
      (error) => setState({ key, error }),
    )
  }
  useLayoutEffect(run, [key])
  const w = editorWords()
  if (state?.key === key && state.loaded) return <Open key={key} input={state.loaded} />
  const { error } = state?.key === key ? state : {}
  if (error === undefined) return <Waiting title={w.source} data={[]} />
  return (
    <Frame title={w.source}>
      <div class="pad">
        {error instanceof CannotEdit ? (
          <Note
            tone="wait"
            actions={
              <a class="btn small" href={`/s/${space}/p/${page}`}>
                {w.back}
              </a>
            }
          >
            <p>
              <b>{w.cannotEdit}</b> {error.message}
            </p>
          </Note>
        ) : error instanceof ApiError && (error.status === 404 || error.status === 403) ? (
          <Nothing />
        ) : (
          <Failed error={error instanceof ApiError ? error : new ApiError(0, '')} retry={run} />
        )}
      </div>
    </Frame>
  )
}

const tools = () => import('../editor/tools.js')

/** Moves the caret to the line that the address names, for example that of a broken link. */
function goToLine({ view }: Writing): void {
  const wanted = Number(address.value.query.get('line'))
  if (!Number.isInteger(wanted) || wanted < 1) return
  const { doc } = view.state
  view.dispatch({ selection: { anchor: doc.line(Math.min(wanted, doc.lines)).from }, scrollIntoView: true })
}

/** Creates the editing session once, and ends it with the screen. */
function Open({ input }: { input: Loaded }) {
  const [writing] = useState(() => new Writing(input))
  const holder = useRef<HTMLDivElement>(null)
  const [isMounted, setMounted] = useState(false)
  useLayoutEffect(() => {
    if (!holder.current) return
    writing.mount(holder.current)
    writing.onFailedUpload = (text) => toast(text, { isBad: true })
    const stop = startPresence(writing)
    setMounted(true)
    writing.view.focus()
    goToLine(writing)
    void tools().then(({ toolsFor }) => writing.addTools((edits) => toolsFor(writing.targets, edits)))
    return () => {
      stop()
      writing.destroy()
      void reload(`${keyOf(writing.place.value)}/rendered`)
    }
  }, [writing])
  return <EditorScreen {...{ writing, input, holder, isMounted }} />
}

/** Counts the pages that a change request changes, for the tree and the ribbon. */
function useChanges(writing: Writing): ReadonlyMap<string, 'e' | 'n'> {
  const { spaceId, changeRequest: changeRequestId } = writing.place.value
  const savedAt = writing.saver?.state.value.savedAt ?? null
  const key = changeRequestId === undefined ? null : `${keyOf(writing.place.value)}/changed`
  const data = useData(key, async () =>
    body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes', {
        params: { path: { spaceId, changeRequestId: changeRequestId ?? '' } },
      }),
    ),
  )
  useEffect(() => {
    if (key !== null && savedAt !== null) void reload(key)
  }, [savedAt])
  const found = new Map<string, 'e' | 'n'>()
  for (const change of data.value?.changes ?? [])
    if ('page' in change && change.page) found.set(change.page.id, change.type === 'page_created' ? 'n' : 'e')
  return found
}

const Toolbar = later(async () => (await tools()).Toolbar, <div class="bar" />)
const Preview = later(async () => (await import('../editor/preview.js')).Preview)
const PageSettings = later(async () => (await import('../editor/settings.js')).PageSettings)
const EditorSide = later(async () => (await import('../editor/side.js')).EditorSide)
const Ask = later(async () => (await import('../editor/ask.js')).Ask)
const Compare = later(async () => (await import('../editor/compare.js')).Compare)

const STORED_VIEW = 'bindery-editor-view'

function EditorScreen({
  writing,
  input,
  holder,
  isMounted,
}: {
  writing: Writing
  input: Loaded
  holder: { current: HTMLDivElement | null }
  isMounted: boolean
}) {
  const w = editorWords()
  const { space, page } = input
  const [title, setTitle] = useState(page.title)
  const [view, setView] = useState<ViewName>(() => (localStorage.getItem(STORED_VIEW) as ViewName | null) ?? 'both')
  const [isAsking, setAsking] = useState(false)
  const [isComparing, setComparing] = useState(false)
  const marks = useChanges(writing)
  const show = (next: ViewName): void => {
    setView(next)
    localStorage.setItem(STORED_VIEW, next)
  }
  writing.onPreviewKey = () => show(view === 'source' ? 'both' : 'source')
  const place = writing.place.value
  const readHref = `/s/${place.spaceId}/p/${page.id}`
  return (
    <SpaceFrame
      space={space}
      title={fill(w.title, { page: title })}
      tab="pages"
      crumbs={[{ title, href: readHref }]}
      main={`ed v-${view}`}
      ribbon={
        <EditorRibbon
          writing={writing}
          isMounted={isMounted}
          view={view}
          show={show}
          changed={marks.size}
          ask={() => setAsking(true)}
        />
      }
      side={isMounted ? <EditorSide writing={writing} marks={marks} /> : <Shape lines={9} />}
    >
      <h1 class="vh">{fill(w.title, { page: title })}</h1>
      <section class="src" aria-label={w.source}>
        {isMounted && (
          <>
            <Toolbar writing={writing} showPreview={() => show(view === 'preview' ? 'source' : 'preview')} />
            <SaveNote writing={writing} compare={() => setComparing(true)} />
            {!input.suggests && (
              <PageSettings
                writing={writing}
                renamed={(name) => {
                  setTitle(name)
                  void reload(`${keyOf(writing.place.value)}/pages`)
                }}
              />
            )}
          </>
        )}
        <div class="cmx" ref={holder} />
      </section>
      {isMounted && view !== 'source' && <Preview writing={writing} pageHref={readHref} back={() => show('source')} />}
      {isAsking && (
        <Ask
          writing={writing}
          organizationId={space.organization}
          pages={marks.size}
          onClose={() => setAsking(false)}
        />
      )}
      {isComparing && <Compare writing={writing} onClose={() => setComparing(false)} />}
    </SpaceFrame>
  )
}
