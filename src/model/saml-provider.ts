/** SAML providers: the identity providers that members of an organization sign in with. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, nullable, oneOf, type Role, RoleSchema, Timestamp } from './common.js'
import { Team } from './team.js'

/** A provider, as stored. It is active when `certificate`, `entityID` and `ssoURL` are set. */
export interface SamlProviderDoc {
  id: string
  organization: string
  label: string
  ssoURL?: string
  entityID?: string
  /** Certificates in PEM, one after another. */
  certificate?: string
  /** ID of the team that new members join. A deleted team counts as none. */
  defaultTeam?: string
  /** Role of new members; null makes them guests. */
  defaultRole: Role | null
  createdAt: string
}

export const samlProviders = table<SamlProviderDoc>()({
  name: 'saml-providers',
  indexes: { organization: (provider) => provider.organization },
  owner: 'organization',
})

const Label = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  'x-pattern-message': 'must not contain control characters',
})
const CERTIFICATE_CHARACTERS = 32 * 1024

export const SAMLProvider = Type.Object(
  {
    object: Type.Literal('saml-provider'),
    id: Id,
    label: Type.String(),
    ssoURL: Type.Optional(Type.String({ format: 'uri' })),
    entityID: Type.Optional(Type.String()),
    certificate: Type.Optional(Type.String({ description: 'X.509 in PEM.' })),
    certificates: Type.Array(
      Type.Object({
        subject: Type.String(),
        fingerprint: Type.String({ description: 'SHA-256.' }),
        notBefore: Timestamp,
        notAfter: Timestamp,
        expired: Type.Boolean({
          description:
            'An expired certificate still verifies signatures. Use this to find certificates that you should replace.',
        }),
      }),
      { description: 'The certificates in `certificate`.' },
    ),
    defaultTeam: Type.Optional(Team),
    defaultRole: nullable(RoleSchema),
    createdAt: Timestamp,
    status: oneOf(['active', 'pending'], {
      description:
        '`pending` until `certificate`, `entityID` and `ssoURL` are set. Until then, no one can sign in with this provider.',
    }),
    service: Type.Object(
      {
        acsURL: Type.String({
          description: 'Assertion consumer service: the address that the identity provider posts its responses to.',
        }),
        startURL: Type.String({ description: 'The address that a member opens in a browser to sign in.' }),
        entityID: Type.String({ description: 'Entity ID of this service; also the address of its metadata.' }),
      },
      { description: 'The addresses that the identity provider needs.' },
    ),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'SAMLProvider' },
)

export const SAMLProviderList = listOf(SAMLProvider, { $id: 'SAMLProviderList' })

const settable = {
  entityID: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      pattern: '^\\S+$',
      'x-pattern-message': 'must not contain spaces',
      description: 'Entity ID of the identity provider.',
    }),
  ),
  certificate: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: CERTIFICATE_CHARACTERS,
      description:
        'Certificates that the identity provider signs with: X.509 with RSA keys, in PEM. While keys are replaced, send several, one after another.',
    }),
  ),
  ssoURL: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'The address for requests to the identity provider (HTTP-Redirect binding). Only https.',
    }),
  ),
  defaultTeam: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 64, description: 'ID of the team that new members join.' })),
  ),
  defaultRole: Type.Optional(nullable(RoleSchema)),
}

export const CreateSAMLProvider = Type.Object({ label: Label, ...settable }, { ...closed, $id: 'CreateSAMLProvider' })
export type CreateSAMLProvider = Static<typeof CreateSAMLProvider>

export const UpdateSAMLProvider = Type.Object(
  { label: Type.Optional(Label), ...settable },
  { ...closed, $id: 'UpdateSAMLProvider' },
)
export type UpdateSAMLProvider = Static<typeof UpdateSAMLProvider>

export const SSOLogins = Type.Object(
  { items: Type.Array(Type.Object({ id: Id, label: Type.String(), startURL: Type.String() })) },
  { $id: 'SSOLogins' },
)

/** The form that identity providers post. */
export const SAMLForm = Type.Object(
  {
    SAMLResponse: Type.String({ maxLength: 327_680, description: 'The response, in base64.' }),
    RelayState: Type.String({ maxLength: 128 }),
  },
  { ...closed, $id: 'SAMLForm' },
)
export type SAMLForm = Static<typeof SAMLForm>
