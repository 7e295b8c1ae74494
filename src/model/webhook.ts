/** Webhooks of an organization. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, nullable, Timestamp } from './common.js'
import { type EventType, eventTypes, EventTypeSchema } from './event.js'

/** A webhook, as stored. */
export interface WebhookDoc {
  id: string
  organization: string
  url: string
  description: string
  /** Absent = all types. */
  events?: EventType[]
  /** Absent = all events, including those that belong to no space. */
  spaces?: string[]
  enabled: boolean
  /** The reason why the service disabled the webhook. */
  disabledReason?: string
  disabledAt?: string
  /** The secret (`whsec_…`), sealed. It cannot be a hash, because it signs deliveries. */
  sealedSecret: string
  /** After a rotation, deliveries are also signed with the old secret until this time. */
  previousSecret?: { sealed: string; until: string }
  /** Sequence of the next event to examine. Earlier events are delivered or have a delivery. */
  next: number
  /** Time of the first failed attempt since the last success. */
  failingSince?: string
  createdBy: string
  createdAt: string
  updatedAt: string
}

export const webhooks = table<WebhookDoc>()({
  name: 'webhooks',
  indexes: { organization: (webhook) => webhook.organization },
  orders: {
    organization: { group: ({ enabled }) => (enabled ? ['all', 'enabled'] : 'all'), by: (one) => one.organization },
  },
  owner: 'organization',
})

const Url = Type.String({
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
  'x-pattern-message': 'must be an http or https URL',
  maxLength: 2048,
  description: 'An http or https URL; redirects are not followed.',
})

const Description = Type.String({ maxLength: 255 })

const Events = Type.Array(EventTypeSchema, {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
  description: 'Types of events; absent = all.',
})

const Spaces = Type.Array(Id, {
  minItems: 1,
  maxItems: 1000,
  uniqueItems: true,
  description: 'Only events about these spaces; absent = all.',
})

export const CreateWebhook = Type.Object(
  {
    url: Url,
    description: Type.Optional(Description),
    events: Type.Optional(Events),
    spaces: Type.Optional(Spaces),
    enabled: Type.Optional(Type.Boolean({ default: true })),
  },
  { ...closed, $id: 'CreateWebhook' },
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
  { ...closed, $id: 'UpdateWebhook' },
)
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const ReplayWebhook = Type.Object(
  {
    from: Type.Integer({
      minimum: 1,
      description: 'Sequence of the first event to deliver, from 1 to the sequence of the next future event.',
    }),
  },
  { ...closed, $id: 'ReplayWebhook' },
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
  disabledReason: Type.Optional(Type.String({ description: 'The reason why the service disabled the webhook.' })),
  disabledAt: Type.Optional(Timestamp),
  failingSince: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Time of the first failed delivery since the last success; absent while deliveries succeed.',
    }),
  ),
  next: Type.Integer({ minimum: 1, description: 'Sequence of the next event that the webhook will examine.' }),
  pending: Type.Integer({ minimum: 0, description: 'Number of deliveries that wait for another attempt.' }),
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  urls: Type.Object({ location: Type.String() }),
}

export const Webhook = Type.Object(fields, { $id: 'Webhook' })

export const WebhookWithSecret = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'The secret that signs the deliveries. It is returned only once.' }),
  },
  { $id: 'WebhookWithSecret' },
)
