/** Members that the parts of a site have in common. */
import { Type } from '@sinclair/typebox'

export const SITE_TITLE = { minLength: 2, maxLength: 128 }

export const SitePath = Type.String({ minLength: 1, maxLength: 100 })

export const SiteCondition = Type.String({ minLength: 1, maxLength: 1024, description: 'Expression that decides whether it is shown to a visitor.' })

export const SiteIconName = Type.String({ maxLength: 50, description: 'Name of an icon, such as `gear`.' })

/** `location` is its URL in the API, `published` the one for visitors: absent while the site is not published. */
export const siteItemUrls = Type.Object({ location: Type.String(), published: Type.Optional(Type.String()) })
