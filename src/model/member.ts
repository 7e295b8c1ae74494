/** Members of an organization. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, listOf, nullable, oneOf, pageQuery, type Role, roles, RoleSchema, Timestamp } from './common.js'
import { Space } from './space.js'
import { Team, TeamRole, TitleFilter } from './team.js'
import { User } from './user.js'

/** A user's membership in an organization, as stored. Its ID is `<organization>:<user>`. */
export interface MembershipDoc {
  id: string
  organization: string
  user: string
  /** Null = a guest, who sees only content shared with them by name or through a team. */
  role: Role | null
  joinedAt: string
  lastSeenAt?: string
  disabled: boolean
  /** Whether the member must use single sign-on. */
  sso: boolean
  /**
   * `open`: the next new identity with the member's address is linked to the member. `linked`: the member has an
   * identity. Absent = neither.
   */
  ssoLink?: 'open' | 'linked'
}

/** Returns the key of a list of memberships: all members, or the members with a role (`guest` = none). */
export const memberList = (organization: string, role?: Role | 'guest'): string =>
  role === undefined ? organization : `${organization}/${role}`

const listsOf = ({ organization, role }: MembershipDoc): string[] => [
  memberList(organization),
  memberList(organization, role ?? 'guest'),
]

export const memberships = table<MembershipDoc>()({
  name: 'memberships',
  indexes: { organization: (member) => member.organization, user: (member) => member.user },
  orders: {
    joinedAt: { group: listsOf, by: (member) => member.joinedAt },
    lastSeenAt: {
      group: (member) => (member.lastSeenAt === undefined ? null : listsOf(member)),
      by: (member) => member.lastSeenAt ?? '',
    },
  },
  owner: 'organization',
})

export const membershipId = (organization: string, user: string): string => `${organization}:${user}`

export const Member = Type.Object(
  {
    object: Type.Literal('member'),
    id: Type.String({ minLength: 1, maxLength: 64, description: 'Unique ID, which is that of the user.' }),
    role: nullable(RoleSchema),
    user: User,
    disabled: Type.Boolean({ description: 'A disabled member has no access.' }),
    joinedAt: Timestamp,
    lastSeenAt: Type.Optional(Timestamp),
    sso: Type.Boolean({ description: 'Whether the member must use single sign-on.' }),
    spaces: Type.Integer({ minimum: 0, description: 'Number of spaces that the member can see.' }),
    sites: Type.Integer({ minimum: 0, description: 'Number of sites that the member can see.' }),
    teams: Type.Integer({ minimum: 0 }),
  },
  { $id: 'Member' },
)

export const MemberList = listOf(Member, { $id: 'MemberList' })

const order = oneOf(['asc', 'desc'], { default: 'desc' })

export const MembersQuery = Type.Object({
  ...pageQuery,
  role: Type.Optional(
    oneOf([...roles, 'guest'], { description: 'Members with this role; `guest` = members without a role.' }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'Text that the display name or email address contains, ignoring case.',
    }),
  ),
  sort: oneOf(['joinedAt', 'lastSeenAt'], {
    default: 'joinedAt',
    description: 'With `lastSeenAt`, members that were never active are left out.',
  }),
  order,
})
export type MembersQuery = Static<typeof MembersQuery>

export const UpdateMember = Type.Object(
  { role: Type.Optional(nullable(RoleSchema)), disabled: Type.Optional(Type.Boolean()) },
  { ...closed, $id: 'UpdateMember' },
)
export type UpdateMember = Static<typeof UpdateMember>

export const MemberSpacesQuery = Type.Object({ ...pageQuery, order })

export const MemberSpaceList = listOf(Type.Object({ permission: RoleSchema, space: Space }), { $id: 'MemberSpaceList' })

export const MemberTeamsQuery = Type.Object({ ...pageQuery, title: TitleFilter })

export const MemberTeamList = listOf(Type.Object({ team: Team, member: Type.Object({ role: TeamRole }) }), {
  $id: 'MemberTeamList',
})

export const Pong = Type.Object(
  { serviceVisitorClaims: Type.Optional(Type.String({ description: 'A JWT to attach to the user.' })) },
  { $id: 'Pong' },
)
