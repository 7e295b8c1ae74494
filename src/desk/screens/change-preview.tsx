/** Links to previews: the sites that show the space, as they would look after the merge. */
import type { RequestView } from '../review/request.js'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { RequestFrame } from '../review/request-frame.js'
import { reviewWords } from '../review/words.js'
import { Icon } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'

/** The screen, for `/s/:space/c/:number/preview`. */
export const ChangePreview = ({ space, number }: Readonly<Record<string, string>>) => (
  <RequestFrame space={space} number={number} tab="preview" main="pad">
    {(view) => <Sites view={view} />}
  </RequestFrame>
)

/** Maximum number of sites that are checked for the space. */
const MAX_SITES = 50

/** Loads the sites that show a space, and that the caller may see. */
async function loadSites(organizationId: string, spaceId: string) {
  const { items } = await body(
    api.GET('/v1/orgs/{organizationId}/sites', {
      params: { path: { organizationId }, query: { limit: MAX_SITES } },
    }),
  )
  const shown = await Promise.all(
    items.map(async (site) => {
      const { items: spaces } = await body(
        api.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
          params: { path: { organizationId, siteId: site.id }, query: { limit: 1000 } },
        }),
      )
      return spaces.some(({ space }) => space.id === spaceId) ? [site] : []
    }),
  )
  return shown.flat()
}

function Sites({ view: { space, request } }: { view: RequestView }) {
  const w = reviewWords().preview
  const sites = useData(`space/${space.id}/sites`, () => loadSites(space.organization, space.id))
  return (
    <div class="wide stack">
      <h2 class="title">{w.title}</h2>
      <p class="muted">{w.lead}</p>
      <Show data={sites}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="globe" title={w.none}>
              {w.noneLead}
            </Empty>
          ) : (
            <ul class="list t panel">
              {found.map((site) => (
                <li key={site.id}>
                  <Icon name="globe" />
                  <div class="grow">
                    <span class="t">{site.title}</span>
                  </div>
                  <a
                    class="btn"
                    href={`${site.urls.preview.replace(/\/$/, '')}/~changes/${request.id}`}
                    target="_blank"
                    rel="noopener"
                  >
                    <Icon name="sign-out" />
                    {w.open}
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </div>
  )
}
