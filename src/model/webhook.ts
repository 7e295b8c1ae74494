import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Id, nullable, oneOf, Timestamp } from './common.js'
import { type EventType, EventTypeSchema, eventTypes } from './event.js'

/** A webhook, as stored. */
export interface WebhookDoc {
  id: string
  organization: string
  url: string
  description: string
  /** Absent = all types. */
  events?: EventType[]
  /** Absent = all spaces, and what is about none. */
  spaces?: string[]
  enabled: boolean
  /** Why the service disabled it. */
  disabledReason?: string
  disabledAt?: string
  /** `whsec_…`, sealed: it signs, so it cannot be a hash. */
  sealedSecret: string
  /** After a rotation, the one before signs too, until this time. */
  previousSecret?: { sealed: string; until: string }
  /** Sequence of the next event to look at: those before are delivered, or have a delivery. */
  next: number
  /** When the first attempt failed since the last that succeeded. */
  failingSince?: string
  createdBy: string
  createdAt: string
  updatedAt: string
}

export const webhooks = table<WebhookDoc>()({
  name: 'webhooks',
  indexes: { organization: (webhook) => webhook.organization },
  owner: (webhook) => webhook.organization,
})

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
/** The event of a test. */
export const PING = 'webhook.ping'

/** An event that is delivered to a webhook, as stored, from its first attempt on. */
export interface DeliveryDoc {
  id: string
  webhook: string
  organization: string
  /** ID of the event; of a ping, its own. */
  event: string
  /** Absent for a ping. */
  sequence?: number
  type: EventType | typeof PING
  status: DeliveryStatus
  attempts: number
  createdAt: string
  lastAttemptAt?: string
  /** Present while it is pending. */
  nextAttemptAt?: string
  finishedAt?: string
  /** Of the last attempt. */
  responseStatus?: number
  durationMs?: number
  error?: string
  replayOf?: string
}

export const deliveries = table<DeliveryDoc>()({
  name: 'webhook-deliveries',
  indexes: { webhook: (one) => one.webhook, pending: (one) => (one.status === 'pending' ? one.webhook : null) },
  orders: { created: { group: (one) => [one.webhook, `${one.webhook}/${one.status}`], by: (one) => one.createdAt } },
  owner: (one) => `${one.webhook}/${one.createdAt.slice(0, 10)}`,
})

const Url = Type.String({
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
  maxLength: 2048,
  description: 'An http or https URL; redirects are not followed.',
})
const Description = Type.String({ maxLength: 255 })
const Events = Type.Array(EventTypeSchema, { minItems: 1, maxItems: eventTypes.length, uniqueItems: true, description: 'Types of events; absent = all.' })
const Spaces = Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true, description: 'Only what is about these spaces; absent = everything.' })

export const CreateWebhook = Type.Object(
  {
    url: Url,
    description: Type.Optional(Description),
    events: Type.Optional(Events),
    spaces: Type.Optional(Spaces),
    enabled: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false, $id: 'CreateWebhook' },
)
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(Description),
    events: Type.Optional(nullable(Events)),
    spaces: Type.Optional(nullable(Spaces)),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, $id: 'UpdateWebhook' },
)
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const ReplayWebhook = Type.Object(
  { from: Type.Integer({ minimum: 1, description: 'Sequence of the first event to deliver, from 1 to that of the next event.' }) },
  { additionalProperties: false, $id: 'ReplayWebhook' },
)
export type ReplayWebhook = Static<typeof ReplayWebhook>

const fields = {
  object: Type.Literal('webhook'),
  id: Id,
  organization: Id,
  url: Type.String(),
  description: Type.String(),
  events: Type.Optional(Events),
  spaces: Type.Optional(Spaces),
  enabled: Type.Boolean(),
  disabledReason: Type.Optional(Type.String({ description: 'Why the service disabled it.' })),
  disabledAt: Type.Optional(Timestamp),
  failingSince: Type.Optional(Type.String({ format: 'date-time', description: 'When deliveries began to fail; absent while they succeed.' })),
  next: Type.Integer({ minimum: 1, description: 'Sequence of the next event that it looks at.' }),
  pending: Type.Integer({ minimum: 0, description: 'Deliveries that wait for another attempt.' }),
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  urls: Type.Object({ location: Type.String() }),
}
export const Webhook = Type.Object(fields, { $id: 'Webhook' })
export const WebhookWithSecret = Type.Object(
  { ...fields, secret: Type.String({ description: 'Signs what is delivered. It is shown this once.' }) },
  { $id: 'WebhookWithSecret' },
)

export const WebhookDelivery = Type.Object(
  {
    object: Type.Literal('webhook-delivery'),
    id: Id,
    webhook: Id,
    organization: Id,
    event: Type.String({ description: 'ID of the event, and the header webhook-id.' }),
    sequence: Type.Optional(Type.Integer({ minimum: 1 })),
    type: oneOf([...eventTypes, PING] as const),
    status: oneOf(deliveryStatuses),
    attempts: Type.Integer({ minimum: 0 }),
    createdAt: Timestamp,
    lastAttemptAt: Type.Optional(Timestamp),
    nextAttemptAt: Type.Optional(Timestamp),
    finishedAt: Type.Optional(Timestamp),
    responseStatus: Type.Optional(Type.Integer({ description: 'HTTP status of the last attempt.' })),
    durationMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Of the last attempt.' })),
    error: Type.Optional(Type.String({ description: 'Why the last attempt failed.' })),
    replayOf: Type.Optional(Id),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'WebhookDelivery' },
)
