/** Revisions: commits, with their content or as entries of the history. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, listOf, oneOf, pageQuery, Timestamp } from './common.js'
import { Diagnostic } from './content.js'
import { File } from './file.js'
import { Page, StringMap } from './page.js'
import { ReusableFields } from './reusable-content.js'
import { User } from './user.js'

const revisionTypes = ['edits', 'merge', 'update', 'rollback', 'computed'] as const

/** The change request of a merge. */
export const MergedFrom = Type.Object(
  { object: Type.Literal('change-request'), id: Id, number: Type.Integer(), subject: Type.String() },
  { $id: 'MergedFrom', description: 'The change request that the revision merged.' },
)

/** The Git data of a commit, without its files. */
const RevisionGit = Type.Object(
  {
    oid: Type.String(),
    message: Type.String(),
    createdByService: Type.Boolean(),
    url: Type.Optional(Type.String()),
    ref: Type.Optional(Type.String()),
  },
  { $id: 'RevisionGit' },
)

/** The author of a commit: a member of the organization, or the name and email address from Git. */
const Author = Type.Union([User, Type.Object({ displayName: Type.String(), email: Type.String() })], {
  $id: 'Author',
  description: 'A member of the organization, or the name and email address that Git recorded.',
})

const RevisionTag = Type.Object(
  {
    slug: Type.String({ description: 'The tag as pages write it.' }),
    label: Type.String(),
    color: Type.Optional(Type.String()),
    emoji: Type.Optional(Type.String()),
    icon: Type.Optional(Type.String()),
  },
  { $id: 'RevisionTag' },
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
    tags: Type.Array(RevisionTag, { description: 'The tags from `.gitbook/tags.yaml`.' }),
    createdAt: Timestamp,
    git: Type.Optional(RevisionGit),
    urls: Type.Object({
      app: Type.String(),
      published: Type.Optional(
        Type.String({ description: 'Address for visitors; present on the current revision of a published space.' }),
      ),
      public: Type.Optional(
        Type.String({
          description: 'The same address, present if everyone can see it and search engines may index it.',
        }),
      ),
    }),
    type: oneOf(revisionTypes),
    mergedFrom: Type.Optional(MergedFrom),
    diagnostics: Type.Array(Diagnostic),
  },
  { $id: 'Revision' },
)
export type Revision = Static<typeof Revision>

const RevisionSummary = Type.Object(
  {
    object: Type.Literal('revision'),
    id: Type.String(),
    parents: Type.Array(Type.String()),
    type: oneOf(revisionTypes),
    author: Author,
    createdAt: Timestamp,
    git: RevisionGit,
    mergedFrom: Type.Optional(MergedFrom),
    urls: Type.Object({ app: Type.String(), location: Type.String() }),
  },
  { $id: 'RevisionSummary', description: 'A revision without its pages and files.' },
)

export const RevisionList = listOf(RevisionSummary, { $id: 'RevisionList' })

export const RevisionsQuery = Type.Object({
  ...pageQuery,
  pageId: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'Only revisions that changed this page: its file (at any path), its title or its position in the table of contents; for a deleted page, up to its deletion.',
    }),
  ),
  author: Type.Optional(
    Type.String({
      maxLength: 320,
      description: 'Only revisions by this author: the ID of a user, or an email address.',
    }),
  ),
})
export type RevisionsQuery = Static<typeof RevisionsQuery>

export const ContributorList = listOf(Author, { $id: 'ContributorList' })

export const Rollback = Type.Object(
  {
    revision: Type.String({
      maxLength: 40,
      pattern: '^[0-9a-f]{40}$',
      'x-pattern-message': 'must be the ID of a revision: 40 hexadecimal digits',
      description: 'A revision of the main content, or one that was merged into it.',
    }),
  },
  { ...closed, $id: 'Rollback' },
)

export const RollbackResult = Type.Object(
  { revision: Type.String(), result: Type.Literal('rollback') },
  { $id: 'RollbackResult' },
)
