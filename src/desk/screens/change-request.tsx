/** A change request: its description, and the rendered differences of its changed pages. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { ConflictEntry } from '../conflicts/entry.js'
import { useKey } from '../keyboard.js'
import { address, open } from '../route.js'
import { Brief } from '../review/brief.js'
import { anchorOf, type Beside, ChangedBlocks } from '../review/changed-blocks.js'
import {
  type ChangedBlock,
  type ChangedPage,
  changedPages,
  type Comment,
  hrefOf,
  keyOf,
  type PageChanges,
  pathOf,
  useChanges,
  useComments,
  useDetails,
  usePageChanges,
  type RequestView,
} from '../review/request.js'
import { RequestFrame } from '../review/request-frame.js'
import { otherChanges, Others, RequestSide, selectedPage } from '../review/side.js'
import { Composer, Thread } from '../review/threads.js'
import { setViewed, useViewed, viewOf } from '../review/viewed.js'
import { reviewWords } from '../review/words.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { Chip, Empty, Note, Show } from '../shell/notes.js'
import { BlockIcons } from '../space/blocks.js'
import { fill, plural } from '../words/index.js'

const at = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}' as const

/** The screen, for `/s/:space/c/:number`. `?page=` selects a page. */
export const ChangeRequestScreen = ({ space, number }: Readonly<Record<string, string>>) => (
  <RequestFrame space={space} number={number} tab="changes" main="" side={(view) => <RequestSide view={view} />}>
    {(view) => (
      <>
        <BlockIcons />
        {view.request.outdated && <ConflictEntry {...view.place} />}
        <Brief view={view} />
        <Changes view={view} />
      </>
    )}
  </RequestFrame>
)

function Changes({ view }: { view: RequestView }) {
  const changes = useChanges(view.place)
  const w = reviewWords().blocks
  return (
    <Show data={changes}>
      {({ changes: all }) => {
        const pages = changedPages(all)
        const page = selectedPage(pages)
        const others = otherChanges(all)
        if (!page && others.length > 0)
          return (
            <section class="pad stack s">
              <p class="sm muted">{reviewWords().side.none}</p>
              <h2 class="h" id="co">
                {reviewWords().side.also}
              </h2>
              <Others changes={others} labelledBy="co" />
            </section>
          )
        if (!page)
          return (
            <Empty icon="request" title={w.nothing}>
              {w.nothingLead}
            </Empty>
          )
        return <ChangedPageView key={page.id} view={view} page={page} pages={pages} />
      }}
    </Show>
  )
}

function ChangedPageView({
  view,
  page,
  pages,
}: {
  view: RequestView
  page: ChangedPage
  pages: readonly ChangedPage[]
}) {
  const { place } = view
  const w = reviewWords().blocks
  const data = usePageChanges(place, page.id)
  const next = pages[pages.indexOf(page) + 1]
  // The next page is compared while this one is read.
  usePageChanges(place, data.value && next ? next.id : null)
  return (
    <div class="doc aside changes">
      <h2 class="vh">{fill(w.title, { page: page.title })}</h2>
      <PageHead view={view} page={page} shown={data.value} />
      <Show data={data}>{(shown) => <Blocks view={view} page={page} pages={pages} shown={shown} />}</Show>
    </div>
  )
}

function PageHead({ view, page, shown }: { view: RequestView; page: ChangedPage; shown: PageChanges | undefined }) {
  const { place } = view
  const w = reviewWords().blocks
  const marks = useViewed(place).value
  const state = viewOf(marks, page.id)
  const isReady = shown !== undefined && marks !== undefined
  const toggleViewed = (): void => {
    if (isReady) void setViewed(place, marks, shown, state !== 'viewed')
  }
  useKey('v', isReady ? toggleViewed : null)
  return (
    <div class="blk">
      <div class="mg" />
      <div class="tx">
        <div class="row wrap sm">
          <b class="grow">
            {page.title} <span class="muted">{page.file}</span>
          </b>
          {state === 'changed' && (
            <Chip tone="wait" icon="eye">
              {w.changedSince}
            </Chip>
          )}
          <Switch checked={state === 'viewed'} onChange={toggleViewed}>
            {w.viewed} <kbd>V</kbd>
          </Switch>
        </div>
        <PageFacts view={view} page={page} />
      </div>
      <div class="as">
        <PageThreads view={view} page={page} shown={shown} />
      </div>
    </div>
  )
}

