/** The teams of an organization, and their members. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { FormError, Pick, Submit, TextField, useForm } from '../admin/form.js'
import { AddButton, Filter, ListEnd, Listing, OpeningRow, parameter, usePages } from '../admin/lists.js'
import { useMembers } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { adminWords } from '../admin/words.js'
import { Dialog } from '../shell/dialog.js'
import { Icon } from '../shell/icons.js'
import { Show } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { attempt } from '../shell/toast.js'
import { fill } from '../words/index.js'

type Team = Schemas['Team']
type TeamMember = Schemas['TeamMember']

export function Teams({ org = '' }: { org?: string }) {
  const w = adminWords().teams
  const [isAdding, setAdding] = useState(false)
  return (
    <OrganizationFrame
      id={org}
      part="teams"
      end={({ permissions }) => permissions.createContent && <AddButton text={w.add} onClick={() => setAdding(true)} />}
      tools={<Filter label={w.find} placeholder={w.find} />}
    >
      {(organization) => (
        <>
          <TeamTable organization={organization} />
          {isAdding && <NewTeam organization={organization} onClose={() => setAdding(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

const refresh = (organization: Organization) => reload(`orgs/${organization.id}/`)

function NewTeam({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const w = adminWords().teams
  const [title, setTitle] = useState('')
  const form = useForm(async () => {
    const params = { path: { organizationId: organization.id } }
    await body(api.PUT('/v1/orgs/{organizationId}/teams', { params, body: { title, members: [] } }))
    await refresh(organization)
    onClose()
  })
  return (
    <Dialog title={w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <TextField
            label={w.name}
            help={w.nameHelp}
            error={form.error('title')}
            value={title}
            onInput={setTitle}
            required
          />
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.create}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}

function TeamTable({ organization }: { organization: Organization }) {
  const w = adminWords().teams
  const title = parameter('q')
  const list = usePages<Team>(`orgs/${organization.id}/teams?${title}`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/teams', {
        params: {
          path: { organizationId: organization.id },
          query: { ...query, ...(title === '' ? {} : { title }) },
        },
      }),
    ),
  )
  return (
    <Listing
      of={list}
      icon="users"
      noneTitle={w.noneTitle}
      none={w.none}
      columns={[
        { name: w.team },
        { name: w.members, class: 'num' },
        { name: w.spaces, class: 'num hide-s' },
        { name: w.members, isHidden: true },
      ]}
    >
      {(team) => (
        <OpeningRow
          key={team.id}
          id={team.id}
          label={fill(w.membersOf, { team: team.title })}
          span={4}
          cells={
            <>
              <td>
                <span class="who">
                  <Icon name="users" />
                  <b>{team.title}</b>
                </span>
              </td>
              <td class="num" data-label={w.members}>
                {team.members}
              </td>
              <td class="num hide-s">{team.spaces}</td>
            </>
          }
        >
          {() => <OneTeam organization={organization} team={team} />}
        </OpeningRow>
      )}
    </Listing>
  )
}

function OneTeam({ organization, team }: { organization: Organization; team: Team }) {
  const w = adminWords().teams
  const [ask, question] = useQuestion()
  const path = { organizationId: organization.id, teamId: team.id }
  const list = usePages<TeamMember>(`orgs/${organization.id}/teams/${team.id}/members`, (query) =>
    body(api.GET('/v1/orgs/{organizationId}/teams/{teamId}/members', { params: { path, query } })),
  )
  const everyone = useMembers(organization.id) ?? []
  const change = (changes: Schemas['SetTeamMembers']) =>
    attempt(async () => {
      await body(api.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', { params: { path }, body: changes }))
      await refresh(organization)
    })
  return (
    <div class="stack">
      <Show data={list.data} lines={3}>
        {({ items }) => {
          const others = everyone.filter(({ id }) => !items.some((one) => one.id === id))
          return (
            <>
              {items.length === 0 ? (
                <p class="muted">{w.empty}</p>
              ) : (
                <ul class="list panel">
                  {items.map(({ id, user }) => (
                    <li key={id}>
                      <Avatar name={user.displayName} />
                      <span class="grow">
                        {user.displayName} <span class="muted sm">{user.email}</span>
                      </span>
                      {team.permissions.admin && (
                        <button type="button" class="btn small quiet" onClick={() => change({ remove: [id] })}>
                          {fill(w.remove, { name: user.displayName })}
                        </button>
                      )}
                    </li>
                  ))}
                </ul>
              )}
              <ListEnd of={list} />
              {team.permissions.admin && (
                <div class="row wrap">
                  <Pick
                    label={w.addMember}
                    value=""
                    of={[['', w.addMember], ...others.map(({ id, user }) => [id, user.displayName] as const)]}
                    onChange={(id) => id !== '' && change({ add: [id] })}
                  />
                  <span class="grow" />
                  <Rename organization={organization} team={team} />
                  <button
                    type="button"
                    class="btn small"
                    onClick={() =>
                      ask({
                        title: fill(w.deleteTitle, { team: team.title }),
                        text: fill(w.deleteText, { members: team.members, spaces: team.spaces }),
                        button: w.delete,
                        run: async () => {
                          await body(api.DELETE('/v1/orgs/{organizationId}/teams/{teamId}', { params: { path } }))
                          await refresh(organization)
                        },
                      })
                    }
                  >
                    <Icon name="trash" />
                    {w.delete}
                  </button>
                </div>
              )}
            </>
          )
        }}
      </Show>
      {question}
    </div>
  )
}

function Rename({ organization, team }: { organization: Organization; team: Team }) {
  const w = adminWords().teams
  const [title, setTitle] = useState<string | null>(null)
  const form = useForm(async () => {
    const params = { path: { organizationId: organization.id, teamId: team.id } }
    await body(api.PATCH('/v1/orgs/{organizationId}/teams/{teamId}', { params, body: { title: title ?? '' } }))
    await refresh(organization)
    setTitle(null)
  })
  return (
    <>
      <button type="button" class="btn small" onClick={() => setTitle(team.title)}>
        <Icon name="edit" />
        {w.rename}
      </button>
      {title !== null && (
        <Dialog title={w.rename} onClose={() => setTitle(null)}>
          <div>
            <form class="stack" onSubmit={form.submit}>
              <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />
              <FormError form={form} />
              <div class="row">
                <Submit form={form}>{w.rename}</Submit>
              </div>
            </form>
          </div>
        </Dialog>
      )}
    </>
  )
}
