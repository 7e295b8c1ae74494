import { type Static, Type } from '@sinclair/typebox'
import { Id, listOf, oneOf, permissionsOf, Timestamp } from './common.js'

export const teamPermissions = ['admin', 'view'] as const

export const TeamRole = oneOf(['owner', 'member'], { $id: 'TeamRole', description: 'An owner manages the team: its title, its members, its end.' })

const Title = Type.String({ minLength: 1, maxLength: 64 })

export const Team = Type.Object(
  {
    object: Type.Literal('team'),
    id: Id,
    title: Title,
    members: Type.Integer({ minimum: 0 }),
    spaces: Type.Integer({ minimum: 0, description: 'Spaces that the team was given a role on, itself or through a collection.' }),
    createdAt: Timestamp,
    permissions: permissionsOf(teamPermissions),
  },
  { $id: 'Team' },
)
export const TeamList = listOf(Team, { $id: 'TeamList' })

export const CreateTeam = Type.Object(
  { title: Title, members: Type.Optional(Type.Array(Id, { maxItems: 1000, uniqueItems: true, description: 'IDs of members.' })) },
  { additionalProperties: false, $id: 'CreateTeam' },
)
export type CreateTeam = Static<typeof CreateTeam>

export const UpdateTeam = Type.Object({ title: Title }, { additionalProperties: false, $id: 'UpdateTeam' })
export type UpdateTeam = Static<typeof UpdateTeam>
