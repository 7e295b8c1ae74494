import { type Static, Type } from '@sinclair/typebox'
import { collection } from '../kernel/documents.js'
import { DefaultLevel, Id, Language, nullable, oneOf, permissionsOf, type Role, Timestamp } from './common.js'

export const visibilities = ['public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private'] as const
export const editModes = ['live', 'locked'] as const

/** A collection of spaces and collections, as stored. */
export interface CollectionDoc {
  id: string
  organization: string
  parent?: string
  title: string
  description?: string
  defaultLevel: DefaultLevel
}

export const collections = collection<CollectionDoc>()({
  name: 'collections',
  indexes: { organization: (c) => c.organization, parent: (c) => c.parent ?? null },
  owner: (c) => c.organization,
})

/** The Git repository a space is synchronized with, as stored. Never holds a credential. */
export interface GitLink {
  /** URL without credentials. */
  url: string
  ref: string
  /** Folder of the remote repository that is this space; '' = all of it. */
  directory: string
  provider?: 'github' | 'gitlab'
  /** Prefix of links to a file: `gitInfo.url`. */
  fileURL?: string
  repoTreeURL?: string
  repoCommitURL?: string
  updatedAt: string
}

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
  createdAt: string
  updatedAt: string
  deletedAt?: string
  git?: GitLink
  /** Number the next change request gets. */
  nextChangeRequest: number
  changeRequests: number
  changeRequestsOpen: number
  changeRequestsDraft: number
  comments: number
  /** Approvals that a merge needs; absent = 0. */
  requiredApprovals?: number
  createdBy: string
}

export const spaces = collection<SpaceDoc>()({
  name: 'spaces',
  indexes: { organization: (space) => space.organization, parent: (space) => space.parent ?? null, deleted: (space) => (space.deletedAt ? 'yes' : null) },
  orders: { createdAt: { group: (space) => (space.deletedAt ? null : space.organization), by: (space) => space.createdAt } },
  owner: (space) => space.id,
})

/** A role given by name on a space, a collection or a site, as stored. Its ID is `<target>:<principal>`. */
export interface GrantDoc {
  id: string
  /** `space:<id>`, `collection:<id>` or `site:<id>`. */
  target: string
  /** `user:<id>` or `team:<id>`. */
  principal: string
  role: Role
}

export const grants = collection<GrantDoc>()({
  name: 'grants',
  indexes: { target: (grant) => grant.target, principal: (grant) => grant.principal },
  owner: (grant) => grant.target,
})

export const collectionPermissions = ['view', 'admin', 'viewInviteLinks', 'create'] as const

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

const Title = Type.String({ maxLength: 50 })
const Emoji = Type.String({ maxLength: 50 })

export const GitSync = Type.Object(
  {
    repoName: Type.Optional(Type.String()),
    installationProvider: Type.Optional(oneOf(['github', 'github-legacy', 'gitlab'])),
    integration: Type.Optional(Type.String()),
    url: Type.String(),
    updatedAt: Timestamp,
  },
  { $id: 'GitSync' },
)

const RequiredApprovals = Type.Integer({
  minimum: 0,
  maximum: 20,
  description:
    'How many approvals of its latest revision, by others than who opened it, a change request needs before it can be merged; with 1 or more, nobody who reviewed may have changes requested. ' +
    '0, the default: reviews advise and forbid nothing. It is about merges: live edits, imports and rollbacks of the main content need no approval.',
})

export const Space = Type.Object(
  {
    object: Type.Literal('space'),
    id: Id,
    title: Title,
    emoji: Emoji,
    visibility: oneOf(visibilities),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Type.Optional(Timestamp),
    editMode: oneOf(editModes),
    organization: Id,
    parent: Type.Optional(Id),
    language: Type.Optional(Language),
    gitSync: Type.Optional(GitSync),
    revision: Type.String(),
    defaultLevel: DefaultLevel,
    comments: Type.Integer(),
    changeRequests: Type.Integer(),
    changeRequestsOpen: Type.Integer(),
    changeRequestsDraft: Type.Integer(),
    requiredApprovals: RequiredApprovals,
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

export const templates = ['empty', 'sample'] as const

export const CreateSpace = Type.Object(
  {
    title: Type.Optional(Title),
    emoji: Type.Optional(Emoji),
    parent: Type.Optional(Id),
    language: Type.Optional(Language),
    editMode: Type.Optional(oneOf(editModes)),
    template: Type.Optional(oneOf(templates)),
  },
  { additionalProperties: false, $id: 'CreateSpace' },
)
export type CreateSpace = Static<typeof CreateSpace>

export const UpdateSpace = Type.Object(
  {
    title: Type.Optional(Title),
    emoji: Type.Optional(Emoji),
    language: Type.Optional(nullable(Language)),
    editMode: Type.Optional(oneOf(editModes)),
    defaultLevel: Type.Optional(DefaultLevel),
    visibility: Type.Optional(oneOf(visibilities)),
    requiredApprovals: Type.Optional(RequiredApprovals),
  },
  { additionalProperties: false, $id: 'UpdateSpace' },
)
export type UpdateSpace = Static<typeof UpdateSpace>
