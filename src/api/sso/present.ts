// Turns SAML providers into the JSON that clients get.
import { isPast } from '../../kernel/clock.js'
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedOrganization } from '../../domain/context/loaded.js'
import { addressesOf } from '../../domain/people/sso/flow.js'
import type { NamedToken } from '../../domain/people/sso/named-tokens.js'
import { type ActiveProvider, certificatesOf, isActive } from '../../domain/people/sso/providers.js'
import { countTeams, findTeam } from '../../domain/people/teams.js'
import type { SamlProviderDoc, SsoIdentityDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { presentTeam } from '../teams/present.js'
import { defined } from '../../kernel/defined.js'

export const providerPath = ({ organization, id }: SamlProviderDoc): string => `/v1/orgs/${organization}/saml/${id}`

/** Returns a SAML provider, with the addresses of this service that the identity provider needs. */
export async function presentProvider(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  doc: Document<SamlProviderDoc>,
) {
  const { id, label, ssoURL, entityID, certificate, defaultTeam, defaultRole, createdAt } = doc
  const team = defaultTeam === undefined ? null : await findTeam(app, actor, organization, defaultTeam)
  const [counted] = team ? await countTeams(app, organization.doc.id, [team]) : []
  const { entityId, acsUrl, startUrl } = addressesOf(app, doc)
  return {
    object: 'saml-provider' as const,
    id,
    label,
    ...defined({ ssoURL, entityID, certificate }),
    certificates: certificatesOf(doc).map(({ subject, fingerprint, notBefore, notAfter }) => ({
      subject,
      fingerprint,
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      expired: isPast(app.clock, notAfter.toISOString()),
    })),
    ...(counted ? { defaultTeam: presentTeam(app, counted) } : {}),
    defaultRole,
    createdAt,
    status: isActive(doc) ? ('active' as const) : ('pending' as const),
    service: { acsURL: acsUrl, startURL: startUrl, entityID: entityId },
    urls: { location: app.settings.publicUrl + providerPath(doc) },
  }
}

/** Returns a provider as members see it. */
export const presentLogin = (app: App, { id, label, ...rest }: ActiveProvider) => ({
  id,
  label,
  startURL: addressesOf(app, { ...rest, id }).startUrl,
})

export const presentIdentity = ({ id, provider, nameId, user, removed, createdAt, lastSignInAt }: SsoIdentityDoc) => ({
  object: 'sso-identity' as const,
  id,
  provider,
  nameID: nameId,
  user,
  removed: removed === true,
  createdAt,
  ...defined({ lastSignInAt }),
})

export const presentNamedToken = ({ doc, token }: NamedToken) => ({
  object: 'sso-token' as const,
  token: token.id,
  label: token.label,
  user: doc.user,
  createdBy: doc.createdBy,
  createdAt: doc.createdAt,
})
