/** Organizations, and the hostnames that belong to them. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, nullable, oneOf, permissionsOf, type Role, RoleSchema, Timestamp } from './common.js'
import { OrganizationMergeRules } from './merge-rules.js'
import type { Quotas } from './quota.js'

const organizationTypes = ['business', 'community'] as const

const useCases = [
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

const communityTypes = ['nonProfit', 'openSource', 'education'] as const

const plans = [
  'free_2024',
  'plus_2024',
  'pro_2024',
  'enterprise_2024',
  'community_2024',
  'free',
  'plus',
  'pro',
  'internal',
] as const

/** An organization, as stored. */
export interface OrganizationDoc {
  id: string
  title: string
  createdAt: string
  emailDomains: string[]
  hostname?: string
  type: (typeof organizationTypes)[number]
  useCase?: (typeof useCases)[number]
  communityType?: (typeof communityTypes)[number]
  /** Hostname for sites without their own hostname; unique in the service. */
  customHostname?: string
  /** Role of new members; null makes them guests. */
  defaultRole: Role | null
  defaultContent: { type: 'site'; site: string } | null
  logo?: string
  sso: boolean
  ai: boolean
  inviteLinks: boolean
  /** Absent = none. */
  mergeRules?: OrganizationMergeRules
  /** Limits that the operator has set for this organization. Absent = those of the settings. */
  quotas?: Partial<Quotas>
}

export const organizations = table<OrganizationDoc>()({
  name: 'organizations',
  indexes: {
    emailDomain: (org) => org.emailDomains,
    hostname: (org) => org.hostname ?? null,
    customHostname: (org) => org.customHostname ?? null,
  },
  owner: (org) => org.id,
})

export const organizationPermissions = [
  'view',
  'access',
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

const DefaultContent = Type.Object({ type: Type.Literal('site'), site: Id }, closed)
export type DefaultContent = Static<typeof DefaultContent>

const Title = Type.String({ minLength: 2, maxLength: 255 })

const domainName = Type.String({
  minLength: 3,
  maxLength: 253,
  pattern: '^(?=[^\\s@/]+$)[^\\s@/]+?\\.[^\\s@/]',
  'x-pattern-message': 'must be a domain such as example.org',
})

const EmailDomains = Type.Array(domainName, {
  maxItems: 100,
  uniqueItems: true,
  description:
    'Email domains, in lowercase. People with such an address can find the organization; they do not become members.',
})

/** Also the organization's subdomain, so it has the format of a domain label. */
const Hostname = Type.String({
  minLength: 3,
  maxLength: 32,
  pattern: '^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$',
  'x-pattern-message': 'must be lowercase letters, digits and hyphens, and start and end with a letter or digit',
})

const Price = Type.Object({ monthly: Type.Number(), yearly: Type.Number() })

const Billing = Type.Object({
  interval: oneOf(['monthly', 'yearly']),
  endDate: nullable(Timestamp),
  hasPaymentFailed: Type.Boolean(),
  isScheduledToCancel: Type.Boolean(),
  pricing: Type.Object({
    members: Type.Object({ plus_2024: Price, pro_2024: Price }),
    sites: Type.Object({ premium: Price, ultimate: Price }),
  }),
  usageAddons: Type.Record(Type.String(), Type.Object({ enabled: Type.Boolean() })),
  canCheckout: Type.Boolean(),
  canChangeInterval: Type.Boolean(),
  canUseSAML: Type.Boolean(),
  creditsBundle: Type.Null(),
  aiCreditAlertThreshold: Type.Null(),
})

export const Organization = Type.Object(
  {
    object: Type.Literal('organization'),
    id: Id,
    title: Title,
    createdAt: Timestamp,
    emailDomains: Type.Array(Type.String()),
    hostname: Type.Optional(
      Type.String({ minLength: 3, maxLength: 32, description: 'Default hostname of published content.' }),
    ),
    type: oneOf(organizationTypes),
    useCase: Type.Optional(oneOf(useCases)),
    communityType: Type.Optional(oneOf(communityTypes)),
    defaultRole: nullable(RoleSchema),
    defaultContent: nullable(DefaultContent),
    sso: Type.Boolean(),
    ai: Type.Boolean(),
    inviteLinks: Type.Boolean(),
    mergeRules: OrganizationMergeRules,
    plan: oneOf(plans, { description: 'A self-hosted service has one plan: `internal`.' }),
    customHostname: Type.Optional(Type.String()),
    internal_isOnNewTrial: Type.Literal(true, { deprecated: true }),
    billing: Billing,
    trial: Type.Object({
      status: oneOf(['notapplicable', 'none', 'active', 'ended', 'expired']),
      endDate: Type.Optional(Timestamp),
      decision: Type.Optional(oneOf(['downgrade'])),
      count: Type.Integer({ minimum: 0, description: 'Number of trials so far. A self-hosted service has none.' }),
    }),
    blocked: Type.Optional(Type.Object({ reason: oneOf(['security']) })),
    internal_billingMigration: Type.Optional(
      Type.Object({ deadline: Timestamp, discountPercent: Type.Number(), discountEndDate: Type.Optional(Timestamp) }),
    ),
    urls: Type.Object({ location: Type.String(), app: Type.String(), logo: Type.Optional(Type.String()) }),
    permissions: permissionsOf(organizationPermissions),
  },
  { $id: 'Organization' },
)

export const OrganizationsOfDomain = Type.Object(
  { organizations: Type.Array(Organization) },
  { $id: 'OrganizationsOfDomain' },
)

export const CreateOrganization = Type.Object(
  { title: Title, emailDomains: Type.Optional(EmailDomains) },
  { ...closed, $id: 'CreateOrganization' },
)
export type CreateOrganization = Static<typeof CreateOrganization>

export const UpdateOrganization = Type.Object(
  {
    title: Type.Optional(Title),
    emailDomains: Type.Optional(EmailDomains),
    hostname: Type.Optional(Hostname),
    defaultRole: Type.Optional(nullable(RoleSchema)),
    defaultContent: Type.Optional(nullable(DefaultContent)),
    logo: Type.Optional(
      nullable(
        Type.String({
          format: 'uri',
          pattern: '^https?://',
          'x-pattern-message': 'must be an http or https URL',
          maxLength: 2048,
        }),
      ),
    ),
    sso: Type.Optional(Type.Boolean()),
    ai: Type.Optional(Type.Boolean()),
    inviteLinks: Type.Optional(Type.Boolean()),
    mergeRules: Type.Optional(OrganizationMergeRules),
    useCase: Type.Optional(nullable(oneOf(useCases))),
    communityType: Type.Optional(
      nullable(
        oneOf(communityTypes, {
          description: 'If set, the type of the organization is `community`; null makes it `business`.',
        }),
      ),
    ),
    customHostname: Type.Optional(
      nullable(
        Type.String({
          maxLength: 253,
          pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z][a-z0-9-]{0,61}[a-z0-9]$',
          'x-pattern-message': 'must be a hostname in lowercase, such as docs.example.org',
          description: 'Your own hostname. Sites without a hostname are served below it, at `/{basename}`.',
        }),
      ),
    ),
  },
  { ...closed, $id: 'UpdateOrganization' },
)
export type UpdateOrganization = Static<typeof UpdateOrganization>

export const Subdomain = Type.Object(
  {
    object: Type.Literal('subdomain'),
    subdomain: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$',
      'x-pattern-message': 'must be lowercase letters, digits and hyphens, and start and end with a letter or digit',
    }),
    target: Type.Object({ type: Type.Literal('organization'), organization: Id }),
    isActive: Type.Boolean(),
  },
  { $id: 'Subdomain' },
)
