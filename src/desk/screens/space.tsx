/** Reads a page of a space: its text, outline, history, backlinks, and the change requests that touch it. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { useData } from '../api/data.js'
import type { Parameters } from '../screen.js'
import { useKey } from '../keyboard.js'
import { address, open } from '../route.js'
import { Ribbon, Waiting } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Chip, Empty, Nothing, Note, Show } from '../shell/notes.js'
import { inWords } from '../shell/time.js'
import { BlockHtml, BlockIcons } from '../space/blocks.js'
import { Margin, type MarginNote, marginOf } from '../space/margin.js'
import { mayStart, NewPage } from '../space/new-page.js'
import { SpaceFrame } from '../space/space-frame.js'
import {
  findPage,
  keyOf,
  type Page,
  pagesWithText,
  type Place,
  type Space,
  useBlockChanges,
  usePages,
  useRendered,
  useSpace,
} from '../space/space.js'
import { PageTree } from '../space/tree.js'
import { fill, words } from '../words/index.js'
import { PageFacts } from './space-rail.js'

/** The screen, for `/s/:space` and `/s/:space/p/:page`. `?at=` shows a past revision. */
export function SpaceScreen({ space: spaceId, page }: Parameters) {
  const space = useSpace(spaceId ?? '')
  const at = address.value.query.get('at')
  const place: Place = { spaceId: spaceId ?? '', ...(at === null ? {} : { revision: at }) }
  const pages = usePages(place)
  if (!space.value || (!pages.value && !pages.error)) return <Waiting title={words().space.label} data={[space]} />
  if (!pages.value)
    return (
      <SpaceFrame space={space.value} title={space.value.title} tab="pages">
        {pages.error?.status === 404 ? (
          <Nothing />
        ) : (
          <Damaged space={space.value} message={pages.error?.message ?? ''} />
        )}
      </SpaceFrame>
    )
  return <Reading space={space.value} place={place} pages={pages.value} wanted={page} />
}

/** A space whose content cannot be read: the reason and the remedy. */
const Damaged = ({ space, message }: { space: Space; message: string }) => (
  <Note
    tone="bad"
    actions={
      space.permissions.admin && (
        <a class="btn small" href={`/s/${space.id}/connection`}>
          {words().space.tabs.connection}
        </a>
      )
    }
  >
    <p>
      <b>{words().space.damaged}</b> {message}
    </p>
  </Note>
)

interface ReadingProps {
  space: Space
  place: Place
  pages: readonly Page[]
  /** The ID in the address. Without it, the first page with a text is shown. */
  wanted: string | undefined
}

function Reading({ space, place, pages, wanted }: ReadingProps) {
  const w = words().space
  const texts = pagesWithText(pages)
  const found = findPage(pages, wanted ?? texts[0]?.id ?? '')
  const query = place.revision === undefined ? '' : `?at=${place.revision}`
  const hrefOf = (page: Page): string =>
    page.type === 'link' && page.href ? page.href : `/s/${space.id}/p/${page.id}${query}`
  const id = found?.page.id
  const index = texts.findIndex((page) => page.id === id)
  const go = (to: Page | undefined) => to && open(hrefOf(to))
  useKey('j', () => go(texts[index + 1]))
  useKey('k', () => go(texts[index - 1]))
  useKey('h', id === undefined ? null : () => open(`/s/${space.id}/p/${id}/history`))
  const isText = found?.page.type === 'document'
  const mayEdit = mayStart(space) && isText && place.revision === undefined
  useKey('e', mayEdit && id !== undefined ? () => open(`/s/${space.id}/p/${id}/edit`) : null)
  const isPresent = place.revision === undefined
  const side =
    pages.length === 0 ? undefined : (
      <>
        <PageTree pages={pages} current={id} hrefOf={hrefOf} />
        {isPresent && mayStart(space) && <div class="nav-h" />}
        {isPresent && mayStart(space) && (
          <>
            <NewPage space={space} pages={pages} after={id} label={w.newPage} class="btn small quiet full" />
            <a
              class="btn small quiet full"
              href={`/s/${space.id}/import${wanted === undefined ? '' : `?below=${wanted}`}`}
            >
              <Icon name="upload" />
              {w.importPages}
            </a>
          </>
        )}
      </>
    )
  return (
    <SpaceFrame
      space={space}
      title={found?.page.title ?? space.title}
      tab="pages"
      main={found ? 'doc' : 'pad'}
      {...(side === undefined ? {} : { side })}
      {...(found && isText
        ? { rail: <PageFacts key={id} space={space} place={place} page={found.page} />, railLabel: w.about }
        : {})}
      {...(place.revision === undefined
        ? { actions: <Actions space={space} page={found?.page} mayEdit={mayEdit} isFirst={wanted === undefined} /> }
        : { ribbon: <Past space={space} place={place} page={found?.page} /> })}
    >
      {found ? (
        <PageText key={id} place={place} page={found.page} above={found.above} hrefOf={hrefOf} />
      ) : wanted === undefined && texts.length === 0 ? (
        <NoPages space={space} />
      ) : (
        <Nothing />
      )}
    </SpaceFrame>
  )
}

