/** Endpoints of organizations: clients create, list, read and edit them, and find them by email domain or hostname. */
import { Type } from '@sinclair/typebox'
import { usageOf } from '../../domain/context/quotas.js'
import {
  createOrganization,
  listOrganizations,
  listOrganizationsOfDomain,
  updateOrganization,
} from '../../domain/people/organizations.js'
import { paginate } from '../../kernel/paging.js'
import {
  CreateOrganization,
  listOf,
  Organization,
  OrganizationsOfDomain,
  OrganizationUsage,
  pageQuery,
  Subdomain,
  UpdateOrganization,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentOrganization, presentSubdomain, presentToOutsider } from './present.js'

const section = 'Organizations'

export const listOrganizationsForAuthenticatedUser = endpoint({
  method: 'GET',
  path: '/v1/orgs',
  summary: 'List your organizations',
  section,
  needs: 'authenticated',
  repeatable: true,
  query: Type.Object(pageQuery),
  returns: listOf(Organization, { $id: 'OrganizationList' }),
  handle: async ({ app, actor, query }) => {
    const page = paginate(await listOrganizations(app, actor), query, ({ doc }) => [doc.createdAt, doc.id])
    return { ...page, items: page.items.map((one) => presentOrganization(app, one)) }
  },
})

export const createOrganizationForAuthenticatedUser = endpoint({
  method: 'POST',
  path: '/v1/orgs',
  summary: 'Create an organization',
  description: 'You become its admin.',
  section,
  needs: 'authenticated',
  body: CreateOrganization,
  status: 201,
  returns: Organization,
  handle: async ({ app, actor, body }) => {
    const organization = await createOrganization(app, actor, body)
    return created(presentOrganization(app, organization), `/v1/orgs/${organization.doc.id}`)
  },
})

export const getOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}',
  summary: 'Get an organization',
  section,
  needs: 'organization:view',
  repeatable: true,
  returns: Organization,
  handle: ({ app, organization }) => presentOrganization(app, organization),
})

export const updateOrganizationById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}',
  summary: 'Change an organization',
  description:
    'Omitted fields keep their value. `hostname` is unique. `sso: true` enforces single sign-on: only tokens from a single sign-on give access to the ' +
    'organization (otherwise 403). Exceptions are tokens of admins, who could otherwise lock themselves out, and tokens that an admin has exempted (`PUT ' +
    '…/sso/tokens/{tokenId}`). `emailDomains` only help people find the organization; they do not make anyone a member.',
  section,
  needs: 'organization:admin',
  body: UpdateOrganization,
  returns: Organization,
  fails: [409],
  handle: async ({ app, actor, organization, body }) =>
    presentOrganization(app, await updateOrganization(app, actor, organization, body)),
})

export const getUsageOfOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/usage',
  summary: 'Get the usage of an organization',
  description:
    'What the organization uses, and what it may use. The operator of the server sets the limits. A change above a limit gets a 409 that names it. Sizes ' +
    'are measured at intervals, so they are up to 30 seconds old, and up to five minutes for changes by other nodes or plain Git.',
  section,
  needs: 'organization:admin',
  returns: OrganizationUsage,
  handle: async ({ app, organization }) => ({
    object: 'organization-usage' as const,
    ...(await usageOf(app, organization.doc.id)),
  }),
})

export const listOrganizationsByEmailDomain = endpoint({
  method: 'GET',
  path: '/v1/email-domains/{emailDomain}/orgs',
  summary: 'List the organizations of an email domain',
  description:
    'Returns your own organizations with this domain. If it is the domain of your address, also returns other organizations, but only their names: ' +
    'without settings, and with all permissions false.',
  section,
  needs: 'authenticated',
  returns: OrganizationsOfDomain,
  handle: async ({ app, actor, emailDomain }) => {
    const found = await listOrganizationsOfDomain(app, actor, emailDomain)
    return {
      organizations: found.map(({ doc, role }) =>
        role === undefined ? presentToOutsider(app, doc, emailDomain) : presentOrganization(app, { doc, role }),
      ),
    }
  },
})

export const getSubdomain = endpoint({
  method: 'GET',
  path: '/v1/subdomains/{subdomain}',
  summary: 'Get the target of a subdomain',
  description:
    'Returns the organization with this `hostname`. Any signed-in user can request it, because hostnames are public.',
  section,
  needs: 'authenticated',
  returns: Subdomain,
  handle: ({ subdomain }) => presentSubdomain(subdomain),
})
