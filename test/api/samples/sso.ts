import { issueToken } from '../../../src/domain/accounts/accounts.js'
import { ssoIdentities } from '../../../src/model/index.js'
import type { Samples, SpecialSamples } from './samples.js'

/** SAML providers, identities, and a token that an admin names. */
export const ssoSamples: Samples = async (here, before) => {
  const { admin, organization, service } = here
  const create = async (label: string): Promise<string> =>
    (await admin.call('post', `/v1/orgs/${organization}/saml`, { label }).expect(201)).body.id
  const samlProviderId = await create('Probe')
  const member = await here.caller('read')
  const now = new Date().toISOString()
  const identity = (id: string) => ({
    id,
    organization,
    provider: samlProviderId,
    issuer: 'x',
    nameId: id,
    user: member.user,
    createdAt: now,
  })
  for (const id of ['probe', 'forgotten']) await service.app.store.insert(ssoIdentities, identity(id))
  const { token } = await issueToken(service.app, member.user, { label: 'Probe' })
  const parameters = { samlProviderId, samlId: samlProviderId, identityId: 'probe' }
  const all = { ...before, ...parameters }
  const special: SpecialSamples = {
    deleteOrganizationSAMLProvider: { parameters: { ...all, samlProviderId: await create('Deleted') }, success: true },
    deleteSAMLProviderIdentity: { parameters: { ...all, identityId: 'forgotten' }, success: true },
    addSSOTokenInOrganization: { parameters: { ...all, tokenId: token.id }, success: true },
    removeSSOTokenInOrganization: { parameters: { ...all, tokenId: token.id } },
    removeSSOMemberInOrganization: { parameters: { ...all, userId: (await here.caller('read')).user }, success: true },
    // For browsers. test/people/sso covers them.
    getSAMLMetadata: null,
    startSAMLSignIn: null,
    receiveSAMLResponse: null,
  }
  return { parameters, special }
}
