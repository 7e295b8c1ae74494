/** Links of a revision, and backlinks of its pages and files. */
import { type Static, Type } from '@sinclair/typebox'
import { ChangeRequest } from './change-request.js'
import { listOf, oneOf, pageQuery } from './common.js'
import { File } from './file.js'
import { Organization } from './organization.js'
import { Page } from './page.js'
import { ReusableContent } from './reusable-content.js'
import { Revision } from './revision.js'
import { Space } from './space.js'

const VersionContext = Type.Union(
  [
    Type.Object({ type: Type.Literal('revision'), revision: Revision }),
    Type.Object({ type: Type.Literal('changeRequest'), changeRequest: ChangeRequest }),
  ],
  {
    $id: 'VersionContext',
    description: 'The version of the content: a revision, with empty `pages` and `files`, or a change request.',
  },
)

const inSpace = { organization: Organization, space: Space, versionContext: VersionContext }

/** A location in content, with the objects themselves. */
export const ContentLocation = Type.Union(
  [
    Type.Object({ kind: Type.Literal('page'), ...inSpace, page: Page }),
    Type.Object({ kind: Type.Literal('anchor'), ...inSpace, page: Page, anchor: Type.String() }),
    Type.Object({ kind: Type.Literal('file'), ...inSpace, file: File }),
    Type.Object({ kind: Type.Literal('reusable-content'), ...inSpace, reusableContent: ReusableContent }),
    Type.Object({ kind: Type.Literal('space'), ...inSpace }),
    Type.Object({
      kind: Type.Literal('openapi'),
      organization: Organization,
      spec: Type.String({ description: 'The slug of the specification.' }),
    }),
    Type.Object({ kind: Type.Literal('url'), url: Type.String() }),
  ],
  {
    $id: 'ContentLocation',
    description:
      'A location in content. `organization`, `space`, `page` and the other objects have the same form as in the response of their own GET endpoint.',
  },
)
export type ContentLocation = Static<typeof ContentLocation>

const linkStatuses = ['ok', 'broken', 'in-app'] as const
const LinkStatus = oneOf(linkStatuses, {
  description:
    '`broken`: the target does not exist in the revision. `in-app`: the target is an address of this service (not of a site), which readers of a published ' +
    'site may not be able to open.',
})

const Link = Type.Object(
  {
    status: LinkStatus,
    relation: oneOf(['reference', 'dependsOn'], {
      description:
        '`dependsOn`: the target is displayed as part of the page: reusable content, a cover, a specification.',
    }),
    target: Type.String({
      description: 'The target as written, without escapes; at most 2048 characters.',
    }),
    problem: Type.Optional(Type.String({ description: 'The reason why the link is broken, and the remedy.' })),
    file: Type.Optional(Type.String({ description: 'For broken links: the file that contains the link.' })),
    lines: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        description:
          'For broken links: the lines of the file with this target, from 1; the first 20. Absent in front matter and settings, and beyond the first 16 MiB of files.',
      }),
    ),
    brokenByChangeRequest: Type.Optional(
      Type.Boolean({
        description: 'For broken links of a change request: whether the change request broke the link.',
      }),
    ),
    targetReference: Type.Optional(ContentLocation),
    locationReferences: Type.Array(ContentLocation, {
      description: 'The page or reusable content that contains the link.',
    }),
  },
  { $id: 'Link' },
)
export type Link = Static<typeof Link>

const list = listOf(Link)
export const LinkList = Type.Object(
  {
    ...list.properties,
    stats: Type.Object({
      total: Type.Integer({ minimum: 0, description: 'Number of all links, independent of `status`.' }),
      broken: Type.Object({
        total: Type.Integer({ minimum: 0 }),
        changeRequest: Type.Integer({
          minimum: 0,
          description: 'Number of links that the change request broke; 0 outside change requests.',
        }),
      }),
    }),
  },
  { $id: 'LinkList' },
)

export const BacklinkList = listOf(ContentLocation, { $id: 'BacklinkList' })

export const BacklinksQuery = Type.Object(pageQuery)
export const LinksQuery = Type.Object({ ...pageQuery, status: Type.Optional(LinkStatus) })
export type LinksQuery = Static<typeof LinksQuery>