const NoPages = ({ space }: { space: Space }) => {
  const w = words().space
  return (
    <>
      <h1 class="vh">{space.title}</h1>
      <Empty
        icon="page"
        title={w.noPages}
        action={
          <div class="acts">
            {mayStart(space) && <NewPage space={space} pages={[]} label={w.firstPage} class="btn primary" />}
            {mayStart(space) && (
              <a class="btn" href={`/s/${space.id}/import`}>
                {w.importPages}
              </a>
            )}
            {space.permissions.admin && (
              <a class="btn" href={`/s/${space.id}/connection/new`}>
                {w.connect}
              </a>
            )}
          </div>
        }
      >
        {mayStart(space) ? w.noPagesLead : w.noPagesRead}
      </Empty>
    </>
  )
}

/** The ribbon's buttons. */
function Actions({
  space,
  page,
  mayEdit,
  isFirst,
}: {
  space: Space
  page: Page | undefined
  mayEdit: boolean
  isFirst: boolean
}) {
  const w = words().space
  const { published } = space.urls
  return (
    <>
      {published !== undefined && page?.type === 'document' && !page.hidden && (
        <a class="btn hide-s" href={isFirst ? published : `${published}/${page.path}`} target="_blank" rel="noreferrer">
          <Icon name="globe" />
          {w.onSite}
        </a>
      )}
      {mayEdit && page && (
        <a class="btn primary" href={`/s/${space.id}/p/${page.id}/edit`} aria-keyshortcuts="e">
          <Icon name="edit" />
          {w.edit}
          <span class="hide-m">
            <kbd>E</kbd>
          </span>
        </a>
      )}
    </>
  )
}

/** The ribbon of a past revision. It replaces the tabs, so that a past revision is not mistaken for the current one. */
function Past({ space, place, page }: { space: Space; place: Place; page: Page | undefined }) {
  const w = words().space
  const revisionId = place.revision ?? ''
  const revision = useData(`${keyOf(place)}/revision`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params: { path: { spaceId: space.id, revisionId } } }),
    ),
  ).value
  return (
    <Ribbon
      in="change"
      head={
        <>
          <span class="r-title">{space.title}</span>
          <Chip tone="wait" icon="clock">
            {revision ? fill(w.asOf, { time: inWords(revision.createdAt) }) : w.past}
          </Chip>
        </>
      }
      end={
        <>
          {page && (
            <a class="btn" href={`/s/${space.id}/p/${page.id}/history?to=${revisionId}`}>
              <Icon name="clock" />
              {w.tabs.history}
            </a>
          )}
          <a class="btn primary" href={page ? `/s/${space.id}/p/${page.id}` : `/s/${space.id}`}>
            <Icon name="arrow" />
            {w.toPresent}
          </a>
        </>
      }
    />
  )
}

