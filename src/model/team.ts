/** Teams of an organization, and their members. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, oneOf, pageQuery, permissionsOf, Timestamp } from './common.js'
import { User } from './user.js'

/** A team, as stored. Its members are in `teamMembers`. */
export interface TeamDoc {
  id: string
  organization: string
  title: string
  createdAt: string
}

export const teams = table<TeamDoc>()({
  name: 'teams',
  indexes: { organization: (team) => team.organization },
  owner: 'organization',
})

/**
 * A user's membership in a team, as stored. It is a separate document, so that changes in large teams stay cheap. Its
 * ID is `<team>:<user>`.
 */
export interface TeamMemberDoc {
  id: string
  organization: string
  team: string
  user: string
  role: 'owner' | 'member'
}

export const teamMembers = table<TeamMemberDoc>()({
  name: 'team-members',
  indexes: { team: (member) => member.team, user: (member) => `${member.organization}/${member.user}` },
  orders: { user: { group: (member) => member.team, by: (member) => member.user } },
  owner: 'team',
})

export const teamMemberId = (team: string, user: string): string => `${team}:${user}`

export const teamPermissions = ['admin', 'view'] as const

export const TeamRole = oneOf(['owner', 'member'], {
  $id: 'TeamRole',
  description: 'Owners can rename and delete the team and change its members.',
})

const Title = Type.String({ minLength: 1, maxLength: 64 })

export const Team = Type.Object(
  {
    object: Type.Literal('team'),
    id: Id,
    title: Title,
    members: Type.Integer({ minimum: 0 }),
    spaces: Type.Integer({
      minimum: 0,
      description: 'Number of spaces that the team has a role on, directly or through a collection.',
    }),
    createdAt: Timestamp,
    permissions: permissionsOf(teamPermissions),
  },
  { $id: 'Team' },
)

export const TeamList = listOf(Team, { $id: 'TeamList' })

export const CreateTeam = Type.Object(
  {
    title: Title,
    members: Type.Optional(Type.Array(Id, { maxItems: 1000, uniqueItems: true, description: 'IDs of members.' })),
  },
  { ...closed, $id: 'CreateTeam' },
)
export type CreateTeam = Static<typeof CreateTeam>

export const UpdateTeam = Type.Object({ title: Title }, { ...closed, $id: 'UpdateTeam' })
export type UpdateTeam = Static<typeof UpdateTeam>

export const TitleFilter = Type.Optional(
  Type.String({ maxLength: 512, description: 'Text that the title contains, ignoring case.' }),
)

export const TeamsQuery = Type.Object({
  ...pageQuery,
  owner: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'ID of a member. Returns only teams that this member can manage, as an owner or as an admin.',
    }),
  ),
  title: TitleFilter,
})
export type TeamsQuery = Static<typeof TeamsQuery>

export const SetTeamMembers = Type.Object(
  {
    add: Type.Optional(
      Type.Array(Id, { maxItems: 1000, uniqueItems: true, description: 'IDs of members to add to the team.' }),
    ),
    remove: Type.Optional(
      Type.Array(Id, { maxItems: 1000, uniqueItems: true, description: 'IDs of members to remove from the team.' }),
    ),
    memberships: Type.Optional(
      Type.Record(Type.String(), TeamRole, {
        maxProperties: 1000,
        description: 'Roles in the team by member ID; members who are not in the team yet are added.',
      }),
    ),
  },
  { ...closed, $id: 'SetTeamMembers' },
)
export type SetTeamMembers = Static<typeof SetTeamMembers>

const TeamMember = Type.Object(
  { object: Type.Literal('team-member'), id: Id, role: TeamRole, user: User },
  { $id: 'TeamMember' },
)

export const TeamMemberList = listOf(TeamMember, { $id: 'TeamMemberList' })
