/** The roles on a space, a collection or a site with their reasons, and the forms that give and take them. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { Chip, Show } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'
import { FormError, Pick, Submit, useForm } from './form.js'
import { ListEnd, OpeningRow, usePages } from './lists.js'
import { useMembers, useNames, useTeams } from './names.js'
import { type Site, sitePath } from './site.js'
import { contentRoles, Reasons, type Role, roleName } from './roles.js'
import { adminWords } from './words.js'

type Entry = Schemas['AggregatedContentPermission']
type Query = { limit: number; page?: string }

/** A space, a collection or a site with its roles. */
interface Content {
  /** The key of the loaded list. */
  key: string
  organization: string
  mayChange: boolean
  list(query: Query): Promise<Schemas['AggregatedContentPermissionList']>
  give(role: Role, to: { users?: string[]; teams?: string[] }): Promise<unknown>
  takeFromUser(userId: string): Promise<unknown>
  takeFromTeam(teamId: string): Promise<unknown>
}

/** The members of a space. */
export function SpaceMembers({ space: { id: spaceId, organization, permissions } }: { space: Schemas['Space'] }) {
  const at = '/v1/spaces/{spaceId}/permissions' as const
  const path = { spaceId }
  return (
    <Members
      of={{
        key: `space/${spaceId}/members`,
        organization,
        mayChange: permissions.admin,
        list: (query) => body(api.GET(`${at}/aggregate`, { params: { path, query } })),
        give: (role, to) => body(api.POST(at, { params: { path }, body: { role, ...to } })),
        takeFromUser: (userId) => body(api.DELETE(`${at}/users/{userId}`, { params: { path: { ...path, userId } } })),
        takeFromTeam: (teamId) => body(api.DELETE(`${at}/teams/{teamId}`, { params: { path: { ...path, teamId } } })),
      }}
    />
  )
}

/** The members of a site. */
export function SiteMembers({ site }: { site: Site }) {
  const at = '/v1/orgs/{organizationId}/sites/{siteId}/permissions' as const
  const path = sitePath(site)
  return (
    <Members
      of={{
        key: `sites/${site.id}/members`,
        organization: site.organization,
        mayChange: site.permissions.admin,
        list: (query) => body(api.GET(`${at}/aggregate`, { params: { path, query } })),
        give: (role, to) => body(api.POST(at, { params: { path }, body: { role, ...to } })),
        takeFromUser: (userId) => body(api.DELETE(`${at}/users/{userId}`, { params: { path: { ...path, userId } } })),
        takeFromTeam: (teamId) => body(api.DELETE(`${at}/teams/{teamId}`, { params: { path: { ...path, teamId } } })),
      }}
    />
  )
}

/** The members of a collection. Their roles hold for everything in it. */
export function CollectionMembers({ collection }: { collection: Schemas['Collection'] }) {
  const at = '/v1/collections/{collectionId}/permissions' as const
  const path = { collectionId: collection.id }
  return (
    <Members
      of={{
        key: `collections/${collection.id}/members`,
        organization: collection.organization,
        mayChange: collection.permissions.admin,
        list: (query) => body(api.GET(`${at}/aggregate`, { params: { path, query } })),
        give: (role, to) => body(api.POST(at, { params: { path }, body: { role, ...to } })),
        takeFromUser: (userId) => body(api.DELETE(`${at}/users/{userId}`, { params: { path: { ...path, userId } } })),
        takeFromTeam: (teamId) => body(api.DELETE(`${at}/teams/{teamId}`, { params: { path: { ...path, teamId } } })),
      }}
    />
  )
}

/** Draws the list, and the form that gives a role. */
function Members({ of }: { of: Content }) {
  const w = adminWords().space
  const { key } = of
  const names = useNames(of.organization)
  const list = usePages<Entry>(key, (query) => of.list(query))
  const takeBack = (entry: Entry, role: Role) =>
    attempt(async () => {
      await of.takeFromUser(entry.user.id)
      await reload(key)
      toast(fill(w.tookBack, { name: entry.user.displayName }), {
        undo: async () => {
          await of.give(role, { users: [entry.user.id] })
          await reload(key)
        },
      })
    })
  const takeBackTeam = (teamId: string, role: Role) =>
    attempt(async () => {
      await of.takeFromTeam(teamId)
      await reload(key)
      toast(fill(w.tookBack, { name: names.teams.get(teamId) ?? '' }), {
        undo: async () => {
          await of.give(role, { teams: [teamId] })
          await reload(key)
        },
      })
    })
  const button = (run: () => void) => (
    <button type="button" class="btn small quiet" onClick={run}>
      {adminWords().members.remove}
    </button>
  )
  return (
    <>
      {of.mayChange && <GiveRole of={of} done={() => reload(key)} />}
      <Show data={list.data} retry={() => void list.again()}>
        {({ items }) => (
          <>
            <div class="panel">
              <table class="tbl cards">
                <thead>
                  <tr>
                    <th>{adminWords().members.member}</th>
                    <th>{w.role}</th>
                    <th>
                      <span class="vh">{w.why}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((entry) => (
                    <OpeningRow
                      key={entry.user.id}
                      id={entry.user.id}
                      name="member"
                      label={fill(adminWords().members.accessOf, { name: entry.user.displayName })}
                      span={3}
                      cells={
                        <>
                          <td>
                            <span class="who">
                              <Avatar name={entry.user.displayName} />
                              <span>
                                <b>{entry.user.displayName}</b> <span class="muted sm">{entry.user.email}</span>
                              </span>
                            </span>
                          </td>
                          <td>
                            <Chip icon="key">{roleName(entry.permission)}</Chip>
                          </td>
                        </>
                      }
                    >
                      {() => (
                        <Reasons
                          sources={entry.sources}
                          permission={entry.permission}
                          names={names}
                          action={({ type, collection, permission, team }) => {
                            if (collection !== undefined || !of.mayChange) return null
                            if (type === 'user') return button(() => void takeBack(entry, permission))
                            return type === 'team' && team !== undefined
                              ? button(() => void takeBackTeam(team, permission))
                              : null
                          }}
                        />
                      )}
                    </OpeningRow>
                  ))}
                </tbody>
              </table>
            </div>
            <ListEnd of={list} />
          </>
        )}
      </Show>
    </>
  )
}

function GiveRole({ of, done }: { of: Content; done: () => Promise<void> }) {
  const w = adminWords().space
  const members = useMembers(of.organization) ?? []
  const teams = useTeams(of.organization) ?? []
  const [to, setTo] = useState('')
  const [role, setRole] = useState<Role>('edit')
  const form = useForm(async () => {
    const [kind, id = ''] = to.split(':')
    await of.give(role, kind === 'team' ? { teams: [id] } : { users: [id] })
    await done()
    setTo('')
  })
  return (
    <form class="stack s" onSubmit={form.submit}>
      <div class="row wrap">
        <Pick
          label={w.giveTo}
          value={to}
          of={[
            ['', w.giveTo],
            ...teams.map(({ id, title }) => [`team:${id}`, fill(w.teamName, { team: title })] as const),
            ...members.map(({ id, user }) => [`user:${id}`, user.displayName] as const),
          ]}
          onChange={setTo}
        />
        <Pick label={w.role} value={role} of={contentRoles()} onChange={setRole} />
        {to !== '' && (
          <Submit form={form} small>
            {w.give}
          </Submit>
        )}
      </div>
      <FormError form={form} />
    </form>
  )
}
