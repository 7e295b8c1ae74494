/** Endpoints of organizations: clients create, list, read and edit them, and look them up by e-mail domain or hostname. */
import { Type } from '@sinclair/typebox'
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
    return created(presentOrganization(app, organization), `/v1/orgs/${organization.doc.id}`, {
      organization: organization.doc.id,
    })
  },
})

export const getOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}',
  summary: 'Get an organization',
  section,
  needs: 'organization:view',
  returns: Organization,
  handle: ({ app, organization }) => presentOrganization(app, organization),
})

export const updateOrganizationById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}',
  summary: 'Change an organization',
  description:
    'Fields that are left out keep their value. `hostname` is unique. `sso: true` enforces single sign-on: other tokens than those of a sign-in by it no longer give access to the organization ' +
    '(403), except those of admins, who could otherwise lock themselves out, and those that an admin has named (`PUT …/sso/tokens/{tokenId}`). `emailDomains` only help people to find the organization: nobody becomes a member through them.',
  section,
  needs: 'organization:admin',
  body: UpdateOrganization,
  returns: Organization,
  fails: [409],
  handle: async ({ app, actor, organization, body }) =>
    presentOrganization(app, await updateOrganization(app, actor, organization, body)),
})

export const listOrganizationsByEmailDomain = endpoint({
  method: 'GET',
  path: '/v1/email-domains/{emailDomain}/orgs',
  summary: 'List the organizations that an e-mail domain belongs to',
  description:
    'Your own organizations among them. If it is the domain of your own address, also the others, but only by name: without their settings, and with all permissions false. ' +
    'For any other domain, organizations of others are not returned.',
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
    'The organization whose `hostname` it is. Any signed-in user may ask: it is as public as what is published there.',
  section,
  needs: 'authenticated',
  returns: Subdomain,
  handle: ({ subdomain }) => presentSubdomain(subdomain),
})
