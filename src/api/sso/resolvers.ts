/** Loads SAML providers, identities and tokens that are exempt from single sign-on. */
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization } from '../../domain/context/loaded.js'
import { findIdentityOf } from '../../domain/people/sso/identities.js'
import { findMemberToken } from '../../domain/people/sso/named-tokens.js'
import { findProvider } from '../../domain/people/sso/providers.js'
import { findOwnOrganization } from '../../domain/roles/access.js'
import { type SamlProviderDoc, samlProviders } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()
const inOrganization = resolver<{ organization: LoadedOrganization }>()

export const ssoResolvers = {
  samlProviderId: inOrganization({
    as: 'samlProvider',
    needs: ['organization'],
    description: 'ID of a SAML provider.',
    load: ({ app, parents, id }) => findProvider(app, parents.organization, id),
  }),
  samlId: resolver()({
    as: 'samlProvider',
    description: 'ID of a SAML provider.',
    load: ({ app, id }) => app.store.get(samlProviders, id),
  }),
  signInOrganizationId: resolver()({
    as: 'organization',
    description: 'ID of an organization.',
    load: ({ app, actor, id }) => actor && findOwnOrganization(app, actor, id),
  }),
  identityId: resolver<{ samlProvider: Document<SamlProviderDoc> }>()({
    as: 'ssoIdentity',
    needs: ['samlProvider'],
    description: 'ID of an identity at the provider.',
    load: ({ app, parents, id }) => findIdentityOf(app, parents.samlProvider, id),
  }),
  tokenToNameId: inOrganization({
    as: 'tokenToName',
    needs: ['organization'],
    description: 'ID of a token of a member of the organization.',
    load: ({ app, parents, id }) => findMemberToken(app, parents.organization, id),
  }),
}
