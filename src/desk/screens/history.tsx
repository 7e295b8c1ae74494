/** The history of a page or a space: compares two revisions, shows a page as of a revision, and restores it. */
import { useState } from 'preact/hooks'
import { useKey } from '../keyboard.js'
import { ChangedBlocks } from '../review/changed-blocks.js'
import { rowsOf } from '../review/line-diff.js'
import { type ChangedPage, changedPages } from '../review/request.js'
import { RestoreDialog } from '../review/restore.js'
import {
  authorOf,
  type RevisionItem,
  type Span,
  titleOf,
  useRevisions,
  useSpanChanges,
  useSpanPage,
  loadAllSpanLines,
  useSpanSource,
} from '../review/revisions.js'
import { selectedPage } from '../review/side.js'
import { SourceTable } from '../review/source-table.js'
import { reviewWords } from '../review/words.js'
import { address, setQuery } from '../route.js'
import { Waiting } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Empty, Note, Show } from '../shell/notes.js'
import { closeSide } from '../shell/side.js'
import { inWords, Time } from '../shell/time.js'
import { BlockHtml, BlockIcons } from '../space/blocks.js'
import { SpaceFrame } from '../space/space-frame.js'
import { findPage, type Space, usePages, useRendered, useSpace } from '../space/space.js'
import { fill, plural, words } from '../words/index.js'

const PAGE = 30

/** The screen, for `/s/:space/p/:page/history`. `?from=` and `?to=` choose the revisions. */
export const PageHistory = ({ space = '', page = '' }: Readonly<Record<string, string>>) => (
  <History spaceId={space} pageId={page} />
)

/** The screen, for `/s/:space/history`. */
export const SpaceHistory = ({ space = '' }: Readonly<Record<string, string>>) => (
  <History spaceId={space} pageId={null} />
)

function History({ spaceId, pageId }: { spaceId: string; pageId: string | null }) {
  const space = useSpace(spaceId)
  const [limit, setLimit] = useState(PAGE)
  const revisions = useRevisions(spaceId, pageId, limit)
  const pages = usePages({ spaceId }).value
  const w = reviewWords().history
  if (!space.value || !revisions.value) return <Waiting title={words().space.tabs.history} data={[space, revisions]} />
  const { items, count } = revisions.value
  const title = (pageId !== null && pages && findPage(pages, pageId)?.page.title) || space.value.title
  const { query } = address.value
  const to = items.find(({ id }) => id === query.get('to')) ?? items[0]
  return (
    <SpaceFrame
      space={space.value}
      title={fill(w.of, { page: title })}
      tab="history"
      main=""
      actions={<Actions space={space.value} pageId={pageId} title={title} revision={to} newest={items[0]} />}
      side={
        <>
          <Revisions
            items={items}
            current={to?.id}
            heading={pageId === null ? plural(w.spaceCount, count) : plural(w.count, count, { page: title })}
          />
          {items.length < count && (
            <button type="button" class="btn small quiet full" onClick={() => setLimit(limit + PAGE)}>
              {w.older}
            </button>
          )}
        </>
      }
    >
      <BlockIcons />
      <h1 class="vh">{fill(w.of, { page: title })}</h1>
      {to ? (
        <Compared
          space={space.value}
          pageId={pageId}
          items={items}
          to={to}
          from={query.get('from')}
          key={`${query.get('from') ?? ''}..${to.id}`}
        />
      ) : (
        <Empty icon="clock" title={w.missing} />
      )}
    </SpaceFrame>
  )
}

function Revisions({
  items,
  current,
  heading,
}: {
  items: readonly RevisionItem[]
  current: string | undefined
  heading: string
}) {
  const w = reviewWords().history
  const at = items.findIndex(({ id }) => id === current)
  const choose = (item: RevisionItem | undefined): void => item && setQuery({ to: item.id, from: null, page: null })
  useKey('j', () => choose(items[at + 1]))
  useKey('k', () => choose(items[at - 1]))
  return (
    <>
      <div class="nav-h" id="hh">
        {heading}
      </div>
      <ol class="hist t" aria-labelledby="hh">
        {items.map((item) => (
          <li key={item.id}>
            <a
              href={`?to=${item.id}`}
              aria-current={item.id === current ? 'true' : undefined}
              onClick={(event) => {
                event.preventDefault()
                choose(item)
                closeSide()
              }}
            >
              <b>{titleOf(item)}</b>
              <small>
                {authorOf(item)} · <Time iso={item.createdAt} />
              </small>
              {item.mergedFrom && <small>{fill(w.request, { number: String(item.mergedFrom.number) })}</small>}
            </a>
          </li>
        ))}
      </ol>
    </>
  )
}

type View = 'differences' | 'asItWas' | 'source'

