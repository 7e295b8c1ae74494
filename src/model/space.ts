import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { DefaultLevel, Id, Language, nullable, oneOf, permissionsOf, Timestamp } from './common.js'

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
  createdAt: string
  createdBy?: string
  /** Its place among the spaces and collections of its parent: `kernel/order.ts`. */
  position?: string
}

/** Under which the spaces and collections of one parent are found: a collection, or an organization's top level. */
export const placeKey = ({ organization, parent }: { organization: string; parent?: string }): string => `${organization}/${parent ?? ''}`

export const collections = table<CollectionDoc>()({
  name: 'collections',
  indexes: { organization: (c) => c.organization, parent: (c) => c.parent ?? null, place: placeKey },
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

/** What authenticates the visitors of a space: somebody else's JWT, or an integration. */
export const VisitorAuth = Type.Union([
  Type.Object({ backend: Type.Literal('custom') }, { additionalProperties: false }),
  Type.Object({ backend: Type.Literal('integration'), integration: Type.String({ minLength: 1, maxLength: 256 }) }, { additionalProperties: false }),
])
export type VisitorAuth = Static<typeof VisitorAuth>

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
  /** Its place among the spaces and collections of its parent: `kernel/order.ts`; absent = before those that have one, by creation. */
  position?: string
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

export const spaces = table<SpaceDoc>()({
  name: 'spaces',
  indexes: {
    organization: (space) => space.organization,
    parent: (space) => space.parent ?? null,
    place: placeKey,
    deleted: (space) => (space.deletedAt ? 'yes' : null),
  },
  orders: { createdAt: { group: (space) => (space.deletedAt ? null : space.organization), by: (space) => space.createdAt } },
  owner: (space) => space.id,
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
const Position = Type.String({ description: 'Opaque: the spaces and collections of one parent stand in the order of these keys, compared by code unit.' })
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
    '0, the default: reviews advise and forbid nothing. With 1 or more, the main content moves by approved merges, by imports of what the space was last synced with, and by edits and rollbacks of an admin, which the audit log marks; others are answered 409.',
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
    visitorAuth: Type.Optional(VisitorAuth),
    gitSync: Type.Optional(GitSync),
    revision: Type.String(),
    defaultLevel: DefaultLevel,
    position: Position,
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

export const Collection = Type.Object(
  {
    object: Type.Literal('collection'),
    id: Id,
    title: Title,
    description: Type.Optional(Type.String({ maxLength: 100 })),
    organization: Id,
    parent: Type.Optional(Id),
    defaultLevel: DefaultLevel,
    position: Position,
    urls: Type.Object({ location: Type.String(), app: Type.String() }),
    permissions: permissionsOf(collectionPermissions),
  },
  { $id: 'Collection' },
)

export const CreateCollection = Type.Object(
  { title: Type.Optional(Title), parent: Type.Optional(Id) },
  { additionalProperties: false, $id: 'CreateCollection' },
)
export type CreateCollection = Static<typeof CreateCollection>

export const UpdateCollection = Type.Object(
  {
    title: Type.Optional(Title),
    description: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
    defaultLevel: Type.Optional(DefaultLevel),
  },
  { additionalProperties: false, $id: 'UpdateCollection' },
)
export type UpdateCollection = Static<typeof UpdateCollection>

const SiblingPointer = Type.Union([
  Type.Object({ type: Type.Literal('space'), space: Id }, { additionalProperties: false }),
  Type.Object({ type: Type.Literal('collection'), collection: Id }, { additionalProperties: false }),
])
export type SiblingPointer = Static<typeof SiblingPointer>

export const MoveContent = Type.Object(
  {
    parent: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Collection to move it into; null = the top level of the organization; absent = it stays where it is.',
        }),
      ),
    ),
    position: Type.Optional(
      Type.Object(
        { before: Type.Optional(SiblingPointer), after: Type.Optional(SiblingPointer) },
        {
          additionalProperties: false,
          description: 'Directly before `before`, else directly after `after`: spaces or collections of that parent. Neither = at the end.',
        },
      ),
    ),
  },
  { additionalProperties: false, $id: 'MoveContent' },
)
export type MoveContent = Static<typeof MoveContent>

export const TransferContent = Type.Object(
  {
    organization: Type.String({ minLength: 1, maxLength: 64, description: 'Organization to transfer it to.' }),
    parent: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 64, description: 'Collection of that organization; absent or null = its top level.' })),
    ),
  },
  { additionalProperties: false, $id: 'TransferContent' },
)
export type TransferContent = Static<typeof TransferContent>

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
    visitorAuth: Type.Optional(nullable(VisitorAuth)),
  },
  { additionalProperties: false, $id: 'UpdateSpace' },
)
export type UpdateSpace = Static<typeof UpdateSpace>
