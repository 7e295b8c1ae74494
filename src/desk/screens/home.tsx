/** Home: items that wait for the user, spaces by collection with their state, sites, and recent revisions. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { useData } from '../api/data.js'
import { session } from '../api/session.js'
import type { Parameters } from '../screen.js'
import { Frame, Waiting } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Empty, Nothing, Show } from '../shell/notes.js'
import type { Crumb } from '../shell/top.js'
import { fill, words } from '../words/index.js'
import { Recent } from './home-recent.js'
import { type Problems, SpaceTable } from './home-spaces.js'
import { useWaiting, WaitingList } from './home-waiting.js'

type Organization = Pick<Schemas['Organization'], 'id' | 'title' | 'permissions'>
type Space = Schemas['Space']

/** The spaces, collections and sites of an organization. */
interface Shelf {
  organization: Organization
  spaces: Space[]
  collections: Schemas['Collection'][]
  sites: Schemas['Site'][]
}

const ALL = { limit: 1000 }

async function loadShelf(organization: Organization): Promise<Shelf> {
  const params = { path: { organizationId: organization.id }, query: ALL }
  const [spaces, collections, sites] = await Promise.all([
    body(api.GET('/v1/orgs/{organizationId}/spaces', { params })),
    body(api.GET('/v1/orgs/{organizationId}/collections', { params })),
    body(api.GET('/v1/orgs/{organizationId}/sites', { params })),
  ])
  return { organization, spaces: spaces.items, collections: collections.items, sites: sites.items }
}

const loadAll = async (): Promise<Shelf[]> =>
  Promise.all((await body(api.GET('/v1/orgs', {}))).items.map((organization) => loadShelf(organization)))

const loadOne = async (organizationId: string): Promise<Shelf[]> => [
  await loadShelf(await body(api.GET('/v1/orgs/{organizationId}', { params: { path: { organizationId } } }))),
]

const greeting = (): 'morning' | 'afternoon' | 'evening' => {
  const hour = new Date().getHours()
  return hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening'
}

/** The screen of all organizations. */
export function Home() {
  const w = words().home
  const shelves = useData('home/all', loadAll)
  const isEmpty = shelves.value?.every(({ spaces }) => spaces.length === 0) === true
  const mayCreate = shelves.value?.some(({ organization }) => organization.permissions.createContent) === true
  return (
    <Page
      title={w.screen}
      heading={fill(w[greeting()], { name: session.value?.user.displayName ?? '' })}
      mayCreate={mayCreate}
      waits={!isEmpty}
    >
      {(problems) => (
        <Show data={shelves}>
          {(all) =>
            isEmpty ? (
              <NoSpaces mayCreate={mayCreate} />
            ) : (
              all.map((shelf) => (
                <ShelfView key={shelf.organization.id} {...{ shelf, problems }} isNamed={all.length > 1} />
              ))
            )
          }
        </Show>
      )}
    </Page>
  )
}

/** The screen of one organization. */
export function OrganizationHome({ organization = '' }: Parameters) {
  const shelves = useData(`home/${organization}`, () => loadOne(organization))
  const shelf = shelves.value?.[0]
  if (!shelf && shelves.value)
    return (
      <Frame title={words().home.screen}>
        <Nothing />
      </Frame>
    )
  if (!shelf) return <Waiting title={words().home.screen} data={[shelves]} />
  const { title, id, permissions } = shelf.organization
  return (
    <Page
      title={title}
      heading={title}
      crumbs={[{ title, href: `/o/${id}` }]}
      mayCreate={permissions.createContent}
      waits
      action={
        permissions.admin && (
          <a class="btn" href={`/o/${id}/settings/members`}>
            <Icon name="gear" />
            {words().common.organizationSettings}
          </a>
        )
      }
    >
      {(problems) =>
        shelf.spaces.length === 0 ? (
          <NoSpaces mayCreate={permissions.createContent} />
        ) : (
          <ShelfView {...{ shelf, problems }} />
        )
      }
    </Page>
  )
}

