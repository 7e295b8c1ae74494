import { type Static, Type } from '@sinclair/typebox'
import { Id, nullable, oneOf } from './common.js'
import { Site } from './site.js'
import { SiteCustomization } from './site-customization.js'
import { SITE_TITLE, siteItemTypes } from './site-structure.js'
import { Space } from './space.js'

const Title = Type.String(SITE_TITLE)
const Path = Type.String({ minLength: 1, maxLength: 100 })
const Condition = Type.String({ minLength: 1, maxLength: 1024, description: 'Expression that decides whether a visitor is shown it.' })
const Icon = Type.String({ maxLength: 50, description: 'Name of an icon, such as `gear`.' })
const Description = Type.String({ maxLength: 256 })
const closed = { additionalProperties: false } as const

/** `urls.location` is where the API answers it, `urls.published` what visitors see: absent while the site is not published. */
const urls = Type.Object({ location: Type.String(), published: Type.Optional(Type.String()) })

export const SiteSpace = Type.Object(
  {
    object: Type.Literal('site-space'),
    id: Id,
    path: Path,
    section: Type.Optional(Id),
    space: Space,
    title: Type.String(),
    default: Type.Boolean({ description: 'Whether it is the default space of the site: the default one of its default section.' }),
    condition: Type.Optional(Condition),
    hasAdvancedCustomizationFeature: Type.Boolean(),
    urls,
  },
  { $id: 'SiteSpace' },
)

export const SiteSection = Type.Object(
  {
    object: Type.Literal('site-section'),
    id: Id,
    title: Title,
    description: Type.Optional(Description),
    default: Type.Boolean({ description: 'Whether it is the default section of the site.' }),
    defaultSiteSpace: Type.Optional(Id),
    path: Path,
    condition: Type.Optional(Condition),
    sectionGroup: Type.Optional(Id),
    icon: Type.Optional(Icon),
    siteSpaces: Type.Array(SiteSpace),
    urls,
  },
  { $id: 'SiteSection' },
)

export const SiteSectionGroup = Type.Object(
  {
    object: Type.Literal('site-section-group'),
    id: Id,
    title: Type.String(),
    icon: Type.Optional(Icon),
    sections: Type.Array(SiteSection),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'SiteSectionGroup' },
)

export const SiteStructureAnswer = Type.Union(
  [
    Type.Object({ type: Type.Literal('sections'), structure: Type.Array(Type.Union([SiteSection, SiteSectionGroup])) }),
    Type.Object({ type: Type.Literal('siteSpaces'), structure: Type.Array(SiteSpace) }),
  ],
  { $id: 'SiteStructure' },
)

export const CreateSiteSection = Type.Object(
  { spaceId: Id, title: Type.Optional(nullable(Title)), icon: Type.Optional(nullable(Icon)) },
  { ...closed, $id: 'CreateSiteSection' },
)
export type CreateSiteSection = Static<typeof CreateSiteSection>

export const UpdateSiteSection = Type.Object(
  {
    title: Type.Optional(Title),
    path: Type.Optional(Path),
    defaultSiteSpace: Type.Optional(Id),
    condition: Type.Optional(nullable(Condition)),
    icon: Type.Optional(nullable(Icon)),
    description: Type.Optional(nullable(Description)),
  },
  { ...closed, $id: 'UpdateSiteSection' },
)
export type UpdateSiteSection = Static<typeof UpdateSiteSection>

const GroupTitle = Type.String({ minLength: 1, maxLength: 128 })

export const CreateSiteSectionGroup = Type.Object(
  { title: GroupTitle, icon: Type.Optional(nullable(Icon)), sections: Type.Optional(Type.Array(Id, { maxItems: 500, uniqueItems: true })) },
  { ...closed, $id: 'CreateSiteSectionGroup' },
)
export type CreateSiteSectionGroup = Static<typeof CreateSiteSectionGroup>

export const UpdateSiteSectionGroup = Type.Object(
  { title: Type.Optional(GroupTitle), icon: Type.Optional(nullable(Icon)) },
  { ...closed, $id: 'UpdateSiteSectionGroup' },
)
export type UpdateSiteSectionGroup = Static<typeof UpdateSiteSectionGroup>

export const AddSectionToGroup = Type.Object({ sectionId: Id }, { ...closed, $id: 'AddSectionToGroup' })

export const CreateSiteSpace = Type.Object({ spaceId: Id, sectionId: Type.Optional(Id) }, { ...closed, $id: 'CreateSiteSpace' })
export type CreateSiteSpace = Static<typeof CreateSiteSpace>

export const UpdateSiteSpace = Type.Object(
  { path: Type.Optional(Path), condition: Type.Optional(nullable(Condition)), spaceId: Type.Optional(Id) },
  { ...closed, $id: 'UpdateSiteSpace' },
)
export type UpdateSiteSpace = Static<typeof UpdateSiteSpace>

const SectionPointer = Type.Object({ type: Type.Literal('site-section'), siteSection: Id }, closed)
const SiteSpacePointer = Type.Object({ type: Type.Literal('site-space'), siteSpace: Id }, closed)
const GroupPointer = Type.Object({ type: oneOf(['site-section', 'site-section-group']), id: Id }, closed)
const ItemPointer = Type.Object({ type: oneOf(siteItemTypes), id: Id }, closed)

export const MoveSiteSection = Type.Object(
  { position: Type.Optional(Type.Object({ before: Type.Optional(SectionPointer), after: Type.Optional(SectionPointer) }, closed)) },
  { ...closed, $id: 'MoveSiteSection' },
)
export const MoveSiteSectionGroup = Type.Object(
  { position: Type.Optional(Type.Object({ before: Type.Optional(GroupPointer), after: Type.Optional(GroupPointer) }, closed)) },
  { ...closed, $id: 'MoveSiteSectionGroup' },
)
export const MoveSiteSpace = Type.Object(
  { position: Type.Optional(Type.Object({ before: Type.Optional(SiteSpacePointer), after: Type.Optional(SiteSpacePointer) }, closed)) },
  { ...closed, $id: 'MoveSiteSpace' },
)
export const SortSiteStructure = Type.Object(
  { item: ItemPointer, position: Type.Optional(Type.Object({ before: Type.Optional(ItemPointer), after: Type.Optional(ItemPointer) }, closed)) },
  { ...closed, $id: 'SortSiteStructure' },
)

/** What visitors of a site get. */
export const PublishedContentSite = Type.Object(
  {
    object: Type.Literal('published-content-site'),
    site: Site,
    structure: SiteStructureAnswer,
    customizations: Type.Object({
      site: SiteCustomization,
      siteSpaces: Type.Record(Type.String(), SiteCustomization, { description: 'By ID, those site spaces that look different from the site.' }),
    }),
    scripts: Type.Array(Type.String(), { maxItems: 0 }),
  },
  { $id: 'PublishedContentSite' },
)
