/** Members that the parts of a site have in common. */
import { Type } from '@sinclair/typebox'
import { Id, nullable } from './common.js'

export const SITE_TITLE = { minLength: 2, maxLength: 128 }

export const SitePath = Type.String({ minLength: 1, maxLength: 100 })

export const SiteCondition = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Expression that decides whether it is shown to a visitor.',
})

/** Whether it is not live yet. */
export const Draft = Type.Boolean({ description: 'A draft is not live: visitors see neither it nor what is in it.' })

export const SiteIconName = Type.String({ maxLength: 50, description: 'Name of an icon, such as `gear`.' })

/** `location` is its URL in the API, `published` the one for visitors: absent while the site is not published. */
export const siteItemUrls = Type.Object({ location: Type.String(), published: Type.Optional(Type.String()) })

/** Where an item is moved to, besides its position among its siblings there. */
export const Into = Type.Optional(
  nullable(
    Type.String({
      ...Id,
      description: 'ID of the group to move it into; null = the top level; absent = it stays among its siblings.',
    }),
  ),
)
