/** The information about an open page: outline, history, pages that link to it, open change requests. */
import type { ComponentChildren } from 'preact'
import { api, body, type Schemas } from '../api/client.js'
import { type Loaded, useData } from '../api/data.js'
import { Icon } from '../shell/icons.js'
import { Failed } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { keyOf, type Page, type Place, type Space, useRendered } from '../space/space.js'
import { fill, plural, words } from '../words/index.js'

interface FactsProps {
  space: Space
  place: Place
  page: Page
}

/** The rail. */
export const PageFacts = (props: FactsProps) => (
  <>
    <Outline {...props} />
    <RecentHistory {...props} />
    <Backlinks {...props} />
    {props.place.revision === undefined && <OpenRequests {...props} />}
  </>
)

const Section = ({
  title,
  more,
  children,
}: {
  title: string
  more?: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="stack s">
    <div class="row">
      <h2 class="h grow">{title}</h2>
      {more}
    </div>
    {children}
  </section>
)

/** Renders loaded data, or its error. Nothing is shown while it is loading, because it comes after the text. */
function Late<T>({ data, children }: { data: Loaded<T>; children: (value: T) => ComponentChildren }) {
  if (data.value !== undefined) return <>{children(data.value)}</>
  return data.error ? <Failed error={data.error} /> : null
}

const MAX_OUTLINE_LEVEL = 3

function Outline({ place, page }: FactsProps) {
  const w = words().space
  const all = useRendered(place, page.id).value?.headings ?? []
  const headings = all.filter(({ level, text }, at) => level <= MAX_OUTLINE_LEVEL && !(at === 0 && text === page.title))
  if (headings.length === 0) return null
  const top = Math.min(...headings.map(({ level }) => level))
  return (
    <Section title={w.outline}>
      <nav class="tree" aria-label={w.outline}>
        <ul class="t">
          {headings.map(({ id, level, text }) => (
            <li key={id}>
              <a class={`d${level - top}`} href={`#${encodeURIComponent(id)}`}>
                <span>{text}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </Section>
  )
}

const SHOWN_REVISIONS = 5

function RecentHistory({ space, place, page }: FactsProps) {
  const w = words().space
  const at = `/s/${space.id}/p/${page.id}/history`
  const revisions = useData(`space/${space.id}/history/${page.id}`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/revisions', {
        params: { path: { spaceId: space.id }, query: { pageId: page.id, limit: SHOWN_REVISIONS } },
      }),
    ),
  )
  return (
    <Late data={revisions}>
      {({ items }) =>
        items.length > 0 && (
          <Section
            title={w.tabs.history}
            more={
              <a class="sm" href={at} aria-keyshortcuts="h">
                {w.compare} <kbd>H</kbd>
              </a>
            }
          >
            <ol class="hist t">
              {items.map((one) => (
                <li key={one.id}>
                  <a
                    href={`/s/${space.id}/p/${page.id}?at=${one.id}`}
                    aria-current={one.id === place.revision ? 'true' : undefined}
                  >
                    <b>{subjectOf(one)}</b>
                    <small>
                      {one.author.displayName} · <Time iso={one.createdAt} />
                    </small>
                  </a>
                </li>
              ))}
            </ol>
          </Section>
        )
      }
    </Late>
  )
}

/** Returns the first line of a revision's message, or the subject of the change request that it merged. */
function subjectOf({ git, mergedFrom }: Schemas['RevisionSummary']): string {
  if (mergedFrom) return fill(words().space.mergedFrom, { number: mergedFrom.number, subject: mergedFrom.subject })
  return git.message.split('\n')[0] ?? ''
}

const SHOWN_BACKLINKS = 20

function Backlinks({ place, page }: FactsProps) {
  const w = words().space
  const backlinks = useData(`${keyOf(place)}/backlinks/${page.id}`, () => loadBacklinks(place, page.id))
  return (
    <Late data={backlinks}>
      {({ items, count }) =>
        count > 0 && (
          <Section title={plural(w.backlinks, count)}>
            <nav class="tree" aria-label={w.backlinksLabel}>
              <ul class="t">
                {items.map(
                  (one) =>
                    one.kind === 'page' && (
                      <li key={one.page.id}>
                        <a href={`/s/${one.space.id}/p/${one.page.id}`}>
                          <Icon name="page" />
                          <span>{one.page.title}</span>
                        </a>
                      </li>
                    ),
                )}
              </ul>
            </nav>
          </Section>
        )
      }
    </Late>
  )
}

function loadBacklinks({ spaceId, revision }: Place, pageId: string) {
  const query = { limit: SHOWN_BACKLINKS }
  return body(
    revision === undefined
      ? api.GET('/v1/spaces/{spaceId}/content/page/{pageId}/backlinks', {
          params: { path: { spaceId, pageId }, query },
        })
      : api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/backlinks', {
          params: { path: { spaceId, revisionId: revision, pageId }, query },
        }),
  )
}

/** Maximum number of open change requests that are checked for changes to the page. */
const ASKED_REQUESTS = 10

async function loadTouching(spaceId: string, pageId: string) {
  const { items } = await body(
    api.GET('/v1/spaces/{spaceId}/change-requests', {
      params: { path: { spaceId }, query: { limit: ASKED_REQUESTS } },
    }),
  )
  const touching = await Promise.all(
    items.map(async (request) => {
      const path = { spaceId, changeRequestId: request.id }
      const { changes } = await body(
        api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes', {
          params: { path, query: { pageId, limit: 1 } },
        }),
      )
      return changes.length > 0 ? [request] : []
    }),
  )
  return touching.flat()
}

function OpenRequests({ space, page }: FactsProps) {
  const w = words().space
  const touching = useData(`space/${space.id}/main/touching/${page.id}`, () => loadTouching(space.id, page.id))
  return (
    <Late data={touching}>
      {(requests) =>
        requests.length > 0 && (
          <Section title={w.inRequests}>
            {requests.map((one) => (
              <p class="sm" key={one.id}>
                <a href={`/s/${space.id}/c/${one.number}?page=${page.id}`}>
                  {fill(w.request, { number: one.number, subject: one.subject || w.noSubject })}
                </a>
                <br />
                <span class="muted">{one.createdBy.displayName}</span>
              </p>
            ))}
          </Section>
        )
      }
    </Late>
  )
}
