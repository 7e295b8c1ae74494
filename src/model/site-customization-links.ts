// The links in a site's customization: header, footer, pictures.
import { Type } from '@sinclair/typebox'
import { closed, nullable, oneOf } from './common.js'
import { Href, SiteDestination } from './site-destination.js'

/** A pair of addresses, for light and dark pages. */
export const ThemedHref = Type.Object({ light: Href, dark: Href }, closed)

export const LinkTitle = Type.String({ minLength: 1, maxLength: 100 })

const Style = oneOf(['link', 'button-primary', 'button-secondary'])
const Condition = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'Expression that decides whether a visitor sees the link.',
  }),
)

/** A link in the menu of a header link. With `to` null, it is a heading without a link. */
const SiteMenuLink = Type.Object(
  { title: Type.String({ minLength: 1, maxLength: 64 }), to: nullable(SiteDestination) },
  { ...closed, $id: 'SiteMenuLink' },
)
const Menu = Type.Array(SiteMenuLink, { maxItems: 50 })

const headerLink = { title: LinkTitle, to: nullable(SiteDestination), condition: Condition }

/** A link in the header, with a menu below it. */
export const SiteHeaderLink = Type.Object(
  { ...headerLink, style: Style, links: Menu },
  { ...closed, $id: 'SiteHeaderLink' },
)

/** A link in the header, as clients send it. The default style is `link`; without links, it has no menu. */
export const SiteHeaderLinkInput = Type.Object(
  { ...headerLink, style: Type.Optional(Style), links: Type.Optional(Menu) },
  { ...closed, $id: 'SiteHeaderLinkInput' },
)

const SiteFooterLink = Type.Object(
  { title: LinkTitle, to: nullable(SiteDestination) },
  { ...closed, $id: 'SiteFooterLink' },
)

export const SiteFooterGroup = Type.Object(
  { title: LinkTitle, links: Type.Array(SiteFooterLink, { maxItems: 50 }) },
  { ...closed, $id: 'SiteFooterGroup' },
)