/** The changes of a page besides its text: position, title and settings. */
function PageFacts({ view: { place }, page }: { view: RequestView; page: ChangedPage }) {
  const w = reviewWords().blocks
  const details = useDetails(place, page.id).value?.changes ?? []
  const attributes = details.flatMap((change) =>
    change.type === 'page_edited' ? Object.entries(change.attributes).filter(([name]) => name !== 'document') : [],
  ) as [string, { before?: unknown; after?: unknown }][]
  const textOfValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
  return (
    <ul class="sm t">
      {details.map(
        (change) =>
          change.type === 'page_moved' && (
            <li key="moved">{fill(w.wasPlace, { from: change.from.path, to: change.to.path })}</li>
          ),
      )}
      {page.mark === 'deleted' && <li>{w.deletedPage}</li>}
      {attributes.map(([name, { before, after }]) => (
        <li key={name}>
          <span class="muted">{fill(w.attribute, { name })}</span>{' '}
          {before !== undefined && <del>{textOfValue(before)}</del>}{' '}
          {after !== undefined && <ins>{textOfValue(after)}</ins>}
        </li>
      ))}
    </ul>
  )
}

/** Returns the block of a comment: the key of its top-level block in the current page. */
const blockOf = ({ target }: Comment): string | null => /^n\d+/.exec(target.node?.id ?? '')?.[0] ?? null

/** Whether the block of a comment no longer exists. */
const isLost = ({ target }: Comment): boolean => target.page?.outdated === true && target.node?.changed !== true

/** The comments on the page, and those whose block no longer exists. */
function PageThreads({ view, page, shown }: { view: RequestView; page: ChangedPage; shown: PageChanges | undefined }) {
  const comments = useComments(view.place).value?.items ?? []
  const isShown = (node: string): boolean => shown?.blocks.some(({ after }) => after?.node === node) === true
  return comments
    .filter(({ target }) => target.page?.id === page.id)
    .filter((comment) => {
      const node = blockOf(comment)
      return node === null || (shown !== undefined && (isLost(comment) || !isShown(node)))
    })
    .map((comment) => <Thread key={comment.id} view={view} comment={comment} />)
}

