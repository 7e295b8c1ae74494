/** Deliveries of events to webhooks. */
import { Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Id, oneOf, Timestamp } from './common.js'
import { type EventType, eventTypes } from './event.js'

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The event type of a test. */
export const PING = 'webhook.ping'

/** An event for a webhook, as stored from its first attempt on. */
export interface DeliveryDoc {
  id: string
  webhook: string
  organization: string
  /** ID of the event; for a ping, its own ID. */
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
  /** From the last attempt. */
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

export const WebhookDelivery = Type.Object(
  {
    object: Type.Literal('webhook-delivery'),
    id: Id,
    webhook: Id,
    organization: Id,
    event: Type.String({ description: 'ID of the event, which is also in the header webhook-id.' }),
    sequence: Type.Optional(Type.Integer({ minimum: 1 })),
    type: oneOf([...eventTypes, PING] as const),
    status: oneOf(deliveryStatuses),
    attempts: Type.Integer({ minimum: 0 }),
    createdAt: Timestamp,
    lastAttemptAt: Type.Optional(Timestamp),
    nextAttemptAt: Type.Optional(Timestamp),
    finishedAt: Type.Optional(Timestamp),
    responseStatus: Type.Optional(Type.Integer({ description: 'HTTP status of the last attempt.' })),
    durationMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Duration of the last attempt.' })),
    error: Type.Optional(Type.String({ description: 'The reason why the last attempt failed.' })),
    replayOf: Type.Optional(Id),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'WebhookDelivery' },
)
