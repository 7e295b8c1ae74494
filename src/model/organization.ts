import { type Static, Type } from '@sinclair/typebox'
import { collection } from '../kernel/documents.js'
import { Id, nullable, oneOf, permissionsOf, type Role, RoleSchema, Timestamp } from './common.js'

export const organizationTypes = ['business', 'community'] as const
export const useCases = [
  'internalDocs',
  'docsSite',
  'audienceControlledSite',
  'productDocs',
  'teamKnowledgeBase',
  'designSystem',
  'openSourceDocs',
  'notes',
  'other',
] as const
export const plans = ['free_2024', 'plus_2024', 'pro_2024', 'enterprise_2024', 'community_2024', 'free', 'plus', 'pro', 'internal'] as const

/** An organization, as stored. */
export interface OrganizationDoc {
  id: string
  title: string
  createdAt: string
  emailDomains: string[]
  hostname?: string
  type: (typeof organizationTypes)[number]
  useCase?: (typeof useCases)[number]
  communityType?: 'nonProfit' | 'openSource' | 'education'
  /** Role of new members; null makes guests of them. */
  defaultRole: Role | null
  defaultContent: { type: 'site'; site: string } | null
  logo?: string
  sso: boolean
  ai: boolean
  inviteLinks: boolean
}

export const organizations = collection<OrganizationDoc>()({
  name: 'organizations',
  indexes: { emailDomain: (org) => org.emailDomains, hostname: (org) => org.hostname ?? null },
  owner: (org) => org.id,
})

/** A user's place in an organization, as stored. Its ID is `<organization>:<user>`. */
export interface MembershipDoc {
  id: string
  organization: string
  user: string
  /** Null = a guest: sees only what is shared with him by name or team. */
  role: Role | null
  joinedAt: string
  lastSeenAt?: string
  disabled: boolean
  sso: boolean
}

export const memberships = collection<MembershipDoc>()({
  name: 'memberships',
  indexes: { organization: (member) => member.organization, user: (member) => member.user },
  owner: (member) => member.organization,
})
export const membershipId = (organization: string, user: string): string => `${organization}:${user}`

/** A team, as stored. Who is in it, is said by `teamMembers`. */
export interface TeamDoc {
  id: string
  organization: string
  title: string
  createdAt: string
}

export const teams = collection<TeamDoc>()({
  name: 'teams',
  indexes: { organization: (team) => team.organization },
  owner: (team) => team.organization,
})

/** A user's place in a team, as stored: a document of its own, so that a large team costs no more to change. Its ID is `<team>:<user>`. */
export interface TeamMemberDoc {
  id: string
  organization: string
  team: string
  user: string
  role: 'owner' | 'member'
}

export const teamMembers = collection<TeamMemberDoc>()({
  name: 'team-members',
  indexes: { team: (member) => member.team, user: (member) => `${member.organization}/${member.user}` },
  owner: (member) => member.team,
})
export const teamMemberId = (team: string, user: string): string => `${team}:${user}`

export const organizationPermissions = [
  'view',
  'admin',
  'ownTeam',
  'createContent',
  'createOpenAPISpec',
  'ingestConversations',
  'viewBilling',
  'listMembers',
  'listTeams',
  'listIntegrations',
  'listInstallations',
  'installIntegration',
] as const

const DefaultContent = Type.Object({ type: Type.Literal('site'), site: Id }, { additionalProperties: false })

export const Organization = Type.Object(
  {
    object: Type.Literal('organization'),
    id: Id,
    title: Type.String({ minLength: 2, maxLength: 255 }),
    createdAt: Timestamp,
    emailDomains: Type.Array(Type.String()),
    hostname: Type.Optional(Type.String({ minLength: 3, maxLength: 32 })),
    type: oneOf(organizationTypes),
    useCase: Type.Optional(oneOf(useCases)),
    communityType: Type.Optional(oneOf(['nonProfit', 'openSource', 'education'])),
    defaultRole: nullable(RoleSchema),
    defaultContent: nullable(DefaultContent),
    sso: Type.Boolean(),
    ai: Type.Boolean(),
    inviteLinks: Type.Boolean(),
    plan: oneOf(plans),
    internal_isOnNewTrial: Type.Literal(true),
    billing: Type.Object({
      hasPaymentFailed: Type.Boolean(),
      isScheduledToCancel: Type.Boolean(),
      usageAddons: Type.Record(Type.String(), Type.Object({ enabled: Type.Boolean() })),
    }),
    trial: Type.Object({ status: Type.Literal('notapplicable') }),
    urls: Type.Object({ location: Type.String(), app: Type.String(), logo: Type.Optional(Type.String()) }),
    permissions: permissionsOf(organizationPermissions),
  },
  { $id: 'Organization' },
)

export const CreateOrganization = Type.Object(
  {
    title: Type.String({ minLength: 2, maxLength: 255 }),
    emailDomains: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: 253, pattern: '^[^\\s@/]+\\.[^\\s@/]+$' }), { maxItems: 100, uniqueItems: true }),
    ),
  },
  { additionalProperties: false, $id: 'CreateOrganization' },
)
export type CreateOrganization = Static<typeof CreateOrganization>

export const UpdateOrganization = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 2, maxLength: 255 })),
    emailDomains: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: 253, pattern: '^[^\\s@/]+\\.[^\\s@/]+$' }), { maxItems: 100, uniqueItems: true }),
    ),
    hostname: Type.Optional(Type.String({ minLength: 3, maxLength: 32, pattern: '^[a-z0-9][a-z0-9-]*[a-z0-9]$' })),
    defaultRole: Type.Optional(nullable(RoleSchema)),
    defaultContent: Type.Optional(nullable(DefaultContent)),
    logo: Type.Optional(nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }))),
    sso: Type.Optional(Type.Boolean()),
    ai: Type.Optional(Type.Boolean()),
    inviteLinks: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, $id: 'UpdateOrganization' },
)
export type UpdateOrganization = Static<typeof UpdateOrganization>
