/** The webhooks of an organization, with their deliveries. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { WebhookForm } from '../admin/webhook-form.js'
import { Pick } from '../admin/form.js'
import { CopyAddress } from '../admin/invite-people.js'
import { AddButton, ListEnd, Listing, OpeningRow, usePages } from '../admin/lists.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { adminWords } from '../admin/words.js'
import { Dialog } from '../shell/dialog.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, Note, Show, type Tone } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

type Webhook = Schemas['Webhook']
type Delivery = Schemas['WebhookDelivery']

export function Webhooks({ org = '' }: { org?: string }) {
  const w = adminWords().webhooks
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <OrganizationFrame
      id={org}
      part="webhooks"
      end={({ permissions }) => permissions.admin && <AddButton text={w.add} onClick={() => setAdding(true)} />}
    >
      {(organization) => (
        <>
          <p class="ink2">{w.lead}</p>
          <Hooks organization={organization} onSecret={setSecret} />
          {isAdding && (
            <WebhookForm
              organization={organization}
              onClose={() => setAdding(false)}
              onMade={(made) => {
                setAdding(false)
                setSecret(made)
              }}
            />
          )}
          {secret !== null && (
            <Dialog title={w.secretTitle} onClose={() => setSecret(null)}>
              <div class="stack">
                <p>{w.secretText}</p>
                <CopyAddress label={w.secretTitle} address={secret} />
              </div>
            </Dialog>
          )}
        </>
      )}
    </OrganizationFrame>
  )
}

function state({ enabled, failingSince }: Webhook): [Tone, IconName, 'on' | 'off' | 'failing'] {
  if (!enabled) return ['wait', 'lock', 'off']
  return failingSince === undefined ? ['good', 'check', 'on'] : ['bad', 'warn', 'failing']
}

function Hooks({ organization, onSecret }: { organization: Organization; onSecret: (secret: string) => void }) {
  const w = adminWords().webhooks
  const list = usePages<Webhook>(`orgs/${organization.id}/webhooks`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/webhooks', { params: { path: { organizationId: organization.id }, query } }),
    ),
  )
  return (
    <Listing
      of={list}
      icon="hook"
      noneTitle={w.noneTitle}
      none={w.none}
      columns={[
        { name: w.address },
        { name: w.events, class: 'hide-m' },
        { name: w.state },
        { name: w.pending, class: 'num hide-s' },
        { name: w.deliveries, isHidden: true },
      ]}
    >
      {(hook) => {
        const [tone, icon, name] = state(hook)
        return (
          <OpeningRow
            key={hook.id}
            id={hook.id}
            label={fill(w.deliveriesOf, { url: hook.url })}
            span={5}
            cells={
              <>
                <td>
                  <b class="addr">{hook.description || hook.url}</b>
                  {hook.description && <div class="sm muted">{hook.url}</div>}
                </td>
                <td class="hide-m sm">{hook.events?.join(', ') ?? w.allEvents}</td>
                <td>
                  <Chip tone={tone} icon={icon}>
                    {w.states[name]}
                  </Chip>
                </td>
                <td class="num hide-s">{hook.pending}</td>
              </>
            }
          >
            {() => <OneHook organization={organization} hook={hook} onSecret={onSecret} />}
          </OpeningRow>
        )
      }}
    </Listing>
  )
}

function OneHook({
  organization,
  hook,
  onSecret,
}: {
  organization: Organization
  hook: Webhook
  onSecret: (secret: string) => void
}) {
  const w = adminWords().webhooks
  const [ask, question] = useQuestion()
  const [isEditing, setEditing] = useState(false)
  const params = { path: { organizationId: organization.id, webhookId: hook.id } }
  const refresh = () => reload(`orgs/${organization.id}/webhooks`)
  const setEnabled = (enabled: boolean) =>
    attempt(async () => {
      await body(api.PATCH('/v1/orgs/{organizationId}/webhooks/{webhookId}', { params, body: { enabled } }))
      await refresh()
    })
  const ping = () =>
    attempt(async () => {
      await body(api.POST('/v1/orgs/{organizationId}/webhooks/{webhookId}/test', { params }))
      await refresh()
      toast(w.pinged)
    })
  return (
    <div class="stack">
      {hook.disabledReason && (
        <Note tone="wait">
          <p>{hook.disabledReason}</p>
        </Note>
      )}
      <div class="row wrap">
        <button type="button" class="btn small" onClick={() => setEnabled(!hook.enabled)}>
          {hook.enabled ? w.disable : w.enable}
        </button>
        <button type="button" class="btn small" onClick={ping}>
          {w.ping}
        </button>
        <button type="button" class="btn small" onClick={() => setEditing(true)}>
          <Icon name="edit" />
          {w.edit}
        </button>
        <button
          type="button"
          class="btn small"
          onClick={() =>
            ask({
              title: w.rotateTitle,
              text: w.rotateText,
              button: w.rotate,
              run: async () =>
                onSecret(
                  (await body(api.POST('/v1/orgs/{organizationId}/webhooks/{webhookId}/rotate-secret', { params })))
                    .secret,
                ),
            })
          }
        >
          <Icon name="key" />
          {w.rotate}
        </button>
        <button
          type="button"
          class="btn small quiet"
          onClick={() =>
            ask({
              title: w.deleteTitle,
              text: fill(w.deleteText, { url: hook.url, pending: hook.pending }),
              button: w.delete,
              run: async () => {
                await body(api.DELETE('/v1/orgs/{organizationId}/webhooks/{webhookId}', { params }))
                await refresh()
              },
            })
          }
        >
          <Icon name="trash" />
          {w.delete}
        </button>
      </div>
      <Deliveries organization={organization} hook={hook} />
      {question}
      {isEditing && <WebhookForm organization={organization} hook={hook} onClose={() => setEditing(false)} />}
    </div>
  )
}

const DELIVERY: Record<Delivery['status'], [Tone, IconName]> = {
  pending: ['wait', 'clock'],
  succeeded: ['good', 'check'],
  failed: ['bad', 'warn'],
}

function Deliveries({ organization, hook }: { organization: Organization; hook: Webhook }) {
  const w = adminWords().webhooks
  const [status, setStatus] = useState<'' | Delivery['status']>('')
  const path = { organizationId: organization.id, webhookId: hook.id }
  const list = usePages<Delivery>(`orgs/${organization.id}/webhooks/${hook.id}/deliveries?${status}`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries', {
        params: { path, query: { ...query, order: 'desc', ...(status === '' ? {} : { status }) } },
      }),
    ),
  )
  const replay = (delivery: Delivery) =>
    attempt(async () => {
      await body(
        api.POST('/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
          params: { path: { ...path, deliveryId: delivery.id } },
        }),
      )
      await list.again()
      toast(w.replayed)
    })
  return (
    <section class="stack s">
      <div class="row wrap">
        <h2 class="h grow">{w.deliveries}</h2>
        <Pick
          label={w.showDeliveries}
          value={status}
          of={[
            ['', w.anyStatus],
            ['failed', w.statuses.failed],
            ['pending', w.statuses.pending],
            ['succeeded', w.statuses.succeeded],
          ]}
          onChange={setStatus}
        />
        <button type="button" class="btn small" onClick={() => void list.again()}>
          <Icon name="sync" />
          {w.refresh}
        </button>
      </div>
      <Show data={list.data} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">{w.noDeliveries}</p>
          ) : (
            <>
              <ul class="list panel sm">
                {items.map((delivery) => {
                  const [tone, icon] = DELIVERY[delivery.status]
                  return (
                    <li key={delivery.id}>
                      <Chip tone={tone} icon={icon}>
                        {w.statuses[delivery.status]}
                      </Chip>
                      <div class="grow">
                        <code>{delivery.type}</code>{' '}
                        <span class="muted">
                          <Time iso={delivery.createdAt} />
                          {' · '}
                          {fill(w.attempts, { count: delivery.attempts })}
                          {delivery.responseStatus !== undefined && ` · HTTP ${delivery.responseStatus}`}
                          {delivery.durationMs !== undefined && ` · ${delivery.durationMs} ms`}
                        </span>
                        {delivery.error !== undefined && <div class="d">{delivery.error}</div>}
                      </div>
                      <button type="button" class="btn small" onClick={() => replay(delivery)}>
                        {w.replay}
                      </button>
                    </li>
                  )
                })}
              </ul>
              <ListEnd of={list} />
            </>
          )
        }
      </Show>
    </section>
  )
}
