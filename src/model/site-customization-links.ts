import { Type } from '@sinclair/typebox'
import { closed, nullable, oneOf } from './common.js'
import { Href, SiteDestination } from './site-destination.js'

/** A pair of addresses, for light and dark pages. */
export const ThemedHref = Type.Object({ light: Href, dark: Href }, closed)

export const LinkTitle = Type.String({ minLength: 1, maxLength: 100 })

/** A link of a menu; `to` null = a heading that leads nowhere. */
const SiteLink = Type.Object({ title: LinkTitle, to: nullable(SiteDestination) }, { ...closed, $id: 'SiteLink' })

/** A link in the header, with a menu below it. */
export const SiteHeaderLink = Type.Object(
  {
    title: LinkTitle,
    to: nullable(SiteDestination),
    style: Type.Optional(oneOf(['link', 'button-primary', 'button-secondary'])),
    condition: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: 'Expression that decides whether a visitor sees the link.' })),
    links: Type.Optional(Type.Array(SiteLink, { maxItems: 50 })),
  },
  { ...closed, $id: 'SiteHeaderLink' },
)

export const SiteFooterGroup = Type.Object({ title: LinkTitle, links: Type.Array(SiteLink, { maxItems: 50 }) }, { ...closed, $id: 'SiteFooterGroup' })
