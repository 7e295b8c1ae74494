/** Endpoints of SAML providers and their identities, for admins, and the list of providers that members sign in by. */
import { Type } from '@sinclair/typebox'
import { forgetIdentity, listIdentities } from '../../domain/people/sso/identities.js'
import {
  createProvider,
  deleteProvider,
  listLogins,
  listProviders,
  updateProvider,
} from '../../domain/people/sso/providers.js'
import {
  CreateSAMLProvider,
  pageQuery,
  SAMLProvider,
  SAMLProviderList,
  SSOIdentityList,
  SSOLogins,
  UpdateSAMLProvider,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentIdentity, presentLogin, presentProvider, providerPath } from './present.js'

const section = 'Single sign-on'
const needs = 'organization:admin'

export const listSAMLProvidersInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/saml',
  summary: 'List the SAML providers of an organization',
  section,
  needs,
  query: Type.Object(pageQuery),
  returns: SAMLProviderList,
  handle: async ({ app, actor, organization, query }) => {
    const page = await listProviders(app, organization, query)
    return {
      ...page,
      items: await Promise.all(page.items.map((one) => presentProvider(app, actor, organization, one))),
    }
  },
})

export const createOrganizationSAMLProvider = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/saml',
  summary: 'Create a SAML provider',
  description:
    'Only `label` is required: create the provider, give the addresses in `service` to the identity provider, then add its `entityID`, `ssoURL` and `certificate`. The status is `pending` until they are there. ' +
    'People who sign in by it for the first time become members with `defaultRole` (default: that of the organization) and join `defaultTeam`. An organization has at most 10 providers (409).',
  section,
  needs,
  body: CreateSAMLProvider,
  status: 201,
  returns: SAMLProvider,
  fails: [409],
  handle: async ({ app, actor, organization, body }) => {
    const doc = await createProvider(app, actor, organization, body)
    return created(await presentProvider(app, actor, organization, doc), providerPath(doc))
  },
})

export const getOrganizationSAMLProvider = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/saml/{samlProviderId}',
  summary: 'Get a SAML provider',
  section,
  needs,
  returns: SAMLProvider,
  handle: ({ app, actor, organization, samlProvider }) => presentProvider(app, actor, organization, samlProvider),
})

export const updateOrganizationSAMLProvider = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/saml/{samlProviderId}',
  summary: 'Change a SAML provider',
  description:
    'Fields that are left out keep their value; `defaultTeam: null` removes the team. While the identity provider replaces its key, `certificate` holds both certificates, one after the other. ' +
    'With another `entityID` it is another identity provider: its people are new, and tokens of earlier sign-ins end.',
  section,
  needs,
  body: UpdateSAMLProvider,
  returns: SAMLProvider,
  handle: async ({ app, actor, organization, samlProvider, body }) =>
    presentProvider(app, actor, organization, await updateProvider(app, actor, samlProvider, body)),
})

export const deleteOrganizationSAMLProvider = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/saml/{samlProviderId}',
  summary: 'Delete a SAML provider',
  description: 'Its identities are forgotten and tokens of sign-ins by it end at once. The members stay.',
  section,
  needs,
  deletes: 'leaf',
  handle: ({ app, actor, samlProvider }) => deleteProvider(app, actor, samlProvider),
})

export const listSSOProviderLoginsInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sso',
  summary: 'List the providers that members sign in by',
  description:
    'The active ones. A browser begins at `startURL`. Also for members whose token gives no access because single sign-on is required.',
  section,
  needs: 'organization:view',
  aliases: { organizationId: 'signInOrganizationId' },
  returns: SSOLogins,
  handle: async ({ app, organization }) => ({
    items: (await listLogins(app, organization)).map((one) => presentLogin(app, one)),
  }),
})

export const listSAMLProviderIdentities = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/saml/{samlProviderId}/identities',
  summary: 'List who has signed in by a SAML provider',
  section,
  needs,
  query: Type.Object(pageQuery),
  returns: SSOIdentityList,
  handle: async ({ app, samlProvider, query }) => {
    const page = await listIdentities(app, samlProvider, query)
    return { ...page, items: page.items.map(presentIdentity) }
  },
})

export const deleteSAMLProviderIdentity = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/saml/{samlProviderId}/identities/{identityId}',
  summary: 'Forget an identity at a SAML provider',
  description:
    'Tokens of sign-ins by it end at once. Whoever has it at the provider is treated as a new person at the next sign-in; the member stays.',
  section,
  needs,
  deletes: 'leaf',
  handle: ({ app, actor, ssoIdentity }) => forgetIdentity(app, actor, ssoIdentity),
})
