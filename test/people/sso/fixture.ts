/**
 * A service with a clock that tests set, an organization with a SAML provider, and browsers that complete a sign-in.
 */
import request, { type Test } from 'supertest'
import { type Claims, encode, type Received, receive, respondTo, type Signing } from '../../support/saml/idp.js'
import { type KeyPair, newKeyPair } from '../../support/saml/self-signed.js'
import { type Caller, startService, type TestService } from '../../support/service.js'

export const IDP = 'https://idp.example.org/metadata'

/** A provider as the API returns it. */
export interface Provider {
  id: string
  label: string
  status: string
  defaultRole: string | null
  service: { acsURL: string; startURL: string; entityID: string }
}

/** A sign-in that a browser has started. */
export interface Begun {
  request: Received
  cookie: string
  acs: string
}

/** A service whose users sign in through an identity provider. */
export interface Sso extends TestService {
  key: KeyPair
  organizationUrl: string
  /** Milliseconds since 1970, for the service and the identity provider. */
  now(): number
  forward(ms: number): void
  createProvider(more?: object, organization?: string): Promise<Provider>
  begin(provider: Provider): Promise<Begun>
  respond(begun: Begun, claims?: Partial<Claims>, signing?: Partial<Signing>): string
  /** Posts a response from the browser that started the sign-in. */
  post(begun: Begun, xml: string, more?: { relayState?: string; cookie?: string }): Test
  /** The code at the end of a valid response. */
  code(provider: Provider, claims?: Partial<Claims>, signing?: Partial<Signing>): Promise<string>
  exchange(code: string): Test
  /** Completes a sign-in. */
  signIn(
    provider: Provider,
    claims?: Partial<Claims>,
    signing?: Partial<Signing>,
  ): Promise<Caller & { expiresAt: string; tokenId: string }>
}

const pathOf = (url: string): string => new URL(url).pathname

/** The code in the URL that a sign-in redirects to. */
export const codeOf = (location: string): string => location.slice(location.indexOf('#') + 1)

export async function startSso(env: Record<string, string> = {}): Promise<Sso> {
  let offset = 0
  const now = (): number => Date.now() + offset
  const here = await startService({
    env: { BINDERY_RATE_LIMIT_SSO: '0', ...env },
    overrides: { clock: { now: () => new Date(now()) } },
  })
  const key = newKeyPair('idp.example.org')
  const begin = async ({ service }: Provider): Promise<Begun> => {
    const response = await request(here.url).get(pathOf(service.startURL)).expect(302)
    const cookie = (response.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] as string
    return { request: receive(response.headers.location as string), cookie, acs: pathOf(service.acsURL) }
  }
  const respond: Sso['respond'] = (begun, claims = {}, signing = {}) =>
    respondTo(begun.request, { key, ...signing }, { now: now(), ...claims })
  const post: Sso['post'] = ({ request: { relayState }, cookie, acs }, xml, more = {}) =>
    request(here.url)
      .post(acs)
      .set('Cookie', more.cookie ?? cookie)
      .type('form')
      .send({ SAMLResponse: encode(xml), RelayState: more.relayState ?? relayState })
  const code: Sso['code'] = async (provider, claims, signing) => {
    const begun = await begin(provider)
    return codeOf((await post(begun, respond(begun, claims, signing)).expect(303)).headers.location as string)
  }
  const exchange = (one: string): Test => request(here.url).post('/v1/sign-in/token').send({ token: one })
  const sso = {
    key,
    organizationUrl: `/v1/orgs/${here.organization}`,
    now,
    forward: (ms: number) => void (offset += ms),
    createProvider: async (more = {}, organization = here.organization) => {
      const body = {
        label: 'Example',
        entityID: IDP,
        ssoURL: 'https://idp.example.org/sso',
        certificate: key.certificate,
        defaultRole: 'edit',
        ...more,
      }
      return (await here.admin.call('post', `/v1/orgs/${organization}/saml`, body).expect(201)).body as Provider
    },
    begin,
    respond,
    post,
    code,
    exchange,
    signIn: async (provider: Provider, claims?: Partial<Claims>, signing?: Partial<Signing>) => {
      const { body } = await exchange(await code(provider, claims, signing)).expect(201)
      const call: Caller['call'] = (method, path, sent) => {
        const test = request(here.url)[method](path).set('Authorization', `Bearer ${body.token}`)
        return sent === undefined ? test : test.send(sent as object)
      }
      const { body: user } = await call('get', '/v1/user').expect(200)
      return {
        user: user.id as string,
        token: body.token as string,
        call,
        expiresAt: body.expiresAt as string,
        tokenId: body.id as string,
      }
    },
  }
  // the getters of the service must stay getters: a restart gives it another address
  return Object.defineProperties(sso, Object.getOwnPropertyDescriptors(here)) as unknown as Sso
}
