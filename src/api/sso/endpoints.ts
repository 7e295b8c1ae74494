/**
 * Endpoints of SAML providers and their identities, for admins, and the list of providers that members can sign in
 * with.
 */
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
    'Only `label` is required. Create the provider, configure the addresses in `service` at the identity provider, then add its `entityID`, `ssoURL` and ' +
    '`certificate`. The status is `pending` until they are set. People who sign in with it for the first time become members with `defaultRole` (default: ' +
    'that of the organization) and join `defaultTeam`. An organization has at most 10 providers (409).',
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
    'Omitted fields keep their value; `defaultTeam: null` removes the team. While the identity provider replaces its key, put both certificates into ' +
    '`certificate`, one after the other. A different `entityID` means a different identity provider: its people are new, and tokens from earlier sign-ins ' +
    'end.',
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
  description: 'Its identities are deleted, and tokens from sign-ins with it end immediately. The members remain.',
  section,
  needs,
  deletes: 'leaf',
  handle: ({ app, actor, samlProvider }) => deleteProvider(app, actor, samlProvider),
})

export const listSSOProviderLoginsInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sso',
  summary: 'List the providers that members can sign in with',
  description:
    'Lists the active providers. Open `startURL` in a browser to sign in. Also available to members whose token gives no access because single sign-on is required.',
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
  summary: 'List the identities of a SAML provider',
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
  summary: 'Delete an identity of a SAML provider',
  description:
    'Tokens from sign-ins with it end immediately. At the next sign-in, the owner of the identity is treated as a new person; the member remains.',
  section,
  needs,
  deletes: 'leaf',
  handle: ({ app, actor, ssoIdentity }) => forgetIdentity(app, actor, ssoIdentity),
})
