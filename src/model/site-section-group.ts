/** Section groups of a site. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable, oneOf } from './common.js'
import { type LinkEntry, SiteExternalLink } from './site-external-link.js'
import { Draft, Into, SiteIconName } from './site-fields.js'
import { type SectionEntry, SiteSection } from './site-section.js'

/** The possible items of a group. */
export type GroupChild = SectionEntry | GroupEntry | LinkEntry

/** A group of sections, links and further groups, as stored. */
export interface GroupEntry {
  type: 'site-section-group'
  id: string
  title: string
  icon?: string
  /** Not live: visitors see neither the group nor its content. */
  draft?: true
  children: GroupChild[]
  order?: string
}

export const SiteSectionGroup = Type.Recursive(
  (Self) =>
    Type.Object({
      object: Type.Literal('site-section-group'),
      id: Id,
      title: Type.String(),
      icon: Type.Optional(SiteIconName),
      draft: Draft,
      sectionGroup: Type.Optional(Type.String({ ...Id, description: 'ID of the parent group.' })),
      sections: Type.Array(SiteSection, { description: 'The sections directly in the group.' }),
      children: Type.Array(Type.Union([SiteSection, Self, SiteExternalLink]), {
        description: 'Sections, groups and external links, in order.',
      }),
      urls: Type.Object({ location: Type.String() }),
    }),
  { $id: 'SiteSectionGroup' },
)

export type SiteSectionGroup = Static<typeof SiteSectionGroup>

const GroupTitle = Type.String({ minLength: 1, maxLength: 128 })

export const CreateSiteSectionGroup = Type.Object(
  {
    title: GroupTitle,
    icon: Type.Optional(nullable(SiteIconName)),
    draft: Type.Optional(Draft),
    sectionGroup: Type.Optional(Type.String({ ...Id, description: 'ID of the parent group.' })),
    sections: Type.Optional(Type.Array(Id, { maxItems: 500, uniqueItems: true })),
  },
  { ...closed, $id: 'CreateSiteSectionGroup' },
)
export type CreateSiteSectionGroup = Static<typeof CreateSiteSectionGroup>

export const UpdateSiteSectionGroup = Type.Object(
  { title: Type.Optional(GroupTitle), icon: Type.Optional(nullable(SiteIconName)), draft: Type.Optional(Draft) },
  { ...closed, $id: 'UpdateSiteSectionGroup' },
)
export type UpdateSiteSectionGroup = Static<typeof UpdateSiteSectionGroup>

export const AddSectionToGroup = Type.Object({ sectionId: Id }, { ...closed, $id: 'AddSectionToGroup' })

const GroupPointer = Type.Object(
  { type: oneOf(['site-section', 'site-section-group', 'site-external-link']), id: Id },
  closed,
)

export const MoveSiteSectionGroup = Type.Object(
  {
    into: Into,
    position: Type.Optional(
      Type.Object({ before: Type.Optional(GroupPointer), after: Type.Optional(GroupPointer) }, closed),
    ),
  },
  { ...closed, $id: 'MoveSiteSectionGroup' },
)
