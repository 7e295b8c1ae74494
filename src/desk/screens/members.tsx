/** The members of an organization, with their roles and the sources of their access. */
import { useState } from 'preact/hooks'
import { InvitePeople } from '../admin/invite-people.js'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { session } from '../api/session.js'
import { Options, Pick } from '../admin/form.js'
import { Filter, ListEnd, OpeningRow, parameter, usePages } from '../admin/lists.js'
import { useNames } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { isRole, Reasons, type Role, roleChoices, roleName, roleOf } from '../admin/roles.js'
import { adminWords } from '../admin/words.js'
import { setQuery } from '../route.js'
import { Icon } from '../shell/icons.js'
import { Chip, Show } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

type Member = Schemas['Member']

export function Members({ org = '' }: { org?: string }) {
  const w = adminWords().members
  const [isInviting, setInviting] = useState(false)
  return (
    <OrganizationFrame
      id={org}
      part="members"
      end={({ permissions }) =>
        permissions.admin && (
          <button type="button" class="btn primary" onClick={() => setInviting(true)}>
            <Icon name="mail" />
            {w.invite}
          </button>
        )
      }
      tools={
        <>
          <Filter label={w.find} placeholder={w.findHint} />
          <Pick
            label={w.roleFilter}
            value={parameter('role')}
            of={[['', w.allRoles], ...roleChoices({ guest: true })]}
            onChange={(role) => setQuery({ role: role === '' ? null : role })}
          />
        </>
      }
    >
      {(organization) => (
        <>
          <MemberTable organization={organization} />
          {isInviting && <InvitePeople organization={organization} onClose={() => setInviting(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

function MemberTable({ organization }: { organization: Organization }) {
  const w = adminWords().members
  const search = parameter('q')
  const role = parameter('role')
  const list = usePages<Member>(`orgs/${organization.id}/members?${search}&${role}`, ({ limit, page }) =>
    body(
      api.GET('/v1/orgs/{organizationId}/members', {
        params: {
          path: { organizationId: organization.id },
          query: {
            limit,
            ...(page === undefined ? {} : { page }),
            ...(search === '' ? {} : { search }),
            ...(isRole(role) ? { role } : {}),
          },
        },
      }),
    ),
  )
  return (
    <Show data={list.data} retry={() => void list.again()}>
      {({ items }) => (
        <>
          {items.length === 0 ? (
            <p class="muted">{w.none}</p>
          ) : (
            <div class="panel">
              <table class="tbl cards">
                <thead>
                  <tr>
                    <th>{w.member}</th>
                    <th>{w.role}</th>
                    <th class="hide-m">{w.signsIn}</th>
                    <th class="hide-s">{w.seen}</th>
                    <th class="num hide-m">{w.spaces}</th>
                    <th>
                      <span class="vh">{w.access}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((member) => (
                    <MemberRow key={member.id} organization={organization} member={member} />
                  ))}
                </tbody>
              </table>
            </div>
          )}
          <ListEnd of={list}>
            {organization.permissions.admin && (
              <a href={`/o/${organization.id}/settings/invitations`}>{w.toInvitations}</a>
            )}
          </ListEnd>
        </>
      )}
    </Show>
  )
}

const byMember = (organization: Organization, member: Member) => ({
  params: { path: { organizationId: organization.id, userId: member.id } },
})

/** Changes a member, and offers to undo it. */
async function change(organization: Organization, member: Member, to: { role?: Role | null; disabled?: boolean }) {
  const w = adminWords().members
  const send = (values: typeof to) =>
    body(
      api.PATCH('/v1/orgs/{organizationId}/members/{userId}', { ...byMember(organization, member), body: values }),
    ).finally(() => Promise.all([reload(`orgs/${organization.id}/members`), reload('reasons/')]))
  const name = member.user.displayName
  const done = await attempt(() => send(to))
  if (!done) return
  const before = to.role === undefined ? { disabled: member.disabled } : { role: member.role }
  const text =
    to.role === undefined
      ? fill(to.disabled ? w.disabledDone : w.enabledDone, { name })
      : fill(w.roleDone, { name, role: roleName(to.role) })
  toast(text, { undo: async () => void (await send(before)) })
}

function MemberRow({ organization, member }: { organization: Organization; member: Member }) {
  const w = adminWords().members
  const { user } = member
  const mayChange = organization.permissions.admin && user.id !== session.value?.user.id
  return (
    <OpeningRow
      id={member.id}
      label={fill(w.accessOf, { name: user.displayName })}
      span={6}
      cells={
        <>
          <td>
            <span class="who">
              <Avatar name={user.displayName} />
              <span>
                <b>{user.displayName}</b> <br class="only-s" />
                <span class="muted sm">{user.email}</span>{' '}
                {member.disabled && (
                  <Chip tone="wait" icon="lock">
                    {w.disabled}
                  </Chip>
                )}
              </span>
            </span>
          </td>
          <td>
            {mayChange ? (
              <Pick
                label={fill(w.roleOf, { name: user.displayName })}
                value={member.role ?? 'guest'}
                of={roleChoices({ guest: true })}
                onChange={(role) => change(organization, member, { role: roleOf(role) })}
              />
            ) : (
              roleName(member.role)
            )}
          </td>
          <td class="hide-m">
            {member.sso ? <Chip icon="shield">{w.bySso}</Chip> : <Chip icon="mail">{w.byMail}</Chip>}
          </td>
          <td class="hide-s muted">{member.lastSeenAt ? <Time iso={member.lastSeenAt} /> : w.never}</td>
          <td class="num hide-m">{member.spaces}</td>
        </>
      }
    >
      {() => <Access organization={organization} member={member} mayChange={mayChange} />}
    </OpeningRow>
  )
}

/** The sources of a member's role on one space, and the changes that an admin can make. */
function Access({
  organization,
  member,
  mayChange,
}: {
  organization: Organization
  member: Member
  mayChange: boolean
}) {
  const w = adminWords().members
  const [chosen, setChosen] = useState('')
  const path = { organizationId: organization.id, userId: member.id }
  const spaces = useData(
    `orgs/${organization.id}/members/${member.id}/spaces`,
    async () =>
      (
        await body(
          api.GET('/v1/orgs/{organizationId}/members/{userId}/spaces', { params: { path, query: { limit: 1000 } } }),
        )
      ).items,
  )
  const name = member.user.displayName
  return (
    <div class="stack">
      <Show data={spaces} lines={3}>
        {(items) => {
          const space = items.find((one) => one.space.id === chosen) ?? items[0]
          return (
            <>
              <div class="row wrap">
                <h2 class="h grow">{fill(w.why, { name })}</h2>
                {space && (
                  <select class="in auto" aria-label={w.chooseSpace} onChange={(e) => setChosen(e.currentTarget.value)}>
                    <Options value={space.space.id} of={items.map((one) => [one.space.id, one.space.title] as const)} />
                  </select>
                )}
              </div>
              {space ? (
                <OnSpace organization={organization} member={member} space={space.space} role={space.permission} />
              ) : (
                <p>{fill(w.seesNothing, { name })}</p>
              )}
            </>
          )
        }}
      </Show>
      {mayChange && <MemberActions organization={organization} member={member} />}
    </div>
  )
}

function OnSpace({
  organization,
  member,
  space,
  role,
}: {
  organization: Organization
  member: Member
  space: Schemas['Space']
  role: Role
}) {
  const w = adminWords().members
  const names = useNames(organization.id)
  const key = `reasons/${space.id}`
  const reasons = useData(
    key,
    async () =>
      (
        await body(
          api.GET('/v1/spaces/{spaceId}/permissions/aggregate', {
            params: { path: { spaceId: space.id }, query: { limit: 1000 } },
          }),
        )
      ).items,
  )
  const takeBack = (userRole: Role) =>
    attempt(async () => {
      const params = { path: { spaceId: space.id, userId: member.id } }
      await body(api.DELETE('/v1/spaces/{spaceId}/permissions/users/{userId}', { params }))
      const refresh = () => Promise.all([reload(key), reload(`orgs/${organization.id}/members`)])
      await refresh()
      toast(fill(w.removedGrant, { name: member.user.displayName, space: space.title }), {
        undo: async () => {
          const given = { role: userRole, users: [member.id] }
          await body(
            api.POST('/v1/spaces/{spaceId}/permissions', { params: { path: { spaceId: space.id } }, body: given }),
          )
          await refresh()
        },
      })
    })
  return (
    <>
      <p>
        <b>{fill(w.may[role], { name: member.user.displayName, space: space.title })}</b>{' '}
        {adminWords().roles.means[role]}
      </p>
      <Show data={reasons} lines={2}>
        {(items) => {
          const own = items.find(({ user }) => user.id === member.id)
          if (!own) return <p class="muted">{w.noReasons}</p>
          return (
            <Reasons
              sources={own.sources}
              permission={own.permission}
              names={names}
              action={(source) =>
                source.type === 'user' &&
                source.collection === undefined &&
                space.permissions.admin && (
                  <button type="button" class="btn small quiet" onClick={() => takeBack(source.permission)}>
                    {w.remove}
                  </button>
                )
              }
            />
          )
        }}
      </Show>
      <p class="sm muted">
        {w.nextCounts} <a href={`/s/${space.id}/settings#members`}>{w.toSpaceMembers}</a>
      </p>
    </>
  )
}

function MemberActions({ organization, member }: { organization: Organization; member: Member }) {
  const w = adminWords().members
  const [ask, question] = useQuestion()
  const name = member.user.displayName
  return (
    <div class="row wrap">
      <button
        type="button"
        class="btn small"
        onClick={() => change(organization, member, { disabled: !member.disabled })}
      >
        <Icon name="lock" />
        {member.disabled ? w.enable : w.disable}
      </button>
      <button
        type="button"
        class="btn small"
        onClick={() =>
          ask({
            title: fill(w.removeTitle, { name }),
            text: fill(w.removeText, { name, teams: member.teams, organization: organization.title }),
            button: w.removeMember,
            run: async () => {
              await body(api.DELETE('/v1/orgs/{organizationId}/members/{userId}', byMember(organization, member)))
              await reload(`orgs/${organization.id}/members`)
            },
          })
        }
      >
        <Icon name="x" />
        {w.removeMember}
      </button>
      <a class="btn small quiet" href={`/o/${organization.id}/settings/tokens?user=${member.id}`}>
        {w.tokens}
      </a>
      {question}
    </div>
  )
}
