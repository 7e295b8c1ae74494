// The resource "event": what is stored, and what clients get.
import { Type } from '@sinclair/typebox'
import { journal } from '../kernel/documents.js'
import { Id, oneOf, Timestamp } from './common.js'

/** What can happen. The first word is the kind of resource that the event is about. */
export const eventTypes = [
  'organization.updated',
  'member.joined',
  'member.updated',
  'member.removed',
  'team.created',
  'team.updated',
  'team.deleted',
  'collection.created',
  'collection.updated',
  'collection.moved',
  'collection.transferred',
  'collection.deleted',
  'space.created',
  'space.updated',
  'space.moved',
  'space.transferred',
  'space.deleted',
  'space.restored',
  'space.purged',
  'space.ref_set_aside',
  'content.updated',
  'change_request.created',
  'change_request.updated',
  'change_request.merged',
  'review.requested',
  'review.created',
  'comment.created',
  'comment.updated',
  'comment.deleted',
  'reply.created',
  'reply.updated',
  'reply.deleted',
  'git_sync.finished',
  'git_connection.created',
  'git_connection.updated',
  'git_connection.deleted',
  'git_connection.failed',
  'git_connection.recovered',
  'site.created',
  'site.updated',
  'site.published',
  'site.unpublished',
  'site.deleted',
  'openapi_spec.created',
  'openapi_spec.updated',
  'openapi_spec.version_created',
  'openapi_spec.deleted',
  'saml_provider.created',
  'saml_provider.updated',
  'saml_provider.deleted',
  'translation.created',
  'translation.updated',
  'translation.finished',
  'translation.deleted',
] as const
export type EventType = (typeof eventTypes)[number]

/** IDs of the resources that an event is about. */
export interface EventSubject {
  user?: string
  team?: string
  collection?: string
  space?: string
  changeRequest?: string
  comment?: string
  site?: string
  openapiSpec?: string
  samlProvider?: string
  translation?: string
  connection?: string
}

/** Something that happened, as stored: never changed, removed when its retention ends. */
export interface EventDoc {
  id: string
  organization: string
  /** 1, 2, 3 … in its organization, in the order of commitment, without gaps. */
  sequence: number
  type: EventType
  at: string
  /** User who did it; absent = the service. */
  actor?: string
  subject: EventSubject
  /** Further details, depending on the type. Nothing secret. */
  data: Record<string, unknown>
}

/** The streams: a group per organization, in which the position of an event is its sequence. */
export const events = journal<EventDoc>()({
  name: 'journal-events',
  group: (event) => event.organization,
  at: (event) => event.at,
})

export const EventTypeSchema = oneOf(eventTypes, { $id: 'EventType' })

export const Event = Type.Object(
  {
    object: Type.Literal('event'),
    id: Id,
    organization: Id,
    sequence: Type.Integer({ minimum: 1, description: 'Increases by one with every event of the organization.' }),
    type: EventTypeSchema,
    at: Timestamp,
    actor: Type.Optional(
      Type.String({ description: 'ID of the user who did it; absent if it was the service, or plain Git.' }),
    ),
    subject: Type.Record(Type.String(), Type.String(), {
      description: 'IDs of the resources that the event is about, by kind: user, team, space …',
    }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Further details, depending on the type. Members may be added in later versions.',
    }),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'Event' },
)
