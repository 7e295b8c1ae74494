// The resource "changes": the differences between two revisions.
import { type Static, Type } from '@sinclair/typebox'
import { Id, oneOf } from './common.js'
import { MergedFrom } from './revision.js'
import { fromNames } from '../kernel/defined.js'

/** A page in a list of changes, in its current state or in its last state before deletion. */
const ChangedPage = Type.Object(
  {
    id: Id,
    type: oneOf(['document', 'group', 'link', 'computed']),
    title: Type.String(),
    path: Type.String(),
    file: Type.Optional(Type.String({ description: 'Path of its file, from the root of the repository.' })),
  },
  { $id: 'ChangedPage' },
)

const ChangedFile = Type.Object(
  { id: Id, name: Type.String(), path: Type.String({ description: 'Path from the root of the repository.' }) },
  { $id: 'ChangedFile' },
)
const ChangedReusableContent = Type.Object({ id: Id, title: Type.String() }, { $id: 'ChangedReusableContent' })

const PagePlace = Type.Object(
  {
    path: Type.String(),
    parent: Type.Optional(Id),
    position: Type.Integer({ minimum: 0, description: 'Index among its siblings, from 0.' }),
    file: Type.Optional(Type.String()),
  },
  { $id: 'PagePlace', description: 'The position of a page in the tree. Without a parent, it is at the top level.' },
)

const Values = Type.Object({ before: Type.Optional(Type.Unknown()), after: Type.Optional(Type.Unknown()) })

/** Page attributes from the front matter, as changes name them. */
export const frontMatterAttributes = [
  'description',
  'icon',
  'emoji',
  'hidden',
  'noIndex',
  'noRobotsIndex',
  'condition',
  'cover',
  'layout',
  'variables',
  'tags',
  'metaLinks',
  'codePaths',
] as const

/** Members of `attributes`: the parts of a page that can change. */
const changedAttributes = ['title', ...frontMatterAttributes, 'href', 'computed', 'type'] as const

export const ChangedAttributes = Type.Object(
  {
    ...fromNames(changedAttributes, () => Type.Optional(Values)),
    document: Type.Optional(Type.Object({}, { description: 'Present if the text after the front matter changed.' })),
  },
  {
    $id: 'ChangedAttributes',
    description:
      'The changed attributes with their values before and after; `before` or `after` is absent if the attribute was not set.',
  },
)
export type ChangedAttributes = Static<typeof ChangedAttributes>

const diffFormats = ['unified', 'words'] as const
export type DiffFormat = (typeof diffFormats)[number]

const WordHunk = Type.Object({
  header: Type.String({ description: '`@@ -<line>,<lines> +<line>,<lines> @@`' }),
  parts: Type.Array(Type.Object({ type: oneOf(['equal', 'added', 'removed']), text: Type.String() })),
})

export const TextDiff = Type.Object(
  {
    format: oneOf(diffFormats),
    unified: Type.Optional(
      Type.String({ description: 'A unified diff of the whole file, as `git apply` accepts it.' }),
    ),
    hunks: Type.Optional(
      Type.Array(WordHunk, {
        description: 'Words that are equal, added and removed. Whitespace between words is that of the new text.',
      }),
    ),
    omitted: Type.Optional(
      Type.String({
        description: 'The reason why there is no diff: the text is too long, or too many diffs were requested at once.',
      }),
    ),
  },
  { $id: 'TextDiff' },
)
export type TextDiff = Static<typeof TextDiff>

const change = <const T extends string, P extends Parameters<typeof Type.Object>[0]>(type: T, members: P) =>
  Type.Object({ type: Type.Literal(type), ...members })

