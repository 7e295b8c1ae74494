/** The side of a change request: the changed pages with their marks, other changes, and the links that break. */
import { address } from '../route.js'
import { Icon } from '../shell/icons.js'
import { closeSide } from '../shell/side.js'
import { plural } from '../words/index.js'
import {
  type Change,
  type ChangedPage,
  changedPages,
  hrefOf,
  useBrokenLinks,
  useChanges,
  useComments,
  type RequestView,
} from './request.js'
import { useViewed, viewOf } from './viewed.js'
import { reviewWords } from './words.js'

const MARKS = {
  new: { kind: 'n', sign: '+' },
  deleted: { kind: 'd', sign: '−' },
  edited: { kind: 'e', sign: '±' },
  moved: { kind: 'v', sign: null },
} as const

/** The mark of a changed page or file. */
function Mark({ mark }: { mark: ChangedPage['mark'] }) {
  const { kind, sign } = MARKS[mark]
  const name = reviewWords().side[mark]
  return (
    <span class={`mk ${kind}`} role="img" aria-label={name} title={name}>
      {sign ?? <Icon name="arrow" />}
    </span>
  )
}

/** Returns the selected page: the one in the address, or the first changed one. */
export const selectedPage = (pages: readonly ChangedPage[]): ChangedPage | undefined =>
  pages.find(({ id }) => id === address.value.query.get('page')) ?? pages[0]

/** Renders the side. `path` is the tab whose pages the links open. */
export function RequestSide({ view: { place }, path = '' }: { view: RequestView; path?: string }) {
  const w = reviewWords().side
  const changes = useChanges(place).value
  const comments = useComments(place).value?.items ?? []
  const marks = useViewed(place).value
  if (!changes) return null
  const pages = changedPages(changes.changes)
  const others = otherChanges(changes.changes)
  const isViewed = (id: string): boolean => viewOf(marks, id) === 'viewed'
  const viewed = pages.filter(({ id }) => isViewed(id)).length
  const current = selectedPage(pages)?.id
  const countOf = (id: string): number =>
    comments.filter(({ status, target }) => status === 'open' && target.page?.id === id).length
  return (
    <>
      <nav class="tree" aria-label={w.label}>
        <div class="nav-h" id="cp">
          {plural(w.pages, pages.length)}
          {viewed > 0 && <span class="muted">{w.viewed.replace('{count}', String(viewed))}</span>}
        </div>
        {pages.length === 0 && <p class="sm muted">{w.none}</p>}
        <ul class="t" aria-labelledby="cp">
          {pages.map((page) => {
            const open = countOf(page.id)
            return (
              <li key={page.id}>
                <a
                  href={hrefOf(place, `${path}?page=${encodeURIComponent(page.id)}`)}
                  aria-current={page.id === current ? 'page' : undefined}
                  onClick={closeSide}
                >
                  <Mark mark={page.mark} />
                  <span>{page.title}</span>
                  {open > 0 && (
                    <span class="count" title={plural(w.comments, open)}>
                      {open}
                    </span>
                  )}
                  {open === 0 && isViewed(page.id) && (
                    <>
                      <Icon name="eye" />
                      <span class="vh">{reviewWords().blocks.viewed}</span>
                    </>
                  )}
                </a>
              </li>
            )
          })}
        </ul>
        {others.length > 0 && (
          <>
            <div class="nav-h" id="cq">
              {w.also}
            </div>
            <Others changes={others} labelledBy="cq" />
          </>
        )}
        {changes.more !== undefined && <p class="sm muted">{plural(w.more, changes.more)}</p>}
      </nav>
      <Links view={{ place }} />
    </>
  )
}

/** The changes of files, variables and reusable content. */
export const otherChanges = (changes: readonly Change[]): Change[] => changes.filter((change) => !('page' in change))

export const Others = ({ changes, labelledBy }: { changes: readonly Change[]; labelledBy: string }) => (
  <ul class="t" aria-labelledby={labelledBy}>
    {changes.map((change) => (
      <Other key={JSON.stringify(change)} change={change} />
    ))}
  </ul>
)

function Other({ change }: { change: Change }) {
  const mark = change.type.endsWith('_created') ? 'new' : change.type.endsWith('_deleted') ? 'deleted' : 'edited'
  return (
    <li>
      <div class="row sm t-row">
        <Mark mark={mark} />
        <span>
          {'file' in change
            ? change.file.path
            : 'variables' in change
              ? plural(reviewWords().side.variables, Object.keys(change.variables).length)
              : 'reusableContent' in change && change.reusableContent.title}
        </span>
      </div>
    </li>
  )
}

function Links({ view: { place } }: { view: Pick<RequestView, 'place'> }) {
  const w = reviewWords().brief
  const links = useBrokenLinks(place).value
  if (!links) return null
  const broken = links.items.filter(({ brokenByChangeRequest }) => brokenByChangeRequest === true)
  return (
    <>
      <div class="nav-h">{w.links}</div>
      {broken.length === 0 ? (
        <p class="sm ink2 row">
          <Icon name="check" />
          <span>{w.noBroken}</span>
        </p>
      ) : (
        <ul class="t stack s sm">
          {broken.map(({ target, problem, locationReferences: [from] }) => (
            <li key={target + JSON.stringify(from)} class="row" title={problem}>
              <Icon name="broken" />
              <span class="grow">
                <code>{target}</code>
                {from && 'page' in from && from.page && ` · ${from.page.title}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
