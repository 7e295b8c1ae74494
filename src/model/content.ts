import { type Static, Type } from '@sinclair/typebox'
import { Id, listOf, oneOf, pageQuery, Timestamp } from './common.js'
import { MergedFrom, RevisionGit, revisionTypes } from './history.js'

/** Formats of content in answers. */
export const formats = ['markdown', 'document'] as const
export type Format = (typeof formats)[number]

const StringMap = Type.Record(Type.String(), Type.String())
const optional = Type.Optional

/** A content reference: `kind`, and a member that holds an ID (spec/gaps.md). */
export const ContentReference = Type.Object(
  {
    kind: oneOf(['file', 'url', 'page', 'anchor', 'user', 'collection', 'space', 'reusable-content', 'openapi']),
    file: optional(Id),
    url: optional(Type.String()),
    page: optional(Id),
    space: optional(Id),
    anchor: optional(Type.String()),
    user: optional(Id),
    collection: optional(Id),
    reusableContent: optional(Id),
    spec: optional(Type.String()),
  },
  { $id: 'ContentReference' },
)
export type ContentReference = Static<typeof ContentReference>

export const GitPlace = Type.Object(
  { oid: Type.String(), path: Type.String(), url: optional(Type.String({ description: 'Where the file is shown (and edited) at the Git provider.' })) },
  { $id: 'GitPlace' },
)

export const Diagnostic = Type.Object(
  { code: Type.String(), message: Type.String(), file: optional(Type.String()), line: optional(Type.Integer()), column: optional(Type.Integer()) },
  { $id: 'Diagnostic', description: 'Something about the repository that its authors should know. It never stops an import.' },
)

const Layout = Type.Object({
  width: optional(oneOf(['default', 'wide'])),
  cover: optional(Type.Boolean()),
  coverSize: optional(oneOf(['hero', 'full'])),
  title: optional(Type.Boolean()),
  description: optional(Type.Boolean()),
  tableOfContents: optional(Type.Boolean()),
  outline: optional(Type.Boolean()),
  pagination: optional(Type.Boolean()),
  metadata: optional(Type.Boolean()),
})

export const Page = Type.Recursive(
  (Self) =>
    Type.Object({
      id: Id,
      title: Type.String(),
      type: oneOf(['document', 'group', 'link', 'computed']),
      slug: Type.String(),
      path: Type.String(),
      emoji: optional(Type.String()),
      icon: optional(Type.String()),
      description: optional(Type.String()),
      createdAt: optional(Timestamp),
      updatedAt: optional(Timestamp),
      markdown: optional(Type.String({ description: 'The bytes after the front matter.' })),
      document: optional(Type.Unknown({ description: 'The page as a block tree.' })),
      urls: Type.Object({ app: Type.String() }),
      pages: Type.Array(Self),
      git: optional(GitPlace),
      layout: optional(Layout),
      cover: optional(
        Type.Object({ ref: optional(ContentReference), refDark: optional(ContentReference), yPos: optional(Type.Number()), height: optional(Type.Number()) }),
      ),
      variables: optional(StringMap),
      tags: optional(Type.Array(Type.String())),
      condition: optional(Type.String()),
      hidden: optional(Type.Boolean()),
      noIndex: optional(Type.Boolean()),
      noRobotsIndex: optional(Type.Boolean()),
      metaLinks: optional(Type.Object({ canonical: optional(Type.String()), alternates: optional(Type.Array(Type.String())) })),
      target: optional(ContentReference),
      href: optional(Type.String()),
      computed: optional(
        Type.Object({ type: Type.String(), dependencies: Type.Record(Type.String(), Type.Unknown()), props: Type.Record(Type.String(), Type.Unknown()) }),
      ),
      computedSeed: optional(Type.String()),
      diagnostics: optional(Type.Array(Diagnostic)),
    }),
  { $id: 'Page' },
)
export type Page = Static<typeof Page>

export const Pages = Type.Object({ pages: Type.Array(Page) }, { $id: 'Pages' })

export const File = Type.Object(
  {
    id: Id,
    name: Type.String(),
    contentType: Type.String(),
    downloadURL: Type.String({ description: 'Works without a token until it expires.' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes.' }),
    dimensions: optional(Type.Object({ width: Type.Integer(), height: Type.Integer() }, { description: 'Pixels, of images.' })),
    git: optional(GitPlace),
  },
  { $id: 'File' },
)
export type File = Static<typeof File>
export const FileList = listOf(File, { $id: 'FileList' })

const ReusableFields = { id: Id, title: Type.String(), git: optional(GitPlace) }
export const ReusableContent = Type.Object(
  { object: Type.Literal('reusable-content'), ...ReusableFields, markdown: optional(Type.String()), document: optional(Type.Unknown()) },
  { $id: 'ReusableContent' },
)

export const Revision = Type.Object(
  {
    object: Type.Literal('revision'),
    id: Type.String(),
    parents: Type.Array(Type.String()),
    pages: Type.Array(Page),
    files: Type.Array(File),
    reusableContents: Type.Array(Type.Object(ReusableFields)),
    variables: StringMap,
    createdAt: Timestamp,
    git: optional(RevisionGit),
    urls: Type.Object({
      app: Type.String(),
      published: optional(Type.String({ description: 'Where visitors find it: on the revision that is the main content of a published space.' })),
      public: optional(Type.String({ description: 'The same, where anyone may see it and search engines list it.' })),
    }),
    type: oneOf(revisionTypes),
    mergedFrom: optional(MergedFrom),
    diagnostics: Type.Array(Diagnostic),
  },
  { $id: 'Revision' },
)
export type Revision = Static<typeof Revision>

const flag = (description: string) => Type.Boolean({ default: true, description })

/** Query of every read of content. */
export const contentQuery = {
  metadata: flag('False leaves out the Git metadata, which changes without the content changing.'),
  computed: flag('False leaves computed content as it is written.'),
}
export const ContentQuery = Type.Object(contentQuery)
export const FilesQuery = Type.Object({ ...contentQuery, ...pageQuery })
export const PageQuery = Type.Object({
  ...contentQuery,
  format: oneOf(formats, { default: 'markdown', description: 'Format of the content in the answer.' }),
  evaluated: Type.Boolean({
    default: false,
    description: 'True evaluates the document: reusable content and the variables of `space.vars` and `page.vars` are filled in.',
  }),
})
export type PageQuery = Static<typeof PageQuery>
