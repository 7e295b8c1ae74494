/** External links among the sections of a group. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, listOf, nullable } from './common.js'
import { Href } from './site-destination.js'
import { SiteIconName } from './site-fields.js'

/** A link, as stored. */
export interface LinkEntry {
  type: 'site-external-link'
  id: string
  title: string
  target: string
  icon?: string
  order?: string
}

const Title = Type.String({ minLength: 1, maxLength: 128 })

export const SiteExternalLink = Type.Object(
  {
    object: Type.Literal('site-external-link'),
    id: Id,
    title: Title,
    target: Href,
    icon: Type.Optional(SiteIconName),
    sectionGroup: Type.String({ ...Id, description: 'ID of the group that contains the link.' }),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'SiteExternalLink' },
)

export const SiteExternalLinkList = listOf(SiteExternalLink, { $id: 'SiteExternalLinkList' })

export const CreateSiteExternalLink = Type.Object(
  { title: Title, target: Href, icon: Type.Optional(nullable(SiteIconName)), sectionGroup: Id },
  { ...closed, $id: 'CreateSiteExternalLink' },
)
export type CreateSiteExternalLink = Static<typeof CreateSiteExternalLink>

export const UpdateSiteExternalLink = Type.Object(
  {
    title: Type.Optional(Title),
    target: Type.Optional(Href),
    icon: Type.Optional(nullable(SiteIconName)),
    sectionGroup: Type.Optional(Id),
  },
  { ...closed, $id: 'UpdateSiteExternalLink' },
)
export type UpdateSiteExternalLink = Static<typeof UpdateSiteExternalLink>
