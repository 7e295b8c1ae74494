/** Groups of sections of a site. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable, oneOf } from './common.js'
import { SiteIconName } from './site-fields.js'
import { type SectionEntry, SiteSection } from './site-section.js'

/** A heading over sections, as stored. */
export interface GroupEntry {
  type: 'site-section-group'
  id: string
  title: string
  icon?: string
  /** Not live: visitors see neither it nor what is in it. */
  draft?: true
  sections: SectionEntry[]
  order?: string
}

export const SiteSectionGroup = Type.Object(
  {
    object: Type.Literal('site-section-group'),
    id: Id,
    title: Type.String(),
    icon: Type.Optional(SiteIconName),
    sections: Type.Array(SiteSection),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'SiteSectionGroup' },
)

const GroupTitle = Type.String({ minLength: 1, maxLength: 128 })

export const CreateSiteSectionGroup = Type.Object(
  { title: GroupTitle, icon: Type.Optional(nullable(SiteIconName)), sections: Type.Optional(Type.Array(Id, { maxItems: 500, uniqueItems: true })) },
  { ...closed, $id: 'CreateSiteSectionGroup' },
)
export type CreateSiteSectionGroup = Static<typeof CreateSiteSectionGroup>

export const UpdateSiteSectionGroup = Type.Object(
  { title: Type.Optional(GroupTitle), icon: Type.Optional(nullable(SiteIconName)) },
  { ...closed, $id: 'UpdateSiteSectionGroup' },
)
export type UpdateSiteSectionGroup = Static<typeof UpdateSiteSectionGroup>

export const AddSectionToGroup = Type.Object({ sectionId: Id }, { ...closed, $id: 'AddSectionToGroup' })

const GroupPointer = Type.Object({ type: oneOf(['site-section', 'site-section-group']), id: Id }, closed)

export const MoveSiteSectionGroup = Type.Object(
  { position: Type.Optional(Type.Object({ before: Type.Optional(GroupPointer), after: Type.Optional(GroupPointer) }, closed)) },
  { ...closed, $id: 'MoveSiteSectionGroup' },
)
