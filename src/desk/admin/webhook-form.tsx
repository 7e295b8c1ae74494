/** The settings of a webhook: its address, and the events and spaces that it receives. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { Dialog } from '../shell/dialog.js'
import { CheckField, FormError, Submit, TextField, useForm } from './form.js'
import { useSpaces } from './names.js'
import type { Organization } from './organization.js'
import { adminWords } from './words.js'

type Webhook = Schemas['Webhook']
type Event = Schemas['EventType']

/** Common events. Other events of the API are left unchanged. */
const EVENTS: readonly Event[] = [
  'content.updated',
  'change_request.created',
  'change_request.updated',
  'change_request.merged',
  'review.requested',
  'review.created',
  'comment.created',
  'git_sync.finished',
  'git_connection.failed',
  'git_connection.recovered',
  'space.created',
  'space.deleted',
  'site.published',
  'site.unpublished',
  'member.joined',
  'member.removed',
]

/** Renders the form in a dialog. A new webhook returns its secret, once. */
export function WebhookForm({
  organization,
  hook,
  onClose,
  onMade,
}: {
  organization: Organization
  hook?: Webhook
  onClose: () => void
  onMade?: (secret: string) => void
}) {
  const w = adminWords().webhooks
  const spaces = useSpaces(organization.id) ?? []
  const [url, setUrl] = useState(hook?.url ?? '')
  const [description, setDescription] = useState(hook?.description ?? '')
  const [chosen, setChosen] = useState<readonly Event[] | null>(hook?.events ?? null)
  const [space, setSpace] = useState(hook?.spaces?.[0] ?? '')
  const form = useForm(async () => {
    const path = { organizationId: organization.id }
    // If a webhook receives events of several spaces, they are unchanged unless the user selects another option.
    const isSame = hook !== undefined && space === (hook.spaces?.[0] ?? '')
    const named = isSame ? hook.spaces : space === '' ? undefined : [space]
    if (hook) {
      const changes = { url, description, events: chosen ? [...chosen] : null, spaces: named ?? null }
      const params = { path: { ...path, webhookId: hook.id } }
      await body(api.PATCH('/v1/orgs/{organizationId}/webhooks/{webhookId}', { params, body: changes }))
      onClose()
    } else {
      const input = {
        url,
        description,
        enabled: true,
        ...(chosen ? { events: [...chosen] } : {}),
        ...(named ? { spaces: named } : {}),
      }
      const made = await body(api.POST('/v1/orgs/{organizationId}/webhooks', { params: { path }, body: input }))
      onMade?.(made.secret)
    }
    await reload(`orgs/${organization.id}/webhooks`)
  })
  const known = [...EVENTS, ...(chosen ?? []).filter((one) => !EVENTS.includes(one))]
  return (
    <Dialog title={hook ? w.edit : w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <TextField
            label={w.address}
            help={w.addressHelp}
            error={form.error('url')}
            value={url}
            onInput={setUrl}
            type="url"
            mono
            required
          />
          <TextField
            label={w.description}
            error={form.error('description')}
            value={description}
            onInput={setDescription}
          />
          <fieldset class="stack s">
            <legend class="lab">{w.events}</legend>
            <CheckField type="radio" name="events" checked={chosen === null} onChange={() => setChosen(null)}>
              {w.allEvents}
            </CheckField>
            <CheckField type="radio" name="events" checked={chosen !== null} onChange={() => setChosen([])}>
              {w.someEvents}
            </CheckField>
            {chosen !== null && (
              <div class="cols2 tight">
                {known.map((event) => (
                  <CheckField
                    key={event}
                    checked={chosen.includes(event)}
                    onChange={(isOn) => setChosen(isOn ? [...chosen, event] : chosen.filter((one) => one !== event))}
                  >
                    <code>{event}</code>
                  </CheckField>
                ))}
              </div>
            )}
          </fieldset>
          <div class="field">
            <label for="hook-space">{w.spaceFilter}</label>
            <select id="hook-space" class="in" onChange={(event) => setSpace(event.currentTarget.value)}>
              <option value="" selected={space === ''}>
                {w.allSpaces}
              </option>
              {spaces.map(({ id, title }) => (
                <option key={id} value={id} selected={id === space}>
                  {title}
                </option>
              ))}
            </select>
          </div>
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{hook ? w.save : w.create}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}
