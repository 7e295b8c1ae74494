/** The settings of an organization itself, and its merge rules. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { AllowedSigners } from '../admin/allowed-signers.js'
import { AreaField, ChoiceField, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { MergeRules } from '../admin/merge-rules.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { type Role, roleChoices, roleOf } from '../admin/roles.js'
import { Usage } from '../admin/usage.js'
import { adminWords } from '../admin/words.js'
import { Switch } from '../shell/fields.js'
import { attempt, toast } from '../shell/toast.js'

const change = async (organization: Organization, changes: Schemas['UpdateOrganization']) => {
  const params = { path: { organizationId: organization.id } }
  await body(api.PATCH('/v1/orgs/{organizationId}', { params, body: changes }))
  await reload(`organization/${organization.id}`)
}

/** The screen of the organization. */
export const General = ({ org = '' }: { org?: string }) => (
  <OrganizationFrame id={org} part="general">
    {(organization) => <Settings key={organization.id} organization={organization} />}
  </OrganizationFrame>
)

const LINES = /[\s,;]+/

function Settings({ organization }: { organization: Organization }) {
  const w = adminWords().general
  const [title, setTitle] = useState(organization.title)
  const [role, setRole] = useState<Role | 'guest'>(organization.defaultRole ?? 'guest')
  const [domains, setDomains] = useState(organization.emailDomains.join('\n'))
  const form = useForm(async () => {
    const emailDomains = domains.split(LINES).filter((one) => one !== '')
    await change(organization, { title, defaultRole: roleOf(role), emailDomains })
    toast(w.saved)
  })
  const flip = (changes: Schemas['UpdateOrganization']) => attempt(() => change(organization, changes))
  return (
    <div class="mid stack l">
      <form class="panel" onSubmit={form.submit}>
        <div class="pb stack">
          <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />
          <ChoiceField
            label={w.defaultRole}
            help={w.defaultRoleHelp}
            error={form.error('defaultRole')}
            value={role}
            of={roleChoices({ guest: true })}
            onChange={setRole}
          />
          <AreaField
            label={w.domains}
            help={w.domainsHelp}
            error={form.error('emailDomains')}
            value={domains}
            onInput={setDomains}
            rows={2}
            mono
          />
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.save}</Submit>
          </div>
        </div>
      </form>
      <section class="panel" aria-labelledby="now">
        <div class="ph">
          <h2 class="h" id="now">
            {w.atOnce}
          </h2>
        </div>
        <div class="pb stack">
          <Switch checked={organization.inviteLinks} onChange={(inviteLinks) => flip({ inviteLinks })}>
            {w.inviteLinks}
          </Switch>
          <Switch checked={organization.sso} onChange={(sso) => flip({ sso })}>
            {w.sso}
          </Switch>
          <Switch checked={organization.ai} onChange={(ai) => flip({ ai })}>
            {w.ai}
          </Switch>
        </div>
      </section>
      <Usage organization={organization.id} />
      <AllowedSigners organization={organization.id} />
      <p class="sm muted">
        {w.id} <code>{organization.id}</code>
      </p>
    </div>
  )
}

/** The screen of the merge rules. */
export const OrganizationRules = ({ org = '' }: { org?: string }) => (
  <OrganizationFrame id={org} part="merge-rules">
    {(organization) => (
      <div class="mid stack">
        <p class="ink2">{adminWords().rules.lead}</p>
        <MergeRules
          organization={organization.id}
          rules={organization.mergeRules}
          mayInherit={false}
          save={async (mergeRules) => {
            if (mergeRules.type !== 'inherit') await change(organization, { mergeRules })
          }}
        />
      </div>
    )}
  </OrganizationFrame>
)
