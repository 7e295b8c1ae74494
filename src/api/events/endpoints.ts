import { Type } from '@sinclair/typebox'
import { eventJson, listEvents } from '../../domain/events/event-stream.js'
import { Event, EventTypeSchema, Id, listOf, oneOf, pageQuery, Timestamp } from '../../model/index.js'
import { endpoint } from '../service.js'

const section = 'Events'

export const listEventsInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/events',
  summary: 'List what happened in an organization',
  description:
    'The sequence of an event says its place: to follow the stream, ask with `order=asc` and `after` = the last sequence seen. Sequences have no gaps but what is not kept any more. What Git moved is told of shortly after it moved; a push of plain Git within a minute. With `type`, `space` or `since`, one request looks at 10,000 events at most: where that is not enough, a page may be short, or empty, and still have a `next` that goes on, and `count` is how many of the newest so many match.',
  section,
  needs: 'organization:admin',
  query: Type.Object({
    ...pageQuery,
    type: Type.Optional(Type.Array(EventTypeSchema, { maxItems: 100, description: 'Only these types.' })),
    space: Type.Optional(Id),
    after: Type.Optional(Type.Integer({ minimum: 0, description: 'Only events with a greater sequence.' })),
    since: Type.Optional(Timestamp),
    order: oneOf(['asc', 'desc'], { default: 'desc' }),
  }),
  returns: listOf(Event, { $id: 'EventList' }),
  handle: async ({ app, organization, query }) => {
    const { page, limit, order, ...filter } = query
    const found = await listEvents(app, organization, filter, { limit, ...(page === undefined ? {} : { page }) }, order)
    return { ...found, items: found.items.map((event) => eventJson(app, event)) }
  },
})

export const getEventInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/events/{eventId}',
  summary: 'Get an event',
  section,
  needs: 'organization:admin',
  returns: Event,
  handle: ({ app, event }) => eventJson(app, event),
})
