/** Invites people: by mail, or with a link that anyone can use. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { Dialog } from '../shell/dialog.js'
import { Icon } from '../shell/icons.js'
import { Note } from '../shell/notes.js'
import { toast } from '../shell/toast.js'
import { plural, words } from '../words/index.js'
import { AreaField, ChoiceField, FormError, Segments, Submit, useForm } from './form.js'
import type { Organization } from './organization.js'
import { type Role, roleChoices, roleOf } from './roles.js'
import { adminWords } from './words.js'

/** An address that can be copied, for example of an invitation. */
export function CopyAddress({ label, address }: { label: string; address: string }) {
  return (
    <div class="row">
      <input
        class="in mono grow"
        aria-label={label}
        readOnly
        value={address}
        onFocus={(e) => e.currentTarget.select()}
      />
      <button
        type="button"
        class="btn"
        onClick={() => void navigator.clipboard.writeText(address).then(() => toast(words().common.copied))}
      >
        <Icon name="copy" />
        {words().common.copy}
      </button>
    </div>
  )
}

export function InvitePeople({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const w = adminWords().invite
  const [way, setWay] = useState<'mail' | 'link'>('mail')
  return (
    <Dialog title={w.title} onClose={onClose}>
      <div class="stack">
        {organization.inviteLinks && (
          <Segments
            label={w.way}
            value={way}
            of={[
              ['mail', w.byMail],
              ['link', w.byLink],
            ]}
            onChange={setWay}
          />
        )}
        {way === 'mail' ? <ByMail organization={organization} /> : <ByLink organization={organization} />}
      </div>
    </Dialog>
  )
}

const ADDRESS_SEPARATOR = /[\s,;]+/

function ByMail({ organization }: { organization: Organization }) {
  const w = adminWords().invite
  const [emails, setEmails] = useState('')
  const [role, setRole] = useState<Role | 'guest'>('edit')
  const [sent, setSent] = useState<Schemas['InvitedUsers'] | null>(null)
  const form = useForm(async () => {
    const list = emails.split(ADDRESS_SEPARATOR).filter((one) => one !== '')
    const result = await body(
      api.POST('/v1/orgs/{organizationId}/invites', {
        params: { path: { organizationId: organization.id } },
        body: { emails: list, role: roleOf(role), sso: false },
      }),
    )
    setSent(result)
    setEmails('')
    await reload(`orgs/${organization.id}/`)
  })
  const links = sent?.invites.filter(({ urls }) => urls.invite !== undefined) ?? []
  return (
    <form class="stack" onSubmit={form.submit}>
      <AreaField
        label={w.emails}
        help={w.emailsHelp}
        error={form.error('emails')}
        value={emails}
        onInput={setEmails}
        rows={3}
        required
      />
      <ChoiceField
        label={w.role}
        help={adminWords().roles.means[role]}
        error={form.error('role')}
        value={role}
        of={roleChoices({ guest: true })}
        onChange={setRole}
      />
      <FormError form={form} />
      {sent && (
        <Note tone="good">
          <p role="status">{plural(w.sent, sent.invited)}</p>
        </Note>
      )}
      {links.map((invite) => (
        <div class="stack s" key={invite.id}>
          <p class="sm">{w.noMail}</p>
          <CopyAddress label={invite.email} address={invite.urls.invite ?? ''} />
        </div>
      ))}
      <div class="row">
        <Submit form={form}>{w.send}</Submit>
      </div>
    </form>
  )
}

function ByLink({ organization }: { organization: Organization }) {
  const w = adminWords().invite
  const [role, setRole] = useState<Role | 'guest'>('read')
  const [made, setMade] = useState<Schemas['LinkInvite'] | null>(null)
  const form = useForm(async () => {
    const params = { path: { organizationId: organization.id } }
    setMade(
      await body(
        api.POST('/v1/orgs/{organizationId}/link-invites', { params, body: { role: roleOf(role), sso: false } }),
      ),
    )
    await reload(`orgs/${organization.id}/link-invites`)
  })
  return (
    <form class="stack" onSubmit={form.submit}>
      <ChoiceField
        label={w.role}
        help={adminWords().roles.means[role]}
        error={form.error('role')}
        value={role}
        of={roleChoices({ guest: true })}
        onChange={setRole}
      />
      <p class="sm muted">{w.linkLead}</p>
      <FormError form={form} />
      {made?.urls.invite && (
        <div class="stack s">
          <p class="sm" role="status">
            {w.linkOnce}
          </p>
          <CopyAddress label={w.byLink} address={made.urls.invite} />
        </div>
      )}
      <div class="row">
        <Submit form={form}>{w.makeLink}</Submit>
      </div>
    </form>
  )
}
