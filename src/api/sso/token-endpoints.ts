/**
 * Endpoints for exceptions from single sign-on: tokens that admins exempt, and the link between an identity and an
 * existing account.
 */
import { linkOwnIdentity } from '../../domain/people/sso/identities.js'
import { listNamedTokens, nameToken, unnameToken } from '../../domain/people/sso/named-tokens.js'
import { LinkSSOIdentity, SSOIdentity, SSOToken, SSOTokenList } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentIdentity, presentNamedToken } from './present.js'

const section = 'Single sign-on'
const needs = 'organization:admin'
const aliases = { tokenId: 'tokenToNameId' } as const

export const listSSOTokensInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sso/tokens',
  summary: 'List the tokens that are exempt from single sign-on',
  section,
  needs,
  returns: SSOTokenList,
  handle: async ({ app, organization }) => ({
    items: (await listNamedTokens(app, organization)).map(presentNamedToken),
  }),
})

export const addSSOTokenInOrganization = endpoint({
  method: 'PUT',
  path: '/v1/orgs/{organizationId}/sso/tokens/{tokenId}',
  summary: 'Exempt a token from single sign-on',
  description:
    'For automation: the token of a member or of a service account gives access although its owner must use single sign-on. Tokens created with it do not. ' +
    'Its owner can find the ID with `GET /v1/user/tokens`. At most 100 (409).',
  section,
  needs,
  aliases,
  returns: SSOToken,
  fails: [409],
  handle: async ({ app, actor, organization, tokenToName }) =>
    presentNamedToken(await nameToken(app, actor, organization, tokenToName)),
})

export const removeSSOTokenInOrganization = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sso/tokens/{tokenId}',
  summary: "Remove a token's exemption from single sign-on",
  section,
  needs,
  aliases,
  deletes: 'leaf',
  handle: ({ app, organization, tokenToName }) => unnameToken(app, organization, tokenToName),
})

export const linkSSOIdentity = endpoint({
  method: 'POST',
  path: '/v1/user/sso-identities',
  summary: 'Link an identity at a SAML provider to yourself',
  description:
    'For members who had a token before they used single sign-on. `token` is the code from the end of a sign-in (the part after the # of the page that it ' +
    'opens); it can be used once. From then on, you sign in with that identity. Returns 409 if the identity belongs to another member, or if you are the ' +
    'last admin who can sign in without single sign-on and it is required for you.',
  section,
  needs: 'authenticated',
  body: LinkSSOIdentity,
  returns: SSOIdentity,
  fails: [409],
  handle: async ({ app, actor, body }) => presentIdentity(await linkOwnIdentity(app, actor, body.token)),
})
