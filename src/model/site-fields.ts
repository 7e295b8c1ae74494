/** Fields that the parts of a site share. */
import { Type } from '@sinclair/typebox'
import { Id, nullable } from './common.js'

export const SITE_TITLE = { minLength: 2, maxLength: 128 }

export const SitePath = Type.String({ minLength: 1, maxLength: 100 })

export const SiteCondition = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Expression that decides whether a visitor sees it.',
})

/** Whether the item is not live yet. */
export const Draft = Type.Boolean({
  description: 'A draft is not live: visitors see neither the item nor its content.',
})

export const SiteIconName = Type.String({ maxLength: 50, description: 'Name of an icon, such as `gear`.' })

/** `location` is its URL in the API. `published` is the URL for visitors, absent while the site is not published. */
export const siteItemUrls = Type.Object({ location: Type.String(), published: Type.Optional(Type.String()) })

/** The new parent of a moved item. */
export const Into = Type.Optional(
  nullable(
    Type.String({
      ...Id,
      description: 'ID of the new parent group; null = the top level; absent = the parent stays the same.',
    }),
  ),
)
