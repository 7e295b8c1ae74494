/** Schemas that pages, files, reusable content and revisions share. */
import { type Static, Type } from '@sinclair/typebox'
import { Id, oneOf } from './common.js'

/** Formats of content in responses. */
export const formats = ['markdown', 'document'] as const

export type Format = (typeof formats)[number]

/** A content reference: `kind`, and a member with the ID or address of the target. */
export const ContentReference = Type.Object(
  {
    kind: oneOf(['file', 'url', 'page', 'anchor', 'user', 'collection', 'space', 'reusable-content', 'openapi']),
    file: Type.Optional(Id),
    url: Type.Optional(Type.String()),
    page: Type.Optional(Id),
    space: Type.Optional(Id),
    anchor: Type.Optional(Type.String()),
    user: Type.Optional(Id),
    collection: Type.Optional(Id),
    reusableContent: Type.Optional(Id),
    spec: Type.Optional(Type.String()),
  },
  { $id: 'ContentReference' },
)
export type ContentReference = Static<typeof ContentReference>

/** The block tree of a page, as returned with `format=document`. */
export const ContentDocument = Type.Object(
  {
    object: Type.Literal('document'),
    data: Type.Record(Type.String(), Type.Unknown()),
    nodes: Type.Array(Type.Unknown()),
  },
  { $id: 'ContentDocument', description: 'The block tree of a page, as returned with `format=document`.' },
)

export const GitPlace = Type.Object(
  {
    oid: Type.String(),
    path: Type.String(),
    url: Type.Optional(
      Type.String({ description: 'The address of the file at the Git provider, where it can be edited.' }),
    ),
  },
  { $id: 'GitPlace' },
)

export const Diagnostic = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    file: Type.Optional(Type.String()),
    line: Type.Optional(Type.Integer()),
    column: Type.Optional(Type.Integer()),
  },
  {
    $id: 'Diagnostic',
    description: 'A problem in the repository that its authors should know about. It never stops an import.',
  },
)

const flag = (description: string) => Type.Boolean({ default: true, description })

/** The query parameters of all content reads. */
export const contentQuery = {
  metadata: flag('False omits the Git metadata, which can change without a change in content.'),
  computed: flag('False returns computed content as written in the source.'),
}

export const ContentQuery = Type.Object(contentQuery)
