/** The position of spaces and collections, which form one tree below their organization. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable } from './common.js'

/** Returns the index key of the parent of a space or collection: a collection, or the top level of an organization. */
export const placeKey = ({ organization, parent }: { organization: string; parent?: string }): string =>
  `${organization}/${parent ?? ''}`

export const ContentTitle = Type.String({ maxLength: 50 })

export const Position = Type.String({
  description: 'Opaque sort key of the spaces and collections of one parent, compared by code unit.',
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
            'ID of the new parent collection; null = the top level of the organization; absent = the parent stays the same.',
        }),
      ),
    ),
    position: Type.Optional(
      Type.Object(
        { before: Type.Optional(SiblingPointer), after: Type.Optional(SiblingPointer) },
        {
          ...closed,
          description:
            'Directly before `before`, otherwise directly after `after`, which must be spaces or collections of the new parent. Absent = last.',
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
      description: 'ID of the target organization.',
    }),
    parent: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'ID of a collection of the target organization; absent or null = its top level.',
        }),
      ),
    ),
  },
  { ...closed, $id: 'TransferContent' },
)
export type TransferContent = Static<typeof TransferContent>
