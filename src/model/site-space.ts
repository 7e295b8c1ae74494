/** Site spaces: the spaces that a site shows. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable } from './common.js'
import { Draft, SiteCondition, siteItemUrls, SitePath } from './site-fields.js'
import { Space } from './space.js'

/** The link between a site and a space, as stored. */
export interface SiteSpaceEntry {
  id: string
  space: string
  /** Unique among its siblings: the site spaces of the section, or of the root. */
  path: string
  condition?: string
  /** Not live: visitors see neither the site space nor its content. */
  draft?: true
  /**
   * The space is deleted. The site space is hidden until the space is restored, and removed when the space is purged.
   */
  hidden?: true
  /** Sort key for paging; increases along the list. */
  order?: string
}

export const SiteSpace = Type.Object(
  {
    object: Type.Literal('site-space'),
    id: Id,
    path: SitePath,
    section: Type.Optional(Id),
    space: Space,
    title: Type.String(),
    default: Type.Boolean({
      description: 'Whether it is the default site space of the site: the default of the default section.',
    }),
    condition: Type.Optional(SiteCondition),
    draft: Draft,
    hasAdvancedCustomizationFeature: Type.Boolean(),
    urls: siteItemUrls,
  },
  { $id: 'SiteSpace' },
)

export const CreateSiteSpace = Type.Object(
  { spaceId: Id, sectionId: Type.Optional(Id), draft: Type.Optional(Draft) },
  { ...closed, $id: 'CreateSiteSpace' },
)
export type CreateSiteSpace = Static<typeof CreateSiteSpace>

export const UpdateSiteSpace = Type.Object(
  {
    path: Type.Optional(SitePath),
    condition: Type.Optional(nullable(SiteCondition)),
    spaceId: Type.Optional(Id),
    draft: Type.Optional(Draft),
  },
  { ...closed, $id: 'UpdateSiteSpace' },
)
export type UpdateSiteSpace = Static<typeof UpdateSiteSpace>

const SiteSpacePointer = Type.Object({ type: Type.Literal('site-space'), siteSpace: Id }, closed)

export const MoveSiteSpace = Type.Object(
  {
    position: Type.Optional(
      Type.Object({ before: Type.Optional(SiteSpacePointer), after: Type.Optional(SiteSpacePointer) }, closed),
    ),
  },
  { ...closed, $id: 'MoveSiteSpace' },
)