interface TextProps {
  place: Place
  page: Page
  above: readonly Page[]
  hrefOf: (page: Page) => string
}

/** The text of a page, block by block. */
function PageText({ place, page, above, hrefOf }: TextProps) {
  const hasText = page.type === 'document' || page.type === 'computed'
  const rendered = useRendered(place, hasText ? page.id : null)
  const changes = useBlockChanges(place, page.type === 'document' ? page.id : null).value
  const history = `/s/${place.spaceId}/p/${page.id}/history`
  const { hash } = address.value
  useEffect(() => {
    if (rendered.value && hash !== '') document.getElementById(hash)?.scrollIntoView()
  }, [rendered.value !== undefined, hash])
  return (
    <>
      <BlockIcons />
      <Row>
        <PageHead page={page} above={above} />
      </Row>
      {page.type === 'link' && (
        <Row>
          <ExternalLink page={page} />
        </Row>
      )}
      {page.pages.length > 0 && !hasText && (
        <Row>
          <ul>
            {page.pages.map((one) => (
              <li key={one.id}>
                <a href={hrefOf(one)}>{one.title}</a>
              </li>
            ))}
          </ul>
        </Row>
      )}
      {hasText && (
        <Show data={rendered}>
          {(text) => {
            const blocks = belowTitle(page, text, changes ? marginOf(text.blocks, changes) : [])
            return blocks.length === 0 ? (
              <Row>
                <p class="muted">{words().space.noText}</p>
              </Row>
            ) : (
              blocks.map(([block, note]) => (
                <Block key={`${block.digest}-${block.occurrence}`} block={block} note={note} history={history} />
              ))
            )
          }}
        </Show>
      )}
    </>
  )
}

type RenderedBlock = Schemas['RenderedPage']['blocks'][number]

/** Returns the blocks with their notes, without the heading that repeats the title. */
function belowTitle(
  { title }: Page,
  { blocks, headings }: Schemas['RenderedPage'],
  notes: readonly (MarginNote | null)[],
): [RenderedBlock, MarginNote | null][] {
  const all = blocks.map((block, at): [RenderedBlock, MarginNote | null] => [block, notes[at] ?? null])
  return blocks[0]?.type === 'heading-1' && headings[0]?.text === title ? all.slice(1) : all
}

/** The address of a link in the table of contents. Addresses of this app open here. */
function ExternalLink({ page }: { page: Page }) {
  if (page.href === undefined) return <p class="muted">{words().space.noTarget}</p>
  return (
    <p>
      <a href={page.href}>{page.href}</a>
    </p>
  )
}

function PageHead({ page, above }: { page: Page; above: readonly Page[] }) {
  const w = words().space
  return (
    <>
      {above.length > 0 && (
        <nav aria-label={w.path} class="sm muted">
          {above.map(({ title }) => title).join(' › ')}
        </nav>
      )}
      <h1 dir="auto">{page.title}</h1>
      {page.description !== undefined && <p class="ink2">{page.description}</p>}
      {page.hidden && (
        <p>
          <Chip icon="eye">{w.hidden}</Chip>
        </p>
      )}
    </>
  )
}

/** One row of a document: margin, text, aside. */
const Row = ({ children }: { children: ComponentChildren }) => (
  <div class="blk">
    <div class="mg quiet" />
    <div class="tx">{children}</div>
    <div class="as" />
  </div>
)

const Block = ({ block, note, history }: { block: RenderedBlock; note: MarginNote | null; history: string }) => (
  <div class={`blk ${note?.isNewest ? 'chg' : ''}`} id={`b-${block.digest}-${block.occurrence}`}>
    <Margin note={note} history={history} />
    <div class="tx">
      <BlockHtml html={block.html} />
    </div>
    <div class="as" />
  </div>
)
