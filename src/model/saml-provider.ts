/** SAML providers: the identity providers by which members of an organization sign in. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, nullable, oneOf, type Role, RoleSchema, Timestamp } from './common.js'
import { Team } from './team.js'

/** A provider, as stored. It is active once `certificate`, `entityID` and `ssoURL` are there. */
export interface SamlProviderDoc {
  id: string
  organization: string
  label: string
  ssoURL?: string
  entityID?: string
  /** Certificates in PEM, one after the other. */
  certificate?: string
  /** ID of the team that new members join; a team that was deleted counts as none. */
  defaultTeam?: string
  /** Role of new members; null makes them guests. */
  defaultRole: Role | null
  createdAt: string
}

export const samlProviders = table<SamlProviderDoc>()({
  name: 'saml-providers',
  indexes: { organization: (provider) => provider.organization },
  owner: (provider) => provider.organization,
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
          description: 'An expired certificate still verifies signatures; this is shown so that you can replace it.',
        }),
      }),
      { description: 'What is in `certificate`.' },
    ),
    defaultTeam: Type.Optional(Team),
    defaultRole: nullable(RoleSchema),
    createdAt: Timestamp,
    status: oneOf(['active', 'pending'], {
      description: '`pending` until `certificate`, `entityID` and `ssoURL` are there; then nobody can sign in by it.',
    }),
    service: Type.Object(
      {
        acsURL: Type.String({
          description: 'Assertion consumer service: where the identity provider posts its responses.',
        }),
        startURL: Type.String({ description: 'Where a member begins to sign in, in a browser.' }),
        entityID: Type.String({ description: 'Entity ID of this service; also the address of its metadata.' }),
      },
      { description: 'What the identity provider has to know.' },
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
        'Certificates that the identity provider signs with: X.509 with RSA keys, in PEM. Several, one after the other, while keys are replaced.',
    }),
  ),
  ssoURL: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'Where the identity provider takes requests (HTTP-Redirect binding). https only.',
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