export const Change = Type.Union(
  [
    change('page_created', { page: ChangedPage }),
    change('page_edited', { page: ChangedPage, attributes: ChangedAttributes, diff: Type.Optional(TextDiff) }),
    change('page_moved', { page: ChangedPage, from: PagePlace, to: PagePlace }),
    change('page_deleted', { page: ChangedPage }),
    change('file_created', { file: ChangedFile }),
    change('file_edited', {
      file: ChangedFile,
      from: Type.Optional(Type.String({ description: 'The path before the change.' })),
    }),
    change('file_deleted', { file: ChangedFile }),
    change('variables_edited', {
      variables: Type.Record(
        Type.String(),
        Type.Object({ before: Type.Optional(Type.String()), after: Type.Optional(Type.String()) }),
      ),
    }),
    change('reusable_content_created', { reusableContent: ChangedReusableContent }),
    change('reusable_content_edited', { reusableContent: ChangedReusableContent }),
    change('reusable_content_deleted', { reusableContent: ChangedReusableContent }),
  ],
  { $id: 'Change' },
)
export type Change = Static<typeof Change>

export const Changes = Type.Object(
  {
    changes: Type.Array(Change),
    more: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of changes that are left out.' })),
    mergedFrom: Type.Optional(MergedFrom),
  },
  { $id: 'Changes' },
)

export const ChangesQuery = Type.Object({
  limit: Type.Integer({
    minimum: 0,
    maximum: 1000,
    default: 50,
    description: 'Maximum number of changes; `more` counts the others.',
  }),
  pageId: Type.Optional(Type.String({ maxLength: 64, description: 'Only the changes of this page.' })),
  brief: Type.Boolean({
    default: false,
    description: 'Leaves the `attributes` of edited pages empty. No page is then read, so that a long list is fast.',
  }),
  diff: Type.Optional(
    oneOf(diffFormats, {
      description: 'Adds the differences in the text of each edited page: by lines (`unified`) or by words.',
    }),
  ),
  context: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 3,
    description:
      'Number of unchanged lines around each change in `diff`. The maximum shows the whole file, if it is not too long.',
  }),
})
export type ChangesQuery = Static<typeof ChangesQuery>

/** A comparison of a revision with one that is not its parent. */
export const RevisionChangesQuery = Type.Object({
  ...ChangesQuery.properties,
  base: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'ID of another revision. The comparison is with this revision instead of the first parent.',
    }),
  ),
})
export const PageChangesQuery = Type.Object({ base: RevisionChangesQuery.properties.base })

const BlockPlace = Type.Object(
  {
    node: Type.String({ description: 'The key of the block, to which comments refer.' }),
    digest: Type.String({ description: 'Equal blocks have equal digests on all pages and in all revisions.' }),
    lines: Type.Array(Type.Integer(), {
      minItems: 2,
      maxItems: 2,
      description: 'The first and the last line of the block in the file of the page, from 1.',
    }),
    source: Type.String({ description: 'The block as it is written in the file.' }),
  },
  { $id: 'BlockPlace' },
)

export const PageChanges = Type.Object(
  {
    object: Type.Literal('page-changes'),
    page: Type.Object({
      id: Id,
      title: Type.String(),
      path: Type.String(),
      file: Type.Optional(Type.String({ description: 'Path of its file, from the root of the repository.' })),
    }),
    version: Type.String({
      description:
        'Changes when the file, the title or the place of the page changes in the later revision. `PUT …/viewed/{pageId}` marks this version as viewed.',
    }),
    before: Type.Optional(Type.String({ description: 'ID of the earlier revision.' })),
    after: Type.String({ description: 'ID of the later revision.' }),
    blocks: Type.Array(
      Type.Object({
        change: oneOf(['unchanged', 'changed', 'added', 'removed', 'moved']),
        html: Type.String({
          description:
            'The block as HTML without scripts, event handlers and style attributes. In a changed block, changed words are in `ins` and `del` elements. Changed ' +
            'list items, cells and blocks within it have the attribute `data-change`: `added`, `removed` or `changed`.',
        }),
        before: Type.Optional(BlockPlace),
        after: Type.Optional(BlockPlace),
      }),
      { description: 'In the order of the later revision. Removed blocks keep their former position.' },
    ),
    limit: Type.Optional(Type.String({ description: 'The reason why the page is not compared block by block.' })),
  },
  { $id: 'PageChanges' },
)
export type PageChanges = Static<typeof PageChanges>
