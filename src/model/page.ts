/** Pages of a revision. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, oneOf, Timestamp } from './common.js'
import { contentQuery, ContentReference, Diagnostic, formats, GitPlace } from './content.js'

export const StringMap = Type.Record(Type.String(), Type.String())

const Layout = Type.Object(
  {
    width: oneOf(['default', 'wide']),
    cover: Type.Boolean(),
    coverSize: oneOf(['hero', 'full']),
    coverMask: oneOf(['none', 'radial']),
    title: Type.Boolean(),
    description: Type.Boolean(),
    tableOfContents: Type.Boolean(),
    outline: Type.Boolean(),
    pagination: Type.Boolean(),
    metadata: Type.Boolean(),
    tags: Type.Boolean(),
    actions: Type.Boolean(),
    anchors: Type.Boolean(),
  },
  {
    $id: 'PageLayout',
    description: 'The visible parts of a page. Parts that its front matter does not mention are visible.',
  },
)

export const Page = Type.Recursive(
  (Self) =>
    Type.Object({
      id: Id,
      title: Type.String(),
      type: oneOf(['document', 'group', 'link', 'computed']),
      kind: oneOf(['sheet', 'group', 'link'], {
        description: 'For older clients: `sheet` for the types document and computed.',
      }),
      slug: Type.String(),
      path: Type.String(),
      emoji: Type.Optional(Type.String()),
      icon: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
      createdAt: Type.Optional(Timestamp),
      updatedAt: Type.Optional(Timestamp),
      markdown: Type.Optional(Type.String({ description: 'The content after the front matter.' })),
      document: Type.Optional(Type.Unknown({ description: 'The page as a block tree.' })),
      urls: Type.Object({ app: Type.String() }),
      pages: Type.Array(Self),
      git: Type.Optional(GitPlace),
      layout: Layout,
      cover: Type.Optional(
        Type.Object({
          ref: Type.Optional(ContentReference),
          refDark: Type.Optional(ContentReference),
          yPos: Type.Optional(Type.Number()),
          height: Type.Optional(Type.Number()),
        }),
      ),
      variables: Type.Optional(StringMap),
      tags: Type.Array(Type.String(), {
        description:
          'The tags from its front matter, at most 100, with their labels from `.gitbook/tags.yaml`; a tag without a label is returned as written.',
      }),
      condition: Type.Optional(Type.String()),
      hidden: Type.Optional(Type.Boolean()),
      noIndex: Type.Optional(Type.Boolean()),
      noRobotsIndex: Type.Optional(Type.Boolean()),
      metaLinks: Type.Optional(
        Type.Object({ canonical: Type.Optional(Type.String()), alternates: Type.Optional(Type.Array(Type.String())) }),
      ),
      codePaths: Type.Optional(
        Type.Array(Type.String(), { description: 'Files and folders of the repository that the page describes.' }),
      ),
      target: Type.Optional(ContentReference),
      href: Type.Optional(Type.String()),
      computed: Type.Optional(
        Type.Object({
          type: Type.String(),
          dependencies: Type.Record(Type.String(), Type.Unknown()),
          props: Type.Record(Type.String(), Type.Unknown()),
        }),
      ),
      computedSeed: Type.Optional(Type.String()),
      diagnostics: Type.Optional(Type.Array(Diagnostic)),
    }),
  { $id: 'Page' },
)
export type Page = Static<typeof Page>

export const Pages = Type.Object({ pages: Type.Array(Page) }, { $id: 'Pages' })

export const PageQuery = Type.Object({
  ...contentQuery,
  format: oneOf(formats, { default: 'markdown', description: 'Format of the content in the response.' }),
  evaluated: Type.Boolean({
    default: false,
    description: 'True inserts reusable content and the values of `space.vars` and `page.vars`.',
  }),
})
export type PageQuery = Static<typeof PageQuery>

export const RenderedPage = Type.Object(
  {
    object: Type.Literal('rendered-page'),
    blocks: Type.Array(
      Type.Object({
        node: Type.String({ description: 'The key of the block, to which comments refer.' }),
        type: Type.String({ description: 'The type of the block in a document, `source` or `footnotes`.' }),
        digest: Type.String({ description: 'Identifies the block in other versions of the page.' }),
        occurrence: Type.Integer({
          minimum: 0,
          description: 'The number of earlier blocks of the page with the same digest.',
        }),
        lines: Type.Array(Type.Integer(), {
          minItems: 2,
          maxItems: 2,
          description: 'The first and the last line of the block in the file of the page, from 1.',
        }),
        html: Type.String({ description: 'HTML without scripts, event handlers and style attributes.' }),
      }),
    ),
    headings: Type.Array(Type.Object({ id: Type.String(), level: Type.Integer(), text: Type.String() })),
  },
  { $id: 'RenderedPage' },
)

export const PageBlockChanges = Type.Object(
  {
    object: Type.Literal('block-changes'),
    blocks: Type.Array(Type.Integer({ minimum: -1 }), {
      description:
        'For each block of the rendered page, in the same order: the position of its last change in `changes`. -1: it is older.',
    }),
    changes: Type.Array(
      Type.Object({
        revision: Type.String({ description: 'The revision of the change.' }),
        createdAt: Timestamp,
        author: Type.String({ description: 'The name of the author of the commit.' }),
      }),
      { description: 'The changes that blocks refer to, newest first.' },
    ),
  },
  { $id: 'PageBlockChanges' },
)

export const RenderDraft = Type.Object(
  {
    markdown: Type.String({
      maxLength: 10 * 1024 * 1024,
      description: 'The whole file of the page, with its front matter, as it would be saved.',
    }),
  },
  { ...closed, $id: 'RenderDraft' },
)
