import { type Static, Type } from '@sinclair/typebox'
import { Id, listOf, nullable, oneOf, pageQuery, RoleSchema, roles, Timestamp } from './common.js'
import { Space } from './space.js'
import { Team, TeamRole } from './team.js'
import { User } from './user.js'

export const Member = Type.Object(
  {
    object: Type.Literal('member'),
    id: Type.String({ minLength: 1, maxLength: 64, description: 'Unique ID: that of the user.' }),
    role: nullable(RoleSchema),
    user: User,
    disabled: Type.Boolean({ description: 'A disabled member has no access.' }),
    joinedAt: Timestamp,
    lastSeenAt: Type.Optional(Timestamp),
    sso: Type.Boolean(),
    spaces: Type.Integer({ minimum: 0, description: 'Spaces that the member may see.' }),
    teams: Type.Integer({ minimum: 0 }),
  },
  { $id: 'Member' },
)
export const MemberList = listOf(Member, { $id: 'MemberList' })

const order = oneOf(['asc', 'desc'], { default: 'desc' })

export const MembersQuery = Type.Object({
  ...pageQuery,
  role: Type.Optional(oneOf([...roles, 'guest'], { description: 'Members of that role; `guest` = those without one.' })),
  search: Type.Optional(Type.String({ maxLength: 512, description: 'What display name or e-mail address contains, in any case.' })),
  sort: oneOf(['joinedAt', 'lastSeenAt'], { default: 'joinedAt', description: 'With `lastSeenAt`, members that were never active are left out.' }),
  order,
})
export type MembersQuery = Static<typeof MembersQuery>

export const UpdateMember = Type.Object(
  { role: Type.Optional(nullable(RoleSchema)), disabled: Type.Optional(Type.Boolean()) },
  { additionalProperties: false, $id: 'UpdateMember' },
)
export type UpdateMember = Static<typeof UpdateMember>

export const MemberSpacesQuery = Type.Object({ ...pageQuery, order })
export const MemberSpaceList = listOf(Type.Object({ permission: RoleSchema, space: Space }), { $id: 'MemberSpaceList' })

export const TitleFilter = Type.Optional(Type.String({ maxLength: 512, description: 'What the title contains, in any case.' }))
export const MemberTeamsQuery = Type.Object({ ...pageQuery, title: TitleFilter })
export const MemberTeamList = listOf(Type.Object({ team: Team, member: Type.Object({ role: TeamRole }) }), { $id: 'MemberTeamList' })

export const TeamsQuery = Type.Object({
  ...pageQuery,
  owner: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'ID of a member: the teams that he may manage, as an owner or as an admin.' })),
  title: TitleFilter,
})
export type TeamsQuery = Static<typeof TeamsQuery>

export const Pong = Type.Object({ serviceVisitorClaims: Type.Optional(Type.String({ description: 'A JWT to attach to the user.' })) }, { $id: 'Pong' })

export const SetTeamMembers = Type.Object(
  {
    add: Type.Optional(Type.Array(Id, { maxItems: 1000, uniqueItems: true, description: 'IDs of members to be in the team.' })),
    remove: Type.Optional(Type.Array(Id, { maxItems: 1000, uniqueItems: true, description: 'IDs to be in it no longer.' })),
    memberships: Type.Optional(
      Type.Record(Type.String(), TeamRole, { maxProperties: 1000, description: 'Role in the team by member ID; who is not in the team yet is added.' }),
    ),
  },
  { additionalProperties: false, $id: 'SetTeamMembers' },
)
export type SetTeamMembers = Static<typeof SetTeamMembers>

export const TeamMember = Type.Object({ object: Type.Literal('team-member'), id: Id, role: TeamRole, user: User }, { $id: 'TeamMember' })
export const TeamMemberList = listOf(TeamMember, { $id: 'TeamMemberList' })
