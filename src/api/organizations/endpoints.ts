import { Type } from '@sinclair/typebox'
import { createOrganization, listOrganizations, listOrganizationsOfDomain, updateOrganization } from '../../domain/people/organizations.js'
import { paginate } from '../../kernel/paging.js'
import { CreateOrganization, listOf, Organization, OrganizationsOfDomain, pageQuery, Subdomain, UpdateOrganization } from '../../model/index.js'
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
    return created(presentOrganization(app, organization), `/v1/orgs/${organization.doc.id}`, { organization: organization.doc.id })
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
    'What is left out stays. `hostname` is unique. `sso: true` enforces single sign-on: for all but admins, who could else lock themselves out, a token that came from an ' +
    'e-mail link does not open the organization any more (403); tokens that the operator made do. `emailDomains` name whom you expect, and prove nothing: nobody joins by them.',
  section,
  needs: 'organization:admin',
  body: UpdateOrganization,
  returns: Organization,
  fails: [409],
  handle: async ({ app, actor, organization, body }) => presentOrganization(app, await updateOrganization(app, actor, organization, body)),
})

export const listOrganizationsByEmailDomain = endpoint({
  method: 'GET',
  path: '/v1/email-domains/{emailDomain}/orgs',
  summary: 'List the organizations that an e-mail domain belongs to',
  description:
    'Your own organizations among them; where it is the domain of your own address, the others too, by their name alone: nothing of their settings, and all permissions false. ' +
    'For any other domain nobody learns who claims it.',
  section,
  needs: 'authenticated',
  returns: OrganizationsOfDomain,
  handle: async ({ app, actor, emailDomain }) => {
    const found = await listOrganizationsOfDomain(app, actor, emailDomain)
    return {
      organizations: found.map(({ doc, role }) => (role === undefined ? presentToOutsider(app, doc, emailDomain) : presentOrganization(app, { doc, role }))),
    }
  },
})

export const getSubdomain = endpoint({
  method: 'GET',
  path: '/v1/subdomains/{subdomain}',
  summary: 'Get what a subdomain leads to',
  description: 'The organization whose `hostname` it is. Whose it is, is as public as what is published there: any signed-in user may ask.',
  section,
  needs: 'authenticated',
  returns: Subdomain,
  handle: ({ subdomain }) => presentSubdomain(subdomain),
})
