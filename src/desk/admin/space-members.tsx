/** The roles on a space with their sources, and the forms that grant and revoke them. */
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
import { contentRoles, Reasons, type Role, roleName } from './roles.js'
import { adminWords } from './words.js'

type Space = Schemas['Space']
type Entry = Schemas['AggregatedContentPermission']

/** Renders the list, and the form that grants a role. */
export function SpaceMembers({ space }: { space: Space }) {
  const w = adminWords().space
  const key = `space/${space.id}/members`
  const names = useNames(space.organization)
  const list = usePages<Entry>(key, (query) =>
    body(api.GET('/v1/spaces/{spaceId}/permissions/aggregate', { params: { path: { spaceId: space.id }, query } })),
  )
  const takeBack = (entry: Entry, role: Role) =>
    attempt(async () => {
      const params = { path: { spaceId: space.id, userId: entry.user.id } }
      await body(api.DELETE('/v1/spaces/{spaceId}/permissions/users/{userId}', { params }))
      await reload(key)
      toast(fill(w.tookBack, { name: entry.user.displayName }), {
        undo: async () => {
          await give(space, role, { users: [entry.user.id] })
          await reload(key)
        },
      })
    })
  const takeBackTeam = (teamId: string, role: Role) =>
    attempt(async () => {
      const params = { path: { spaceId: space.id, teamId } }
      await body(api.DELETE('/v1/spaces/{spaceId}/permissions/teams/{teamId}', { params }))
      await reload(key)
      toast(fill(w.tookBack, { name: names.teams.get(teamId) ?? '' }), {
        undo: async () => {
          await give(space, role, { teams: [teamId] })
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
      <GiveRole space={space} done={() => reload(key)} />
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
                            if (collection !== undefined || !space.permissions.admin) return null
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

async function give(space: Space, role: Role, to: { users?: string[]; teams?: string[] }): Promise<void> {
  const input = { role, ...to }
  await body(api.POST('/v1/spaces/{spaceId}/permissions', { params: { path: { spaceId: space.id } }, body: input }))
}

function GiveRole({ space, done }: { space: Space; done: () => Promise<void> }) {
  const w = adminWords().space
  const members = useMembers(space.organization) ?? []
  const teams = useTeams(space.organization) ?? []
  const [to, setTo] = useState('')
  const [role, setRole] = useState<Role>('edit')
  const form = useForm(async () => {
    const [kind, id = ''] = to.split(':')
    await give(space, role, kind === 'team' ? { teams: [id] } : { users: [id] })
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