/** The screen of one collection. */
export function CollectionHome({ collection: collectionId = '' }: Parameters) {
  const collection = useData(`collection/${collectionId}`, () =>
    body(api.GET('/v1/collections/{collectionId}', { params: { path: { collectionId } } })),
  )
  const organizationId = collection.value?.organization
  const shelves = useData(organizationId === undefined ? null : `home/${organizationId}`, () =>
    loadOne(organizationId ?? ''),
  )
  const shelf = shelves.value?.[0]
  if (!collection.value || !shelf) return <Waiting title={words().home.screen} data={[shelves, collection]} />
  const { title, description, id } = collection.value
  const mayCreate = shelf.organization.permissions.createContent
  const below = new Set([id])
  // A collection is listed before those within it.
  for (const one of shelf.collections) if (one.parent !== undefined && below.has(one.parent)) below.add(one.id)
  const inside = {
    ...shelf,
    spaces: shelf.spaces.filter(({ parent }) => parent !== undefined && below.has(parent)),
    sites: [],
  }
  const crumbs = [
    { title: shelf.organization.title, href: `/o/${shelf.organization.id}` },
    { title, href: `/collections/${id}` },
  ]
  return (
    <Page
      title={title}
      heading={title}
      crumbs={crumbs}
      mayCreate={mayCreate}
      {...(description === undefined ? {} : { lead: description })}
    >
      {(problems) =>
        inside.spaces.length === 0 ? (
          <NoSpaces mayCreate={mayCreate} />
        ) : (
          <ShelfView shelf={inside} problems={problems} />
        )
      }
    </Page>
  )
}

interface PageProps {
  title: string
  heading: string
  lead?: string
  crumbs?: readonly Crumb[]
  /** Whether the user may create spaces here. */
  mayCreate: boolean
  /** Whether to show the items that wait for the user. */
  waits?: boolean
  action?: ComponentChildren
  children: (problems: Problems) => ComponentChildren
}

function Page({ title, heading, lead, crumbs = [], mayCreate, waits = false, action, children }: PageProps) {
  const w = words().home
  const waiting = useWaiting()
  const failing = (waiting.value?.items ?? []).flatMap(({ type, space }) =>
    type === 'conflict' || type === 'sync_failed' ? [[space.id, type] as const] : [],
  )
  return (
    <Frame title={title} crumbs={crumbs} main="">
      <div class="home">
        <div class="stack l">
          <div class="head">
            <h1 class="title grow">{heading}</h1>
            {action}
            {mayCreate && (
              <a class="btn" href="/new">
                <Icon name="plus" />
                {w.newSpace}
              </a>
            )}
          </div>
          {lead !== undefined && <p class="ink2">{lead}</p>}
          {waits && <WaitingList waiting={waiting} />}
          {children(new Map(failing))}
        </div>
        <aside class="stack l" aria-label={w.recent}>
          <Recent />
        </aside>
      </div>
    </Frame>
  )
}

const NoSpaces = ({ mayCreate }: { mayCreate: boolean }) => {
  const w = words().home
  return (
    <div class="panel">
      <Empty
        icon="book"
        title={w.noSpaces}
        action={
          mayCreate && (
            <div class="acts">
              <a class="btn primary" href="/new">
                {w.bring}
              </a>
            </div>
          )
        }
      >
        {mayCreate ? w.noSpacesLead : w.noSpacesSeen}
      </Empty>
    </div>
  )
}

/** The spaces and sites of an organization. */
function ShelfView({ shelf, problems, isNamed = false }: { shelf: Shelf; problems: Problems; isNamed?: boolean }) {
  const w = words().home
  const [isFlat, setFlat] = useState(false)
  const { organization, sites } = shelf
  const heading = isNamed ? organization.title : w.spaces
  if (shelf.spaces.length === 0 && sites.length === 0) return null
  return (
    <>
      <section aria-label={heading} class="stack">
        <div class="row">
          <h2 class="h grow">{isNamed ? <a href={`/o/${organization.id}`}>{heading}</a> : heading}</h2>
          {/* biome-ignore lint/a11y/useSemanticElements: a row of switches is no set of fields. */}
          <div class="seg" role="group" aria-label={w.show}>
            <button type="button" aria-pressed={!isFlat} onClick={() => setFlat(false)}>
              {w.byCollection}
            </button>
            <button type="button" aria-pressed={isFlat} onClick={() => setFlat(true)}>
              {w.aToZ}
            </button>
          </div>
        </div>
        <SpaceTable {...shelf} problems={problems} isFlat={isFlat} />
      </section>
      {sites.length > 0 && <Sites sites={sites} />}
    </>
  )
}

function Sites({ sites }: { sites: readonly Schemas['Site'][] }) {
  const w = words().home
  return (
    <section aria-label={w.sites} class="stack s">
      <h2 class="h">{w.sites}</h2>
      <ul class="list t panel">
        {sites.map((site) => (
          <li key={site.id}>
            <Icon name="globe" />
            <div class="grow">
              <a class="t" href={`/sites/${site.id}/structure`}>
                {site.title}
              </a>
              <div class="d">{site.urls.published?.replace(/^https?:\/\//, '') ?? w.notPublished}</div>
            </div>
            {site.published && (
              <span class="chip good">
                <Icon name="check" />
                {w.published}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
