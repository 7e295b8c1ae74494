/** The introduction of the OpenAPI document and the descriptions of its tags. */

import { Event } from '../model/index.js'
import { examples } from './examples.js'
import type { ApiProse } from './openapi.js'

const introduction = `
The API of Bindery, a documentation server whose spaces are Git repositories. Every path starts with \`/v1\`; requests and responses are JSON.
In examples, a name in braces such as \`{spaceId}\` stands for the ID of a resource of yours.

## Tokens

Send a token with every request: \`Authorization: Bearer <token>\`. The first one is printed by the first start of the server and is kept in
\`data/admin-token\`. Create others with \`POST /v1/user/tokens\`, or on the server with \`bindery token\`. A token belongs to a user and can be limited to
one organization, to reading, and in time. Its secret is returned once. \`permissions\` of a resource say what the token may do there.

## Pages of lists

Lists take \`limit\` (0 to 1000, default 50) and \`page\`, and return \`{items, count, next}\`. Pass \`next.page\` of a response as \`page\` of the next request.
A list has ended when there is no \`next\`. Cursors stay valid while items are added and removed.

## Errors

Errors are \`{"error": {"code", "message"}}\`. \`code\` is the HTTP status; \`message\` says what is wrong and what to do. Invalid requests have
\`details\`: a list of \`{path, message}\`, with JSON pointers into the body. Conflicts have \`paths\`: the files in conflict. A resource that you may not see
is 404, as if it did not exist. Unknown query parameters are ignored; unknown members of a body are rejected. Give the header \`X-Request-Id\` of the
response when you ask for help.

## Retries

Repeat a request after 429 and 503, when the seconds in \`Retry-After\` have passed. GET, PUT and DELETE can be repeated after any failure of the
connection. After a POST without a response, read the resource first: the request may have succeeded. For edits of content, send \`If-Match\`.

## Rate limits

Requests are counted by token and by address. \`RateLimit-Policy\` states the limit and \`RateLimit\` what is left of it. Above the limit, the response is
429.

## Caching

Responses to GET have an \`ETag\`. Send it as \`If-None-Match\`: the response is 304 without a body if nothing has changed.

## Versions

The version is part of the path. Within \`/v1\`, members and operations may be added at any time, so ignore members that you do not know. Operations and
members that will be removed are marked as deprecated first.

## Webhooks

A webhook receives the events of an organization as POST requests, signed as in Standard Webhooks: the headers \`webhook-id\`,
\`webhook-timestamp\` and \`webhook-signature\`. Verify the signature, respond with 2xx within 15 seconds, and handle repeated and reordered deliveries by
\`webhook-id\` and \`sequence\`. The body is an event as \`GET /v1/orgs/{organizationId}/events/{eventId}\` returns it; see \`webhooks\` in this document.
`.trim()

const tags: Readonly<Record<string, string>> = {
  'Change request content': 'The pages, files and links of a change request.',
  'Change requests':
    'Proposed changes to a space: branches that are reviewed, updated from the main content, and merged.',
  'Collection permissions': 'The roles that users and teams have on a collection.',
  Collections: 'Groups of spaces. Collections can contain other collections.',
  'Comments on change requests': 'Discussions about a change request, its pages and blocks.',
  'Comments on spaces': 'Discussions about the main content of a space, its pages and blocks.',
  Connections: 'Connections to repositories on GitHub, GitLab and other hosts that keep a space in sync automatically.',
  Events: 'The events of an organization, in order, and its audit log.',
  'Git sync': 'Single imports from and exports to a Git repository, with their progress.',
  'Importing content': 'Imports of websites, archives and documents into a space.',
  Invites: 'Invitations by email and by link to join an organization.',
  Links: 'The links of a revision with their status, and the backlinks of a page or file.',
  Members: 'The people in an organization, with their roles, spaces and teams.',
  'OpenAPI specifications': 'Specifications that pages display, with their versions.',
  Organizations: 'The owners of spaces, sites, members and teams.',
  PDF: 'PDFs of spaces, change requests and single pages.',
  'Published sites': 'The published content of sites, as visitors see it.',
  Reviews: 'Reviews of change requests, and requests for them.',
  Revisions: 'The history of a space: each revision is a Git commit.',
  Search: 'Full-text search in a space, and in all spaces of an organization.',
  Service: 'The name and version of the service, and this document.',
  'Sign-in': 'Sign-in by links in emails.',
  'Single sign-on': 'Sign-in through SAML identity providers, and the members who must use it.',
  'Site permissions': 'The roles that users and teams have on a site.',
  'Site redirects': 'Addresses of a site that redirect to others.',
  'Site section groups': 'Groups of sections and external links in the navigation of a site.',
  'Site sections': 'The sections of a site, each with one or more spaces.',
  'Site share links': 'Secret addresses that open a site to everyone who knows them.',
  'Site spaces': 'The spaces that a site shows, as variants of a section.',
  Sites: 'Sites publish spaces. Their settings control who can visit them and how they look.',
  'Space content': 'The pages and files of the main content.',
  'Space permissions': 'The roles that users and teams have on a space.',
  Spaces: 'A space contains documentation: pages and files in a Git repository.',
  Teams: 'Groups of members that share roles.',
  Templates: 'Templates for the content of new spaces, which can also be added to existing ones.',
  Translations: 'Spaces that are kept up to date with a source space in another language.',
  Inbox: 'What waits for you, your notifications, and your settings.',
  Users: 'Your account, other users, and API tokens.',
  Webhooks: 'Subscriptions that deliver events to your servers, with their deliveries.',
  'Writing content':
    'Edits of pages, files, variables and reusable content, in batches that are applied completely or not at all.',
}

/** The texts of the OpenAPI document that are not part of declarations. */
export const about: ApiProse = {
  introduction,
  tags,
  examples,
  webhooks: { event: { summary: 'An event of the organization, sent to its webhooks', body: Event } },
}
