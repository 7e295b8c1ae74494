/** Change requests: stored form, inputs and responses, including those of conflicts and merges. */
import type { CommitId } from '../kernel/ids.js'
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { connectionProviders } from './connection.js'
import { closed, Id, MAX_TEXT_LENGTH, nullable, oneOf, Timestamp } from './common.js'
import { ContentDocument } from './content.js'
import { UnmetRule } from './merge-rules.js'
import { User } from './user.js'

export const changeRequestStatuses = ['draft', 'open', 'archived', 'merged'] as const
export type ChangeRequestStatus = (typeof changeRequestStatuses)[number]

/** A change request, as stored. Its content is the branch `refs/heads/change-requests/<number>`. */
export interface ChangeRequestDoc {
  id: string
  space: string
  number: number
  status: ChangeRequestStatus
  subject: string
  description?: string
  createdBy: string
  createdAt: string
  updatedAt: string
  revisionInitial: CommitId
  revisionMergedAncestor?: CommitId
  revisionMerged?: CommitId
  /** The member who merged it (absent if the service recorded the merge), and the time. */
  mergedBy?: string
  mergedAt?: string
  comments: number
  /** Set on a conflict change request: the key of the remote. */
  remoteKey?: string
  /**
   * For a conflict: IDs of the members whose text a reset of the remote would drop. They are notified together with the
   * admins of the connection.
   */
  heldFor?: string[]
  /** The reason why the server archived it. */
  note?: string
  /**
   * Users who pushed commits to it with Git. The pusher chooses the authors of such commits, so these users also count
   * as authors.
   */
  pushers?: string[]
  /** The name that its author uses to update it with later pushes. */
  topic?: string
}

export const changeRequests = table<ChangeRequestDoc>()({
  name: 'change-requests',
  indexes: {
    space: (cr) => cr.space,
    number: (cr) => `${cr.space}/${cr.number}`,
    remote: (cr) => (cr.remoteKey ? `${cr.space}/${cr.remoteKey}` : null),
    topic: (cr) => (cr.topic === undefined ? null : `${cr.space}/${cr.createdBy}/${cr.topic}`),
  },
  unique: ['number'],
  orders: {
    number: { group: (cr) => `${cr.space}/${cr.status}`, by: (cr) => cr.number },
    unfinished: {
      group: (cr) => (cr.status === 'draft' || cr.status === 'open' ? cr.createdBy : null),
      by: (cr) => cr.updatedAt,
    },
  },
  owner: 'space',
})

const MarkdownText = Type.String({ maxLength: 10_000 })
const DescriptionInput = Type.Union(
  [
    MarkdownText,
    Type.Object({ markdown: MarkdownText }, closed),
    Type.Object({ object: Type.Literal('document') }, { additionalProperties: true }),
    Type.Null(),
  ],
  {
    description:
      'The purpose of the change: markdown, as a string or as `{markdown}`, or a block tree. Null or a blank text = none. At most 10,000 characters.',
  },
)
export type DescriptionInput = Static<typeof DescriptionInput>

export const ChangeRequest = Type.Object(
  {
    object: Type.Literal('change-request'),
    id: Id,
    space: Id,
    number: Type.Integer(),
    status: oneOf(changeRequestStatuses),
    subject: Type.String({ maxLength: 100 }),
    description: nullable(ContentDocument),
    createdBy: User,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    revision: Type.String(),
    revisionInitial: Type.String(),
    revisionMergedAncestor: Type.Optional(Type.String()),
    revisionMerged: Type.Optional(Type.String()),
    mergedBy: Type.Optional(User),
    mergedAt: Type.Optional(Timestamp),
    comments: Type.Integer(),
    outdated: Type.Boolean(),
    unmetRules: Type.Array(UnmetRule, {
      description: 'The rules of the space that prevent the caller from merging it; empty if it is merged or archived.',
    }),
    reviewers: Type.Optional(
      Type.Array(
        Type.Object({
          user: User,
          state: oneOf(['requested', 'approved', 'changes-requested', 'earlier-approval'], {
            description: '`earlier-approval`: of an earlier revision. It does not count.',
          }),
        }),
        { description: 'In lists with `details`: who was asked for a review or gave one, with their last state.' },
      ),
    ),
    changedPages: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'In lists with `details`: the number of markdown files that differ, apart from tables of contents.',
      }),
    ),
    urls: Type.Object({ app: Type.String(), location: Type.String() }),
  },
  { $id: 'ChangeRequest' },
)

