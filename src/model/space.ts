/** Spaces: a repository of content with its settings. */
import { type Static, Type } from '@sinclair/typebox'
import { type Document, table } from '../kernel/documents.js'
import { closed, DefaultLevel, Id, Language, nullable, oneOf, permissionsOf, Timestamp } from './common.js'
import { type GitLink, GitSync } from './git-link.js'
import { SpaceMergeRules } from './merge-rules.js'
import { ContentTitle, placeKey, Position } from './placement.js'

const visibilities = ['public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private'] as const

const editModes = ['live', 'locked'] as const

/** The authentication of visitors of a space: JWTs from another service, or an integration. */
const VisitorAuth = Type.Union([
  Type.Object({ backend: Type.Literal('custom') }, closed),
  Type.Object(
    { backend: Type.Literal('integration'), integration: Type.String({ minLength: 1, maxLength: 256 }) },
    closed,
  ),
])
export type VisitorAuth = Static<typeof VisitorAuth>

export const SpacePublishingAuth = Type.Object(
  {
    object: Type.Literal('space-publishing-auth'),
    backend: oneOf(['custom', 'integration']),
    privateKey: Type.String({ description: 'Signs the JWTs of visitors (HS256): 43 characters, used as text.' }),
  },
  { $id: 'SpacePublishingAuth' },
)

/** A space, as stored. Its content is the repository `<id>.git`. */
export interface SpaceDoc {
  id: string
  organization: string
  parent?: string
  title: string
  emoji: string
  visibility: (typeof visibilities)[number]
  editMode: (typeof editModes)[number]
  language?: (typeof Language)['static']
  defaultLevel: DefaultLevel
  visitorAuth?: VisitorAuth
  /**
   * Its position among the spaces and collections of its parent: `kernel/order.ts`. Absent = before those that have
   * one, by creation.
   */
  position?: string
  createdAt: string
  updatedAt: string
  deletedAt?: string
  git?: GitLink
  /** Number of the next change request. */
  nextChangeRequest: number
  changeRequests: number
  changeRequestsOpen: number
  changeRequestsDraft: number
  comments: number
  /** Number of approvals required for a merge; absent = 0. */
  requiredApprovals?: number
  /** Absent = the rules of the organization. */
  mergeRules?: SpaceMergeRules
  /** The space with the code that its pages describe. Absent = the same one. */
  codeSpace?: string
  /** Slugs of OpenAPI specifications with new versions that are applied when the space is unlocked. */
  awaitedSpecs?: string[]
  createdBy: string
}

/** Returns a space without its counters. Only the space itself, as the API returns it, depends on them. */
export function withoutCounters(space: Document<SpaceDoc>): Partial<SpaceDoc> {
  const { version, nextChangeRequest, changeRequests, changeRequestsOpen, changeRequestsDraft, comments, ...rest } =
    space
  return rest
}

export const spaces = table<SpaceDoc>()({
  name: 'spaces',
  indexes: {
    organization: (space) => space.organization,
    parent: (space) => space.parent ?? null,
    place: placeKey,
    deleted: (space) => (space.deletedAt ? 'yes' : null),
  },
  orders: {
    createdAt: { group: (space) => (space.deletedAt ? null : space.organization), by: (space) => space.createdAt },
    all: { group: () => 'all', by: (space) => space.id },
    deletedAt: { group: (space) => (space.deletedAt ? 'all' : null), by: (space) => space.deletedAt ?? '' },
  },
  owner: (space) => space.id,
})

export const spacePermissions = [
  'view',
  'access',
  'admin',
  'viewInviteLinks',
  'edit',
  'triggerGitSync',
  'comment',
  'merge',
  'review',
  'installIntegration',
] as const

const Emoji = Type.String({ maxLength: 50 })

const RequiredApprovals = Type.Integer({
  minimum: 0,
  maximum: 20,
  description:
    'Number of approvals of its current revision that a change request needs before it can be merged, by users other than its author. If it is 1 or more, ' +
    'requested changes also prevent the merge. With 0, the default, reviews are advisory. With 1 or more, the main content can only be changed by approved ' +
    'merges, by imports from the remote that the space was last synced with, and by edits and rollbacks of an admin, which the audit log marks; all other ' +
    'changes return 409.',
})

const CodeSpace = Type.String({
  ...Id,
  description:
    'The space with the code to which `codePaths` of the pages refer, such as a connected code repository. Without it, they refer to this space. A report on ' +
    'health shows outdated pages only to those who can read that space.',
})

export const Space = Type.Object(
  {
    object: Type.Literal('space'),
    id: Id,
    title: ContentTitle,
    emoji: Emoji,
    visibility: oneOf(visibilities),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Type.Optional(Timestamp),
    editMode: oneOf(editModes),
    organization: Id,
    parent: Type.Optional(Id),
    language: Type.Optional(Language),
    visitorAuth: Type.Optional(VisitorAuth),
    codeSpace: Type.Optional(CodeSpace),
    gitSync: Type.Optional(GitSync),
    revision: Type.String(),
    defaultLevel: DefaultLevel,
    position: Position,
    comments: Type.Integer(),
    changeRequests: Type.Integer(),
    changeRequestsOpen: Type.Integer(),
    changeRequestsDraft: Type.Integer(),
    requiredApprovals: RequiredApprovals,
    mergeRules: SpaceMergeRules,
    urls: Type.Object({
      location: Type.String(),
      app: Type.String(),
      published: Type.Optional(Type.String()),
      public: Type.Optional(Type.String()),
      icon: Type.Optional(Type.String()),
    }),
    permissions: permissionsOf(spacePermissions),
  },
  { $id: 'Space' },
)

export const CreateSpace = Type.Object(
  {
    title: Type.Optional(ContentTitle),
    emoji: Type.Optional(Emoji),
    parent: Type.Optional(Id),
    language: Type.Optional(Language),
    editMode: Type.Optional(oneOf(editModes)),
    template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: '`empty` (the default), `sample`, or the ID of a template.',
      }),
    ),
  },
  { ...closed, $id: 'CreateSpace' },
)
export type CreateSpace = Static<typeof CreateSpace>

export const UpdateSpace = Type.Object(
  {
    title: Type.Optional(ContentTitle),
    emoji: Type.Optional(Emoji),
    language: Type.Optional(nullable(Language)),
    editMode: Type.Optional(oneOf(editModes)),
    defaultLevel: Type.Optional(DefaultLevel),
    visibility: Type.Optional(oneOf(visibilities)),
    requiredApprovals: Type.Optional(RequiredApprovals),
    mergeRules: Type.Optional(SpaceMergeRules),
    visitorAuth: Type.Optional(nullable(VisitorAuth)),
    codeSpace: Type.Optional(nullable(CodeSpace)),
  },
  { ...closed, $id: 'UpdateSpace' },
)
export type UpdateSpace = Static<typeof UpdateSpace>
