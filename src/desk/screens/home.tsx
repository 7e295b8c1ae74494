/** Home: the spaces of the user's organizations. */
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { session } from '../api/session.js'
import { Frame } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { fill, words } from '../words/index.js'

async function loadSpaces() {
  const { items: organizations } = await body(api.GET('/v1/orgs', {}))
  return Promise.all(
    organizations.map(async (organization) => ({
      organization,
      spaces: (
        await body(
          api.GET('/v1/orgs/{organizationId}/spaces', {
            params: { path: { organizationId: organization.id }, query: { limit: 1000 } },
          }),
        )
      ).items,
    })),
  )
}

const greeting = (): 'morning' | 'afternoon' | 'evening' => {
  const hour = new Date().getHours()
  return hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening'
}

/** The screen. */
export function Home() {
  const w = words().home
  const spaces = useData('home/spaces', loadSpaces)
  return (
    <Frame title={w.screen}>
      <div class="wide stack l">
        <div class="head">
          <h1 class="title grow">{fill(w[greeting()], { name: session.value?.user.displayName ?? '' })}</h1>
          <a class="btn" href="/new">
            <Icon name="plus" />
            {w.newSpace}
          </a>
        </div>
        <Show data={spaces}>
          {(organizations) =>
            organizations.every(({ spaces: all }) => all.length === 0) ? (
              <Empty icon="book" title={w.noSpaces}>
                {w.noSpacesLead}
              </Empty>
            ) : (
              organizations.map(({ organization, spaces: all }) => (
                <section class="stack s" key={organization.id}>
                  <h2 class="h">{organization.title}</h2>
                  <ul class="list t panel">
                    {all.map((space) => (
                      <li key={space.id}>
                        <Icon name="book" />
                        <div class="grow">
                          <a class="t" href={`/s/${space.id}`}>
                            {space.title}
                          </a>
                        </div>
                      </li>
                    ))}
                  </ul>
                </section>
              ))
            )
          }
        </Show>
      </div>
    </Frame>
  )
}
