/** The invitations of an organization that are open: by mail, and by link. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { InvitePeople } from '../admin/invite-people.js'
import { ListEnd, usePages } from '../admin/lists.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { roleName } from '../admin/roles.js'
import { adminWords } from '../admin/words.js'
import { Icon } from '../shell/icons.js'
import { Chip, Empty, Show, type Tone } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

export function Invitations({ org = '' }: { org?: string }) {
  const w = adminWords()
  const [isInviting, setInviting] = useState(false)
  return (
    <OrganizationFrame
      id={org}
      part="invitations"
      end={({ permissions }) =>
        permissions.admin && (
          <button type="button" class="btn primary" onClick={() => setInviting(true)}>
            <Icon name="mail" />
            {w.members.invite}
          </button>
        )
      }
    >
      {(organization) => (
        <>
          <ByMail organization={organization} />
          <ByLink organization={organization} />
          {isInviting && <InvitePeople organization={organization} onClose={() => setInviting(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

const TONES: Record<Schemas['Invite']['delivery'], Tone> = { queued: '', sent: 'good', failed: 'bad', link: 'wait' }

function ByMail({ organization }: { organization: Organization }) {
  const w = adminWords().invitations
  const key = `orgs/${organization.id}/invites`
  const list = usePages<Schemas['Invite']>(key, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/invites', { params: { path: { organizationId: organization.id }, query } }),
    ),
  )
  const at = (inviteId: string) => ({ params: { path: { organizationId: organization.id, inviteId } } })
  const again = (inviteId: string, email: string) =>
    attempt(async () => {
      await body(api.POST('/v1/orgs/{organizationId}/invites/{inviteId}/resend', at(inviteId)))
      await reload(key)
      toast(fill(w.resent, { email }))
    })
  const revoke = (inviteId: string, email: string) =>
    attempt(async () => {
      await body(api.DELETE('/v1/orgs/{organizationId}/invites/{inviteId}', at(inviteId)))
      await reload(key)
      toast(fill(w.revoked, { email }))
    })
  return (
    <Show data={list.data} retry={() => void list.again()}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="mail" title={w.noneTitle}>
            {w.none}
          </Empty>
        ) : (
          <section class="stack s">
            <div class="panel">
              <table class="tbl cards">
                <thead>
                  <tr>
                    <th>{w.email}</th>
                    <th>{w.role}</th>
                    <th>{w.mail}</th>
                    <th class="hide-m">{w.expires}</th>
                    <th>
                      <span class="vh">{w.actions}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((invite) => (
                    <tr key={invite.id}>
                      <td>
                        <b>{invite.email}</b>
                      </td>
                      <td>{roleName(invite.role)}</td>
                      <td>
                        <Chip tone={TONES[invite.delivery]} icon={invite.delivery === 'failed' ? 'warn' : 'mail'}>
                          {w.delivery[invite.delivery]}
                        </Chip>
                      </td>
                      <td class="hide-m muted">
                        <Time iso={invite.expiresAt} />
                      </td>
                      <td class="num nw">
                        {invite.delivery !== 'link' && (
                          <button type="button" class="btn small" onClick={() => again(invite.id, invite.email)}>
                            {w.again}
                          </button>
                        )}{' '}
                        <button type="button" class="btn small quiet" onClick={() => revoke(invite.id, invite.email)}>
                          {w.revoke}
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <ListEnd of={list} />
          </section>
        )
      }
    </Show>
  )
}

function ByLink({ organization }: { organization: Organization }) {
  const w = adminWords().invitations
  const [ask, question] = useQuestion()
  const key = `orgs/${organization.id}/link-invites`
  const list = usePages<Schemas['LinkInvite']>(key, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/link-invites', {
        params: { path: { organizationId: organization.id }, query },
      }),
    ),
  )
  const revoke = (inviteId: string) =>
    ask({
      title: w.revokeLinkTitle,
      text: w.revokeLinkText,
      button: w.revoke,
      run: async () => {
        const params = { path: { organizationId: organization.id, inviteId } }
        await body(api.DELETE('/v1/orgs/{organizationId}/link-invites/{inviteId}', { params }))
        await reload(key)
      },
    })
  return (
    <Show data={list.data} lines={2}>
      {({ items }) =>
        items.length > 0 && (
          <section class="stack s" aria-labelledby="links">
            <h2 class="h" id="links">
              {w.links}
            </h2>
            <ul class="list panel">
              {items.map((invite) => (
                <li key={invite.id}>
                  <Icon name="link" />
                  <div class="grow">
                    <b>{fill(w.linkFor, { role: roleName(invite.role) })}</b>
                    <div class="d">
                      {w.made} <Time iso={invite.createdAt} />
                      {invite.expiresAt && (
                        <>
                          {' · '}
                          {w.expires} <Time iso={invite.expiresAt} />
                        </>
                      )}
                    </div>
                  </div>
                  <button type="button" class="btn small quiet" onClick={() => revoke(invite.id)}>
                    {w.revoke}
                  </button>
                </li>
              ))}
            </ul>
            {question}
          </section>
        )
      }
    </Show>
  )
}
