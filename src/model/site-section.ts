/** Sections of a site. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable } from './common.js'
import { Draft, Into, SITE_TITLE, SiteCondition, SiteIconName, siteItemUrls, SitePath } from './site-fields.js'
import { SiteSpace, type SiteSpaceEntry } from './site-space.js'

/** A section, as stored. */
export interface SectionEntry {
  type: 'site-section'
  id: string
  title: string
  /** Unique among the sections of the site, across groups. */
  path: string
  description?: string
  condition?: string
  /** Not live: visitors see neither the section nor its content. */
  draft?: true
  icon?: string
  siteSpaces: SiteSpaceEntry[]
  /** ID of one of its site spaces; null = it has none. */
  defaultSiteSpace: string | null
  order?: string
}

const Title = Type.String(SITE_TITLE)

const Description = Type.String({ maxLength: 256 })

export const SiteSection = Type.Object(
  {
    object: Type.Literal('site-section'),
    id: Id,
    title: Title,
    description: Type.Optional(Description),
    default: Type.Boolean({ description: 'Whether it is the default section of the site.' }),
    defaultSiteSpace: Type.Optional(Id),
    path: SitePath,
    condition: Type.Optional(SiteCondition),
    draft: Draft,
    sectionGroup: Type.Optional(Id),
    icon: Type.Optional(SiteIconName),
    siteSpaces: Type.Array(SiteSpace),
    urls: siteItemUrls,
  },
  { $id: 'SiteSection' },
)

export const CreateSiteSection = Type.Object(
  {
    spaceId: Id,
    title: Type.Optional(nullable(Title)),
    icon: Type.Optional(nullable(SiteIconName)),
    draft: Type.Optional(Draft),
  },
  { ...closed, $id: 'CreateSiteSection' },
)
export type CreateSiteSection = Static<typeof CreateSiteSection>

export const UpdateSiteSection = Type.Object(
  {
    title: Type.Optional(Title),
    path: Type.Optional(SitePath),
    defaultSiteSpace: Type.Optional(Id),
    condition: Type.Optional(nullable(SiteCondition)),
    icon: Type.Optional(nullable(SiteIconName)),
    description: Type.Optional(nullable(Description)),
    draft: Type.Optional(Draft),
  },
  { ...closed, $id: 'UpdateSiteSection' },
)
export type UpdateSiteSection = Static<typeof UpdateSiteSection>

const SectionPointer = Type.Object({ type: Type.Literal('site-section'), siteSection: Id }, closed)

export const MoveSiteSection = Type.Object(
  {
    into: Into,
    position: Type.Optional(
      Type.Object({ before: Type.Optional(SectionPointer), after: Type.Optional(SectionPointer) }, closed),
    ),
  },
  { ...closed, $id: 'MoveSiteSection' },
)
