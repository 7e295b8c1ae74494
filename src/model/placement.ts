/** What spaces and collections have in common: they stand in one tree below their organization. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable } from './common.js'

/** Under which the spaces and collections of one parent are found: a collection, or an organization's top level. */
export const placeKey = ({ organization, parent }: { organization: string; parent?: string }): string => `${organization}/${parent ?? ''}`

export const ContentTitle = Type.String({ maxLength: 50 })

export const Position = Type.String({
  description: 'Opaque: the spaces and collections of one parent stand in the order of these keys, compared by code unit.',
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
          description: 'Collection to move it into; null = the top level of the organization; absent = it stays where it is.',
        }),
      ),
    ),
    position: Type.Optional(
      Type.Object(
        { before: Type.Optional(SiblingPointer), after: Type.Optional(SiblingPointer) },
        {
          ...closed,
          description: 'Directly before `before`, else directly after `after`: spaces or collections of that parent. Neither = at the end.',
        },
      ),
    ),
  },
  { ...closed, $id: 'MoveContent' },
)
export type MoveContent = Static<typeof MoveContent>

export const TransferContent = Type.Object(
  {
    organization: Type.String({ minLength: 1, maxLength: 64, description: 'Organization to transfer it to.' }),
    parent: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 64, description: 'Collection of that organization; absent or null = its top level.' })),
    ),
  },
  { ...closed, $id: 'TransferContent' },
)
export type TransferContent = Static<typeof TransferContent>
