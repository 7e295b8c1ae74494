/** Targets of links and redirects of a site: a URL, or a page, anchor, space, section or site space. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id } from './common.js'

const Anchor = Type.String({ minLength: 1, maxLength: 256 })

/** An address that pages of a site can link to or load from. `hrefFault` checks its format beyond the length. */
export const Href = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'An https or http URL, or a path of the site that starts with a single "/".',
})

/** The target of a link or redirect of a site. */
export const SiteDestination = Type.Union(
  [
    Type.Object({ kind: Type.Literal('url'), url: Href }, closed),
    Type.Object({ kind: Type.Literal('page'), page: Id, space: Id }, closed),
    Type.Object({ kind: Type.Literal('anchor'), anchor: Anchor, page: Id, space: Id }, closed),
    Type.Object({ kind: Type.Literal('space'), space: Id }, closed),
    Type.Object({ kind: Type.Literal('site-section'), siteSection: Id }, closed),
    Type.Object({ kind: Type.Literal('site-space'), siteSpace: Id }, closed),
  ],
  {
    $id: 'SiteDestination',
    description:
      'A URL (https, http, or a path of the site), or a content reference: a page, an anchor in it, a space, a section or a site space of the site.',
  },
)
export type SiteDestination = Static<typeof SiteDestination>

/** Whether the target of a destination still exists. */
export const destinationStatuses = ['ok', 'broken'] as const
export type DestinationStatus = (typeof destinationStatuses)[number]