function Blocks({
  view,
  page,
  pages,
  shown,
}: {
  view: RequestView
  page: ChangedPage
  pages: readonly ChangedPage[]
  shown: PageChanges
}) {
  const { place, space } = view
  const w = reviewWords()
  const [current, setCurrent] = useState<string | null>(address.value.hash || null)
  const [writing, setWriting] = useState<string | null>(null)
  const comments = (useComments(place).value?.items ?? []).filter(
    (comment) => comment.target.page?.id === page.id && !isLost(comment),
  )
  const changed = shown.blocks.filter(({ change }) => change !== 'unchanged')
  useSteps({ view, page, pages, changed, current, setCurrent })
  useThreads()
  const commentOn = (block: ChangedBlock | undefined): void => {
    if (!space.permissions.comment || !block?.after) return
    setCurrent(anchorOf(block))
    setWriting(block.after.node)
  }
  const focused = changed.find((block) => anchorOf(block) === current) ?? changed[0]
  const onC = useCallback(() => commentOn(focused), [focused, space])
  useKey('c', onC)
  const post = (node: string) => async (markdown: string, suggestion?: string) => {
    await body(
      api.POST(`${at}/comments`, {
        params: { path: pathOf(place) },
        body: {
          body: { markdown },
          page: page.id,
          node,
          ...(suggestion === undefined ? {} : { suggestion: { markdown: suggestion } }),
        },
      }),
    )
    await reload(keyOf(place))
    setWriting(null)
  }
  const beside = (block: ChangedBlock): Beside => {
    const node = block.after?.node
    const own = comments.filter((comment) => node !== undefined && blockOf(comment) === node)
    const isCurrent = current === anchorOf(block)
    const canComment = space.permissions.comment && node !== undefined
    return {
      isKept: own.length > 0 || writing === node,
      margin: own.length > 0 && (
        <>
          <i class="sep">, </i>
          <br />
          {plural(w.blocks.comments, own.length)}
        </>
      ),
      over: canComment && (
        <button type="button" class="addc" aria-label={w.comment.onBlock} onClick={() => commentOn(block)}>
          <Icon name="plus" />
        </button>
      ),
      aside:
        own.length > 0 || (writing === node && node !== undefined) || (isCurrent && canComment) ? (
          <div>
            {own.map((comment) => (
              <Thread key={comment.id} view={view} comment={comment} />
            ))}
            {writing === node && node !== undefined ? (
              <div class="thread open">
                <Composer
                  label={w.comment.new}
                  send={w.comment.send}
                  onSend={post(node)}
                  {...(block.after ? { source: block.after.source } : {})}
                  onCancel={() => setWriting(null)}
                />
              </div>
            ) : (
              isCurrent &&
              own.length === 0 && (
                <button type="button" class="btn small quiet" onClick={() => commentOn(block)}>
                  <Icon name="comment" />
                  {w.comment.add} <kbd>C</kbd>
                </button>
              )
            )}
          </div>
        ) : null,
    }
  }
  if (shown.limit !== undefined)
    return (
      <Note
        tone="wait"
        actions={
          <a class="btn small" href={hrefOf(place, `/source?page=${page.id}`)}>
            {w.blocks.sourceInstead}
          </a>
        }
      >
        <p>{shown.limit}</p>
      </Note>
    )
  if (changed.length === 0 && comments.length === 0) return <p class="fold">{w.blocks.same}</p>
  return <ChangedBlocks blocks={shown.blocks} current={current} beside={beside} />
}

/** J and K: the next and the previous change, and the next and the previous page at the ends. */
function useSteps({
  view: { place },
  page,
  pages,
  changed,
  current,
  setCurrent,
}: {
  view: RequestView
  page: ChangedPage
  pages: readonly ChangedPage[]
  changed: readonly ChangedBlock[]
  current: string | null
  setCurrent: (anchor: string) => void
}): void {
  const step = (by: 1 | -1) => (): void => {
    const from = changed.findIndex((block) => anchorOf(block) === current)
    const to = changed[from < 0 && by < 0 ? changed.length - 1 : from + by]
    if (to) {
      setCurrent(anchorOf(to))
      return
    }
    const other = pages[pages.indexOf(page) + by]
    if (other) open(hrefOf(place, `?page=${encodeURIComponent(other.id)}`))
  }
  useKey('j', useCallback(step(1), [changed.length, current, page, pages]))
  useKey('k', useCallback(step(-1), [changed.length, current, page, pages]))
  useEffect(() => {
    if (current === null) return
    history.replaceState(null, '', `#${current}`)
    document.getElementById(current)?.scrollIntoView({ block: 'nearest' })
  }, [current])
}

const GAP_PX = 8

/** Threads start at their block. A thread moves down if the one above it is longer than its block. */
function useThreads(): void {
  const frame = useRef(0)
  useLayoutEffect(() => {
    const stack = (): void => {
      let bottom = Number.NEGATIVE_INFINITY
      for (const place of document.querySelectorAll<HTMLElement>('.doc.aside .as')) {
        place.style.insetBlockStart = ''
        const last = place.lastElementChild
        if (!last) continue
        const shift = Math.max(0, bottom + GAP_PX - place.getBoundingClientRect().top)
        if (shift > 0) place.style.insetBlockStart = `${shift}px`
        bottom = last.getBoundingClientRect().bottom
      }
    }
    const again = (): void => {
      cancelAnimationFrame(frame.current)
      frame.current = requestAnimationFrame(stack)
    }
    again()
    const observer = new ResizeObserver(again)
    for (const one of document.querySelectorAll('.doc.aside .as > *')) observer.observe(one)
    addEventListener('resize', again)
    return () => {
      observer.disconnect()
      removeEventListener('resize', again)
      cancelAnimationFrame(frame.current)
    }
  })
}