function Compared({
  space,
  pageId,
  items,
  to,
  from,
}: {
  space: Space
  pageId: string | null
  items: readonly RevisionItem[]
  to: RevisionItem
  from: string | null
}) {
  const w = reviewWords().history
  const [view, setView] = useState<View>('differences')
  const span: Span = { spaceId: space.id, to: to.id, from }
  const changes = useSpanChanges(pageId === null ? span : null).value
  const pages = changes ? changedPages(changes.changes) : []
  const shown = pageId ?? selectedPage(pages)?.id
  return (
    <>
      <div class="bar">
        <span class="row wrap sm grow">
          <span class="muted hide-m">{w.compare}</span>
          <RevisionSelect
            label={w.from}
            items={items}
            value={from ?? ''}
            none={w.before}
            onChange={(id) => setQuery({ from: id === '' ? null : id })}
          />
          <Icon name="arrow" />
          <RevisionSelect label={w.to} items={items} value={to.id} onChange={(id) => setQuery({ to: id })} />
        </span>
        <fieldset class="seg" aria-label={w.show}>
          {(['differences', 'asItWas', 'source'] as const).map((one) => (
            <button type="button" key={one} aria-pressed={view === one} onClick={() => setView(one)}>
              {w[one]}
            </button>
          ))}
        </fieldset>
      </div>
      {pageId === null && pages.length > 0 && <ChangedPages pages={pages} current={shown} />}
      {shown === undefined ? (
        changes && (
          <Empty icon="clock" title={reviewWords().side.none}>
            {changes.changes.flatMap((change) => ('file' in change ? [change.file.path] : [])).join(', ')}
          </Empty>
        )
      ) : view === 'differences' ? (
        <Differences key={shown} span={span} pageId={shown} revision={to} />
      ) : view === 'asItWas' ? (
        <AsItWas key={shown} span={span} pageId={shown} />
      ) : (
        <SourceOf key={shown} span={span} pageId={shown} />
      )}
    </>
  )
}

function RevisionSelect({
  label,
  items,
  value,
  none,
  onChange,
}: {
  label: string
  items: readonly RevisionItem[]
  value: string
  none?: string
  onChange: (id: string) => void
}) {
  const isListed = value === '' || items.some(({ id }) => id === value)
  return (
    <select class="in rev" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {!isListed && <option value={value}>{value.slice(0, 7)}</option>}
      {items.map((item) => (
        <option key={item.id} value={item.id} selected={item.id === value}>
          {`${inWords(item.createdAt)}, ${titleOf(item)}`}
        </option>
      ))}
    </select>
  )
}

const ChangedPages = ({ pages, current }: { pages: readonly ChangedPage[]; current: string | undefined }) => (
  <nav class="pad-x row wrap sm" aria-label={reviewWords().side.label}>
    {pages.map(({ id, title }) => (
      <button
        type="button"
        key={id}
        class="btn small"
        aria-pressed={id === current}
        onClick={() => setQuery({ page: id })}
      >
        {title}
      </button>
    ))}
  </nav>
)

function Differences({ span, pageId, revision }: { span: Span; pageId: string; revision: RevisionItem }) {
  const w = reviewWords()
  return (
    <div class="doc changes">
      <Show data={useSpanPage(span, pageId)}>
        {({ blocks, limit }) =>
          limit === undefined ? (
            <>
              {blocks.every(({ change }) => change === 'unchanged') && (
                <div class="blk">
                  <div class="mg" />
                  <p class="tx muted sm">{w.blocks.same}</p>
                  <div class="as" />
                </div>
              )}
              <ChangedBlocks blocks={blocks} />
            </>
          ) : (
            <Note tone="wait">
              <p>{limit}</p>
            </Note>
          )
        }
      </Show>
      {revision.git.url !== undefined && (
        <div class="blk">
          <div class="mg quiet" />
          <div class="tx">
            <Note>
              <p>
                {fill(w.history.reached, { id: revision.id.slice(0, 7) })}{' '}
                <a href={revision.git.url} rel="noopener">
                  {w.history.seeThere}
                </a>
              </p>
            </Note>
          </div>
          <div class="as" />
        </div>
      )}
    </div>
  )
}

function AsItWas({ span, pageId }: { span: Span; pageId: string }) {
  const rendered = useRendered({ spaceId: span.spaceId, revision: span.to }, pageId)
  if (rendered.error?.status === 404) return <Empty icon="clock" title={reviewWords().history.missing} />
  return (
    <div class="doc">
      <Show data={rendered}>
        {({ blocks }) => (
          <>
            {blocks.map(({ html }, at) => (
              <div class="blk" key={at}>
                <div class="mg" />
                <div class="tx">
                  <BlockHtml html={html} />
                </div>
                <div class="as" />
              </div>
            ))}
          </>
        )}
      </Show>
    </div>
  )
}

function SourceOf({ span, pageId }: { span: Span; pageId: string }) {
  const w = reviewWords()
  return (
    <Show data={useSpanSource(span, pageId)}>
      {({ changes }) => {
        const found = changes.find((change) => 'page' in change)
        const diff = found && 'diff' in found ? found.diff : undefined
        if (!found || !('page' in found) || diff?.unified === undefined)
          return <p class="pad muted">{diff?.omitted ?? w.source.none}</p>
        return (
          <SourceTable
            rows={rowsOf(diff.unified)}
            file={found.page.file ?? found.page.path}
            names={{ before: w.history.sourceBefore, after: w.history.sourceAfter }}
            loadAll={() => loadAllSpanLines(span, pageId)}
          />
        )
      }}
    </Show>
  )
}

function Actions({
  space,
  pageId,
  title,
  revision,
  newest,
}: {
  space: Space
  pageId: string | null
  title: string
  revision: RevisionItem | undefined
  newest: RevisionItem | undefined
}) {
  const w = reviewWords().history
  const [isAsking, setAsking] = useState(false)
  const mayRestore = pageId === null ? space.permissions.merge : space.permissions.edit
  return (
    <>
      {pageId !== null && (
        <a class="btn" href={`/s/${space.id}/p/${pageId}`}>
          <Icon name="back" />
          {w.back}
        </a>
      )}
      {mayRestore && revision && revision.id !== newest?.id && (
        <button type="button" class="btn" onClick={() => setAsking(true)}>
          <Icon name="undo" />
          {w.restore}
        </button>
      )}
      {isAsking && revision && (
        <RestoreDialog
          space={space}
          pageId={pageId}
          title={title}
          revision={revision}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
