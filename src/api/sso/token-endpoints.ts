/** Endpoints of what goes on beside single sign-on: named tokens, for admins, and tying an identity to oneself. */
import { linkOwnIdentity } from '../../domain/people/sso/identities.js'
import { listNamedTokens, nameToken, unnameToken } from '../../domain/people/sso/named-tokens.js'
import { LinkSSOIdentity, SSOIdentity, SSOToken, SSOTokenList } from '../../model/index.js'
import { reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentIdentity, presentNamedToken } from './present.js'

const section = 'Single sign-on'
const needs = 'organization:admin'
const aliases = { tokenId: 'tokenToNameId' } as const

export const listSSOTokensInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sso/tokens',
  summary: 'List the tokens that work beside single sign-on',
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
  summary: 'Let a token work beside single sign-on',
  description:
    'For automation: the token of a member, or of a service account that is one, gives access although its owner must sign in by single sign-on. Tokens made with it do not. Its owner finds the ID by `GET /v1/user/tokens`. At most 100 (409).',
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
  summary: 'Refuse a token that worked beside single sign-on',
  section,
  needs,
  aliases,
  deletes: 'leaf',
  handle: ({ app, organization, tokenToName }) => unnameToken(app, organization, tokenToName),
})

export const linkSSOIdentity = endpoint({
  method: 'POST',
  path: '/v1/user/sso-identities',
  summary: 'Tie an identity at a SAML provider to yourself',
  description:
    'For members who had a token before they signed in by single sign-on. `token` is the code that a sign-in ends with (the part after the # of the page it leads to); it is used up. From then on, you sign in by that identity. ' +
    'Returns 409 if it is that of another member, or if you are the last admin who can sign in without single sign-on and are marked for it.',
  section,
  needs: 'authenticated',
  body: LinkSSOIdentity,
  returns: SSOIdentity,
  fails: [409],
  handle: async ({ app, actor, body }) => {
    const doc = await linkOwnIdentity(app, actor, body.token)
    return reply({ body: presentIdentity(doc), audited: { organization: doc.organization } })
  },
})
