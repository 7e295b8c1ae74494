/** Single sign-on: the SAML providers of an organization, and the members who sign in with them. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { AreaField, ChoiceField, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { CopyAddress } from '../admin/invite-people.js'
import { AddButton, Listing, OpeningRow, usePages } from '../admin/lists.js'
import { useMembers, useTeams } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { type Role, roleChoices, roleOf } from '../admin/roles.js'
import { adminWords } from '../admin/words.js'
import { Dialog } from '../shell/dialog.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { Chip, Show } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt } from '../shell/toast.js'
import { fill } from '../words/index.js'

type Provider = Schemas['SAMLProvider']

export function SingleSignOn({ org = '' }: { org?: string }) {
  const w = adminWords().sso
  const [isAdding, setAdding] = useState(false)
  return (
    <OrganizationFrame
      id={org}
      part="sso"
      end={({ permissions }) => permissions.admin && <AddButton text={w.add} onClick={() => setAdding(true)} />}
    >
      {(organization) => (
        <>
          <section class="panel">
            <div class="pb stack s">
              <Switch
                checked={organization.sso}
                onChange={(sso) =>
                  attempt(async () => {
                    const params = { path: { organizationId: organization.id } }
                    await body(api.PATCH('/v1/orgs/{organizationId}', { params, body: { sso } }))
                    await reload(`organization/${organization.id}`)
                  })
                }
              >
                {w.required}
              </Switch>
              <p class="help">{w.requiredHelp}</p>
            </div>
          </section>
          <Providers organization={organization} />
          {isAdding && <ProviderForm organization={organization} onClose={() => setAdding(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

function Providers({ organization }: { organization: Organization }) {
  const w = adminWords().sso
  const list = usePages<Provider>(`orgs/${organization.id}/saml`, (query) =>
    body(api.GET('/v1/orgs/{organizationId}/saml', { params: { path: { organizationId: organization.id }, query } })),
  )
  return (
    <Listing
      of={list}
      icon="shield"
      noneTitle={w.noneTitle}
      none={w.none}
      columns={[
        { name: w.provider },
        { name: w.state },
        { name: w.certificate, class: 'hide-m' },
        { name: w.details, isHidden: true },
      ]}
    >
      {(provider) => (
        <OpeningRow
          key={provider.id}
          id={provider.id}
          label={fill(adminWords().lists.details, { name: provider.label })}
          span={4}
          cells={
            <>
              <td>
                <b>{provider.label}</b>
              </td>
              <td>
                <Chip
                  tone={provider.status === 'active' ? 'good' : 'wait'}
                  icon={provider.status === 'active' ? 'check' : 'clock'}
                >
                  {w.states[provider.status]}
                </Chip>
              </td>
              <td class="hide-m muted">
                {provider.certificates[0] ? (
                  <>
                    {w.until} <Time iso={provider.certificates[0].notAfter} />
                  </>
                ) : (
                  '–'
                )}
              </td>
            </>
          }
        >
          {() => <OneProvider organization={organization} provider={provider} />}
        </OpeningRow>
      )}
    </Listing>
  )
}

function OneProvider({ organization, provider }: { organization: Organization; provider: Provider }) {
  const w = adminWords().sso
  const [isEditing, setEditing] = useState(false)
  const [ask, question] = useQuestion()
  const path = { organizationId: organization.id, samlProviderId: provider.id }
  return (
    <div class="stack">
      <p>{w.enterThere}</p>
      <dl class="kv sm">
        <dt>{w.acsUrl}</dt>
        <dd>
          <CopyAddress label={w.acsUrl} address={provider.service.acsURL} />
        </dd>
        <dt>{w.serviceEntity}</dt>
        <dd>
          <CopyAddress label={w.serviceEntity} address={provider.service.entityID} />
        </dd>
        <dt>{w.startUrl}</dt>
        <dd>
          <CopyAddress label={w.startUrl} address={provider.service.startURL} />
        </dd>
      </dl>
      <Identities organization={organization} provider={provider} />
      <div class="row wrap">
        <button type="button" class="btn small" onClick={() => setEditing(true)}>
          <Icon name="edit" />
          {w.edit}
        </button>
        <button
          type="button"
          class="btn small quiet"
          onClick={() =>
            ask({
              title: fill(w.deleteTitle, { label: provider.label }),
              text: w.deleteText,
              button: w.delete,
              run: async () => {
                await body(api.DELETE('/v1/orgs/{organizationId}/saml/{samlProviderId}', { params: { path } }))
                await reload(`orgs/${organization.id}/saml`)
              },
            })
          }
        >
          <Icon name="trash" />
          {w.delete}
        </button>
      </div>
      {question}
      {isEditing && <ProviderForm organization={organization} provider={provider} onClose={() => setEditing(false)} />}
    </div>
  )
}

function Identities({ organization, provider }: { organization: Organization; provider: Provider }) {
  const w = adminWords().sso
  const path = { organizationId: organization.id, samlProviderId: provider.id }
  const key = `orgs/${organization.id}/saml/${provider.id}/identities`
  const members = new Map((useMembers(organization.id) ?? []).map(({ id, user }) => [id, user.displayName]))
  const list = usePages<Schemas['SSOIdentity']>(key, (query) =>
    body(api.GET('/v1/orgs/{organizationId}/saml/{samlProviderId}/identities', { params: { path, query } })),
  )
  const unlink = (identityId: string) =>
    attempt(async () => {
      const params = { path: { ...path, identityId } }
      await body(api.DELETE('/v1/orgs/{organizationId}/saml/{samlProviderId}/identities/{identityId}', { params }))
      await reload(key)
    })
  return (
    <Show data={list.data} lines={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="muted sm">{w.noIdentities}</p>
        ) : (
          <ul class="list panel sm">
            {items.map((one) => (
              <li key={one.id}>
                <Icon name="users" />
                <span class="grow">
                  {members.get(one.user) ?? one.user} <span class="muted">{one.nameID}</span>
                </span>
                <button type="button" class="btn small quiet" onClick={() => unlink(one.id)}>
                  {w.unlink}
                </button>
              </li>
            ))}
          </ul>
        )
      }
    </Show>
  )
}

function ProviderForm({
  organization,
  provider,
  onClose,
}: {
  organization: Organization
  provider?: Provider
  onClose: () => void
}) {
  const w = adminWords().sso
  const teams = useTeams(organization.id) ?? []
  const [label, setLabel] = useState(provider?.label ?? '')
  const [entityID, setEntityID] = useState(provider?.entityID ?? '')
  const [ssoURL, setSsoURL] = useState(provider?.ssoURL ?? '')
  const [certificate, setCertificate] = useState(provider?.certificate ?? '')
  const [role, setRole] = useState<Role | 'guest'>(provider?.defaultRole ?? 'guest')
  const [team, setTeam] = useState(provider?.defaultTeam?.id ?? '')
  const form = useForm(async () => {
    const path = { organizationId: organization.id }
    const input = {
      label,
      ...(entityID ? { entityID } : {}),
      ...(ssoURL ? { ssoURL } : {}),
      ...(certificate ? { certificate } : {}),
      defaultRole: roleOf(role),
      defaultTeam: team === '' ? null : team,
    }
    if (provider) {
      const params = { path: { ...path, samlProviderId: provider.id } }
      await body(api.PATCH('/v1/orgs/{organizationId}/saml/{samlProviderId}', { params, body: input }))
    } else await body(api.POST('/v1/orgs/{organizationId}/saml', { params: { path }, body: input }))
    await reload(`orgs/${organization.id}/saml`)
    onClose()
  })
  return (
    <Dialog title={provider ? w.edit : w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <TextField
            label={w.label}
            help={w.labelHelp}
            error={form.error('label')}
            value={label}
            onInput={setLabel}
            required
          />
          <TextField label={w.entity} error={form.error('entityID')} value={entityID} onInput={setEntityID} mono />
          <TextField label={w.address} error={form.error('ssoURL')} value={ssoURL} onInput={setSsoURL} mono />
          <AreaField
            label={w.certificate}
            help={w.certificateHelp}
            error={form.error('certificate')}
            value={certificate}
            onInput={setCertificate}
            rows={4}
            mono
          />
          <ChoiceField
            label={w.role}
            error={form.error('defaultRole')}
            value={role}
            of={roleChoices({ guest: true })}
            onChange={setRole}
          />
          <ChoiceField
            label={w.team}
            error={form.error('defaultTeam')}
            value={team}
            of={[['', w.noTeam], ...teams.map(({ id, title }) => [id, title] as const)]}
            onChange={setTeam}
          />
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.save}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}
