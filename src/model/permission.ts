/** Roles of users and teams on spaces, collections and sites. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, oneOf, pageQuery, type Role, roles, RoleSchema, Timestamp } from './common.js'
import { User } from './user.js'

/** A role given to a user or team on a space, a collection or a site, as stored. Its ID is `<target>:<principal>`. */
export interface GrantDoc {
  id: string
  /** `space:<id>`, `collection:<id>` or `site:<id>`. */
  target: string
  /** `user:<id>` or `team:<id>`. */
  principal: string
  role: Role
}

export const grants = table<GrantDoc>()({
  name: 'grants',
  indexes: { target: (grant) => grant.target, principal: (grant) => grant.principal },
  owner: 'target',
})

/**
 * A role without effect, as stored: the content was transferred to another organization. It takes effect
 * again when the content is transferred back.
 */
interface KeptGrantDoc extends GrantDoc {
  /** The organization in which the role was given. */
  organization: string
}

export const keptGrants = table<KeptGrantDoc>()({
  name: 'kept-grants',
  indexes: {
    target: (grant) => grant.target,
    place: (grant) => `${grant.organization}/${grant.target}`,
    principal: (grant) => `${grant.organization}/${grant.principal}`,
  },
  owner: 'target',
})

const principals = { uniqueItems: true, maxItems: 1000 }

export const InviteToContent = Type.Object(
  {
    role: RoleSchema,
    users: Type.Optional(Type.Array(Id, { ...principals, description: 'IDs of members of the organization.' })),
    teams: Type.Optional(Type.Array(Id, { ...principals, description: 'IDs of teams of the organization.' })),
  },
  { ...closed, $id: 'InviteToContent' },
)
export type InviteToContent = Static<typeof InviteToContent>

export const UpdateContentPermission = Type.Object({ role: RoleSchema }, { ...closed, $id: 'UpdateContentPermission' })
export type UpdateContentPermission = Static<typeof UpdateContentPermission>

export const UserContentPermission = Type.Object(
  { permission: RoleSchema, user: User },
  { $id: 'UserContentPermission' },
)

export const TeamContentPermission = Type.Object(
  {
    permission: RoleSchema,
    team: Type.Object({ object: Type.Literal('team'), id: Id, title: Type.String(), createdAt: Timestamp }),
  },
  { $id: 'TeamContentPermission' },
)

/** The sources of a role. */
export const permissionSources = ['organization', 'default-level', 'visibility', 'team', 'user'] as const

export const AggregatedContentPermission = Type.Object(
  {
    permission: RoleSchema,
    user: User,
    sources: Type.Array(
      Type.Object({
        type: oneOf(permissionSources, {
          description:
            'The role in the organization, a default level, the visibility `in-collection`, a role given to a team, or a role given by name.',
        }),
        permission: RoleSchema,
        collection: Type.Optional(
          Type.String({
            description: 'ID of the parent collection with the role; absent = the resource itself.',
          }),
        ),
        team: Type.Optional(Type.String({ description: 'ID of the team.' })),
      }),
      {
        description: 'All sources of a role, the most powerful first; `permission` is the most powerful role.',
      },
    ),
  },
  { $id: 'AggregatedContentPermission' },
)

export const AggregatedPermissionsQuery = Type.Object({
  ...pageQuery,
  role: Type.Optional(oneOf(roles, { description: 'Only members with at least this role.' })),
})
