/** What spaces and collections have in common: they stand in one tree below their organization. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable } from './common.js'

/** Index key of the parent of a space or collection: a collection, or the top level of an organization. */
export const placeKey = ({ organization, parent }: { organization: string; parent?: string }): string =>
  `${organization}/${parent ?? ''}`

export const ContentTitle = Type.String({ maxLength: 50 })

export const Position = Type.String({
  description: 'Opaque key: the spaces and collections of one parent are ordered by it, compared by code unit.',
})

const SiblingPointer = Type.Union([
  Type.Object({ type: Type.Literal('space'), space: Id }, closed),
  Type.Object({ type: Type.Literal('collection'), collection: Id }, closed),
])
export type SiblingPointer = Static<typeof SiblingPointer>

export const MoveContent = Type.Object(
  {
    parent: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description:
            'ID of the collection to move it into; null = the top level of the organization; absent = it keeps its parent.',
        }),
      ),
    ),
    position: Type.Optional(
      Type.Object(
        { before: Type.Optional(SiblingPointer), after: Type.Optional(SiblingPointer) },
        {
          ...closed,
          description:
            'Directly before `before`, otherwise directly after `after`, which must be spaces or collections of that parent. Absent = last.',
        },
      ),
    ),
  },
  { ...closed, $id: 'MoveContent' },
)
export type MoveContent = Static<typeof MoveContent>

export const TransferContent = Type.Object(
  {
    organization: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'ID of the organization to transfer it to.',
    }),
    parent: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'ID of a collection of that organization; absent or null = its top level.',
        }),
      ),
    ),
  },
  { ...closed, $id: 'TransferContent' },
)
export type TransferContent = Static<typeof TransferContent>