export const CreateChangeRequest = Type.Object(
  {
    subject: Type.Optional(Type.String({ maxLength: 100 })),
    description: Type.Optional(DescriptionInput),
    agentTaskId: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { ...closed, $id: 'CreateChangeRequest' },
)
export type CreateChangeRequest = Static<typeof CreateChangeRequest>

export const UpdateChangeRequest = Type.Object(
  {
    subject: Type.Optional(Type.String({ maxLength: 100 })),
    description: Type.Optional(DescriptionInput),
    status: Type.Optional(oneOf(['draft', 'open', 'archived'])),
  },
  { ...closed, $id: 'UpdateChangeRequest' },
)
export type UpdateChangeRequest = Static<typeof UpdateChangeRequest>

const resolvedPath = { path: Type.String({ minLength: 1, maxLength: 4096 }) }
export const Resolution = Type.Union([
  Type.Object({ ...resolvedPath, take: oneOf(['main', 'change-request', 'base']) }, closed),
  Type.Object({ ...resolvedPath, content: Type.String({ maxLength: MAX_TEXT_LENGTH }) }, closed),
  Type.Object({ ...resolvedPath, delete: Type.Literal(true) }, closed),
])
export type Resolution = Static<typeof Resolution>

export const UpdateFromMain = Type.Object(
  {
    resolve: Type.Optional(
      Type.Array(Resolution, {
        maxItems: 1000,
        description:
          'Resolves each file in conflict: take one side or the file before both changes, `base` (if it has no such file, it is deleted), give its content, or delete it. For a file that both ' +
          'sides moved (`rename`), named by either path, this decides its location; changes of both sides to its content are merged if possible.',
      }),
    ),
    expect: Type.Optional(
      Type.Object(
        { revision: Type.String({ maxLength: 40 }), main: Type.String({ maxLength: 40 }) },
        {
          ...closed,
          description:
            'The heads of the change request and of main from the conflict state that the resolutions are based on. If one of them has moved, nothing changes ' +
            'and the response is 409.',
        },
      ),
    ),
  },
  { ...closed, $id: 'UpdateFromMain' },
)

export const conflictKinds = [
  'content',
  'add/add',
  'modify/delete',
  'rename',
  'binary',
  'file/directory',
  'mode',
  'name',
] as const
const ConflictSide = Type.Object(
  {
    oid: Type.String(),
    mode: Type.String(),
    path: Type.Optional(
      Type.String({ description: 'Path of the file on that side, if it differs from the path of the conflict.' }),
    ),
    text: Type.Optional(Type.String({ description: 'Content of the file, if it is text of at most 1 MiB.' })),
  },
  { $id: 'ConflictSide' },
)
export const Conflict = Type.Object(
  {
    path: Type.String(),
    kind: oneOf(conflictKinds),
    base: Type.Optional(ConflictSide),
    ours: Type.Optional(ConflictSide),
    theirs: Type.Optional(ConflictSide),
  },
  { $id: 'Conflict' },
)

const conflictForms = ['page', 'table-of-contents', 'file', 'link', 'submodule'] as const
const describedConflict = {
  key: Type.String({ description: 'The path that identifies this conflict in a resolution.' }),
  path: Type.String(),
  kind: oneOf(conflictKinds, {
    description:
      '`name`: a path of each side, which differ only in case (or Unicode composition), so that many computers can store only one of the files. It has no resolution: rename ' +
      'one of them, or delete it, in the change request. With mode `040000`, the path is a folder.',
  }),
  form: oneOf(conflictForms),
  page: Type.Optional(
    Type.Object(
      { id: Id, title: Type.String(), in: oneOf(['main', 'change-request']) },
      { description: 'The page, and the content that has it.' },
    ),
  ),
}
const ConflictEntry = Type.Object(
  { oid: Type.String(), mode: Type.String(), path: Type.String() },
  { $id: 'ConflictEntry' },
)

export const ConflictState = Type.Object(
  {
    object: Type.Literal('conflict-state'),
    revision: Type.String({ description: 'The head of the change request that was compared.' }),
    main: Type.String({ description: 'The head of main that was compared.' }),
    host: Type.Optional(
      oneOf(connectionProviders, {
        description: 'Present if the change request holds commits of a sync: the host of their repository.',
      }),
    ),
    conflicts: Type.Array(
      Type.Object({
        ...describedConflict,
        base: Type.Optional(ConflictEntry),
        ours: Type.Optional(ConflictEntry),
        theirs: Type.Optional(ConflictEntry),
      }),
      { description: 'At most 1,000, in order of path. More can only be resolved with Git.' },
    ),
    count: Type.Integer({ minimum: 0, description: 'Number of all conflicts.' }),
  },
  { $id: 'ConflictState' },
)

const ShownSide = Type.Object(
  {
    oid: Type.String(),
    mode: Type.String(),
    path: Type.String(),
    size: Type.Integer({ minimum: 0, description: 'Bytes. For Git LFS, the size of the file.' }),
    text: Type.Optional(
      Type.String({ description: 'The content with line feeds as line ends, if it is text of at most 1,152 KiB.' }),
    ),
    downloadURL: Type.Optional(
      Type.String({ description: 'Works without a token until it expires. Submodules and folders have none.' }),
    ),
    change: Type.Optional(
      Type.Object(
        { revision: Type.String(), author: Type.String(), at: Timestamp, subject: Type.String() },
        { description: 'The newest commit of this side that changed the file since both sides had it.' },
      ),
    ),
  },
  { $id: 'ConflictFileSide' },
)

export const ConflictFile = Type.Object(
  {
    object: Type.Literal('conflict-file'),
    revision: Type.String(),
    main: Type.String(),
    ...describedConflict,
    base: Type.Optional(ShownSide),
    ours: Type.Optional(ShownSide),
    theirs: Type.Optional(ShownSide),
    chunks: Type.Optional(
      Type.Array(
        Type.Object({
          kind: oneOf(['same', 'ours', 'theirs', 'both', 'merged', 'conflict']),
          base: Type.Integer({ minimum: 0 }),
          ours: Type.Integer({ minimum: 0 }),
          theirs: Type.Integer({ minimum: 0 }),
          text: Type.Optional(Type.String()),
        }),
        {
          description:
            'The three-way merge of the texts: for each chunk, the number of lines that it has in each text, from the start. `ours`, `theirs`: one side ' +
            'changed the lines. `both`: both sides made the same change. `merged`: `text` combines both changes. `conflict`: the lines are in conflict.',
        },
      ),
    ),
    problem: Type.Optional(
      Type.String({
        description: 'The reason why texts have no chunks, and the remedy. Either side can still be chosen.',
      }),
    ),
  },
  { $id: 'ConflictFile' },
)

export const MergeResult = Type.Object(
  { revision: Type.String(), result: Type.Literal('merge') },
  { $id: 'MergeResult' },
)
export const UpdateResult = Type.Object(
  { revision: Type.String(), result: Type.Literal('update') },
  { $id: 'UpdateResult' },
)
