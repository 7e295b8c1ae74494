/** The newest revisions of the spaces that changed last. */
import { api, body, type Schemas } from '../api/client.js'
import { useData } from '../api/data.js'
import { Show } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { words } from '../words/index.js'

const SHOWN_SPACES = 6
const LISTED = 1000

/** Loads the newest revision of the spaces that changed last. */
async function loadRecent() {
  const { items: organizations } = await body(api.GET('/v1/orgs', {}))
  const spaces = await Promise.all(
    organizations.map(({ id }) =>
      body(
        api.GET('/v1/orgs/{organizationId}/spaces', {
          params: { path: { organizationId: id }, query: { limit: LISTED } },
        }),
      ),
    ),
  )
  const newest = spaces
    .flatMap(({ items }) => items)
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
    .slice(0, SHOWN_SPACES)
  const found = await Promise.all(
    newest.map(async (space) => {
      const path = { spaceId: space.id }
      const { items } = await body(api.GET('/v1/spaces/{spaceId}/revisions', { params: { path, query: { limit: 1 } } }))
      return items.map((revision) => ({ space, revision }))
    }),
  )
  return found.flat().toSorted((a, b) => (a.revision.createdAt < b.revision.createdAt ? 1 : -1))
}

const subjectOf = ({ git, mergedFrom }: Schemas['RevisionSummary']): string =>
  mergedFrom?.subject || (git.message.split('\n')[0] ?? '')

export function Recent() {
  const w = words().home
  const recent = useData('home-recent', loadRecent)
  if (recent.value?.length === 0) return null
  return (
    <section class="stack s">
      <h2 class="h">{w.recent}</h2>
      <Show data={recent} lines={4}>
        {(items) => (
          <ol class="hist t">
            {items.map(({ space, revision }) => (
              <li key={revision.id}>
                <a href={`/s/${space.id}/history?to=${revision.id}`}>
                  <b>{subjectOf(revision)}</b>
                  <small>
                    {space.title} · {revision.author.displayName} · <Time iso={revision.createdAt} />
                  </small>
                </a>
              </li>
            ))}
          </ol>
        )}
      </Show>
    </section>
  )
}
