import { Type } from '@sinclair/typebox'
import { createOrganization, listOrganizations, updateOrganization } from '../../domain/organizations.js'
import { paginate } from '../../kernel/paging.js'
import { CreateOrganization, listOf, Organization, pageQuery, UpdateOrganization } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentOrganization } from './present.js'

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
    return created(presentOrganization(app, organization), `/v1/orgs/${organization.doc.id}`)
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
  section,
  needs: 'organization:admin',
  body: UpdateOrganization,
  returns: Organization,
  fails: [409],
  handle: async ({ app, organization, body }) => presentOrganization(app, await updateOrganization(app, organization, body)),
})
