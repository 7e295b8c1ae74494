/**
 * Turns an organization into JSON: all fields for members, the name for outsiders with its email domain, and its
 * hostname.
 */
import { presentOrganizationPermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import { organizationAddress } from '../../domain/context/app-addresses.js'
import type { LoadedOrganization } from '../../domain/context/loaded.js'
import type { OrganizationDoc } from '../../model/index.js'
import { defined, required } from '../../kernel/defined.js'

const free = { monthly: 0, yearly: 0 }

/** The plan of a self-hosted service: no trial and no billing. Clients expect these members anyway. */
const selfHosted = {
  plan: 'internal' as const,
  internal_isOnNewTrial: true as const,
  billing: {
    interval: 'monthly' as const,
    endDate: null,
    hasPaymentFailed: false,
    isScheduledToCancel: false,
    pricing: { members: { plus_2024: free, pro_2024: free }, sites: { premium: free, ultimate: free } },
    usageAddons: {},
    canCheckout: false,
    canChangeInterval: false,
    canUseSAML: true,
    creditsBundle: null,
    aiCreditAlertThreshold: null,
  },
  trial: { status: 'notapplicable' as const, count: 0 },
}

/** Returns an organization as a member sees it. */
export const presentOrganization = (app: App, { doc, role }: LoadedOrganization) => ({
  object: 'organization' as const,
  id: doc.id,
  title: doc.title,
  createdAt: doc.createdAt,
  emailDomains: doc.emailDomains,
  ...defined({ hostname: doc.hostname }),
  type: doc.type,
  ...defined({ useCase: doc.useCase, communityType: doc.communityType, customHostname: doc.customHostname }),
  defaultRole: doc.defaultRole,
  defaultContent: doc.defaultContent,
  sso: doc.sso,
  ai: doc.ai,
  inviteLinks: doc.inviteLinks,
  mergeRules: doc.mergeRules ?? { type: 'none' as const },
  ...selfHosted,
  urls: urls(app, doc),
  permissions: presentOrganizationPermissions({ role, readOnly: app.readOnly }),
})

/** Returns an organization for people with its email domain who are not members: its name, but not its settings. */
export const presentToOutsider = (app: App, doc: OrganizationDoc & { id: string }, domain: string) => ({
  object: 'organization' as const,
  id: doc.id,
  title: doc.title,
  createdAt: doc.createdAt,
  emailDomains: [domain],
  type: doc.type,
  defaultRole: null,
  defaultContent: null,
  sso: doc.sso,
  ai: false,
  inviteLinks: false,
  mergeRules: { type: 'none' as const },
  ...selfHosted,
  urls: urls(app, doc),
  permissions: presentOrganizationPermissions({ role: undefined, readOnly: app.readOnly }),
})

const urls = (app: App, doc: OrganizationDoc & { id: string }) => ({
  location: `${app.settings.publicUrl}/v1/orgs/${doc.id}`,
  app: organizationAddress(app, doc.id),
  ...defined({ logo: doc.logo }),
})

/** Returns a hostname with its organization. */
export const presentSubdomain = (doc: OrganizationDoc & { id: string }) => ({
  object: 'subdomain' as const,
  subdomain: required(doc.hostname),
  target: { type: 'organization' as const, organization: doc.id },
  isActive: true,
})
