import { presentOrganizationPermissions } from '../../access/index.js'
import type { App, LoadedOrganization } from '../../domain/app.js'

/** An organization. A self-hosted service has one plan, no trial and nothing to bill: said so, not left out. */
export const presentOrganization = (app: App, { doc, role }: LoadedOrganization) => ({
  object: 'organization' as const,
  id: doc.id,
  title: doc.title,
  createdAt: doc.createdAt,
  emailDomains: doc.emailDomains,
  ...(doc.hostname === undefined ? {} : { hostname: doc.hostname }),
  type: doc.type,
  ...(doc.useCase === undefined ? {} : { useCase: doc.useCase }),
  ...(doc.communityType === undefined ? {} : { communityType: doc.communityType }),
  defaultRole: doc.defaultRole,
  defaultContent: doc.defaultContent,
  sso: doc.sso,
  ai: doc.ai,
  inviteLinks: doc.inviteLinks,
  plan: 'internal' as const,
  internal_isOnNewTrial: true as const,
  billing: { hasPaymentFailed: false, isScheduledToCancel: false, usageAddons: {} },
  trial: { status: 'notapplicable' as const },
  urls: {
    location: `${app.settings.publicUrl}/v1/orgs/${doc.id}`,
    app: `${app.settings.publicUrl}/v1/orgs/${doc.id}`,
    ...(doc.logo === undefined ? {} : { logo: doc.logo }),
  },
  permissions: presentOrganizationPermissions(role),
})
