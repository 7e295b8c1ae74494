/** Endpoints of an organization's event stream: clients list events or get a single one. */
import { Type } from '@sinclair/typebox'
import { eventJson, listEvents } from '../../domain/events/event-stream.js'
import { Event, EventTypeSchema, Id, listOf, oneOf, pageQuery, Timestamp } from '../../model/index.js'
import { endpoint } from '../service.js'
import { defined } from '../../kernel/defined.js'

const section = 'Events'

export const listEventsInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/events',
  summary: 'List the events of an organization',
  description:
    'Events are numbered by `sequence`. To follow the stream, request `order=asc` and set `after` to the last sequence that you have received. Sequences ' +
    'have no gaps, except at the start, where old events have been removed. Events about changed content follow shortly after the change; events of a push ' +
    'with plain Git follow within a minute. With `type`, `space` or `since`, each request examines at most 10,000 events. If more events would have to be ' +
    'examined, a page can be short or empty and still have a `next`, and `count` covers only the examined events.',
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
    const found = await listEvents(app, organization, filter, { limit, ...defined({ page }) }, order)
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
