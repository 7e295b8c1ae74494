/** Collections: folders of spaces and collections. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, DefaultLevel, Id, nullable, permissionsOf } from './common.js'
import { ContentTitle, placeKey, Position } from './placement.js'

/** A collection of spaces and collections, as stored. */
export interface CollectionDoc {
  id: string
  organization: string
  parent?: string
  title: string
  description?: string
  defaultLevel: DefaultLevel
  createdAt: string
  createdBy?: string
  /** Its position among the spaces and collections of its parent: `kernel/order.ts`. */
  position?: string
}

export const collections = table<CollectionDoc>()({
  name: 'collections',
  indexes: { organization: (c) => c.organization, parent: (c) => c.parent ?? null, place: placeKey },
  owner: 'organization',
})

export const collectionPermissions = ['view', 'admin', 'viewInviteLinks', 'create'] as const

export const Collection = Type.Object(
  {
    object: Type.Literal('collection'),
    id: Id,
    title: ContentTitle,
    description: Type.Optional(Type.String({ maxLength: 100 })),
    organization: Id,
    parent: Type.Optional(Id),
    defaultLevel: DefaultLevel,
    position: Position,
    urls: Type.Object({ location: Type.String(), app: Type.String() }),
    permissions: permissionsOf(collectionPermissions),
  },
  { $id: 'Collection' },
)

export const CreateCollection = Type.Object(
  { title: Type.Optional(ContentTitle), parent: Type.Optional(Id) },
  { ...closed, $id: 'CreateCollection' },
)
export type CreateCollection = Static<typeof CreateCollection>

export const UpdateCollection = Type.Object(
  {
    title: Type.Optional(ContentTitle),
    description: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
    defaultLevel: Type.Optional(DefaultLevel),
  },
  { ...closed, $id: 'UpdateCollection' },
)
export type UpdateCollection = Static<typeof UpdateCollection>
