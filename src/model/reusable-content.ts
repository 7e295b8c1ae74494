/** Reusable content of a revision. */
import { Type } from '@sinclair/typebox'
import { Id } from './common.js'
import { GitPlace } from './content.js'

export const ReusableFields = { id: Id, title: Type.String(), git: Type.Optional(GitPlace) }

export const ReusableContent = Type.Object(
  {
    object: Type.Literal('reusable-content'),
    ...ReusableFields,
    markdown: Type.Optional(Type.String()),
    document: Type.Optional(Type.Unknown()),
  },
  { $id: 'ReusableContent' },
)
