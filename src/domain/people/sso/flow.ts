/** Leads a browser through single sign-on: to the identity provider with a request, and back with the response. */
import { createHash } from 'node:crypto'
import {
  type SamlClaims,
  hashToken,
  newToken,
  requestUrl,
  seal,
  type ServiceProvider,
  unseal,
} from '../../../auth/index.js'
import { conflict, notFound, ServiceError } from '../../../kernel/errors.js'
import { newId, newSecret } from '../../../kernel/ids.js'
import { type SAMLForm, type SamlProviderDoc, samlProviders, ssoSignIns, ssoUsed } from '../../../model/index.js'
import type { Document, Transaction } from '../../../store/index.js'
import type { App } from '../../context/app.js'
import { linkTo } from '../write-mail.js'
import { type ActiveProvider, certificatesOf, isActive, isLoopback } from './providers.js'

/** Time limit in milliseconds for the way to the identity provider and back. */
const START_MS = 10 * 60_000
/** Lifetime of the code in milliseconds. */
const CODE_MS = 5 * 60_000
/** Maximum number of concurrent sign-ins per browser. More cookies could make its requests too large. */
const SLOTS = 4
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=None'

/** The redirect target for the browser and the cookie to set. */
interface Redirect {
  location: string
  cookie: string
}

/** Content of the sealed cookie. */
interface SignInRequest {
  request: string
  relayState: string
  /** Milliseconds since 1970. */
  ends: number
}

/** Returns the service's addresses for a provider. */
export function addressesOf(app: App, { id }: Pick<SamlProviderDoc, 'id'>): ServiceProvider & { startUrl: string } {
  const base = `${app.settings.publicUrl}/v1/saml/${id}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, startUrl: `${base}/start` }
}

const sealContext = ({ id }: Pick<SamlProviderDoc, 'id'>): string => `saml-request:${id}`
const cookieName = (relayState: string): string => `__Host-bindery-sso-${relayState.charCodeAt(0) % SLOTS}`

/** Returns the provider if it is active. Throws 404. */
function requireActive(provider: Document<SamlProviderDoc>): ActiveProvider {
  if (!isActive(provider)) throw notFound('An active SAML provider with this ID')
  return provider
}

/**
 * Starts a sign-in. All data for its end is sealed into a cookie, so nothing is stored. Throws 404, 409, 429.
 * @param address IP address of the caller
 */
export async function startSso(app: App, found: Document<SamlProviderDoc>, address: string): Promise<Redirect> {
  await app.limitSso?.(address)
  const provider = requireActive(found)
  const { protocol, hostname } = new URL(app.settings.publicUrl)
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw conflict(
      'Single sign-on needs HTTPS. The operator has to set BINDERY_PUBLIC_URL to an address that starts with https://.',
    )
  const signIn: SignInRequest = {
    request: `_${newSecret()}`,
    relayState: newSecret(),
    ends: app.clock.now().getTime() + START_MS,
  }
  const sealed = seal(app.settings.signingKey, sealContext(provider), JSON.stringify(signIn))
  return {
    location: await requestUrl(addressesOf(app, provider), provider.ssoURL, signIn.request, signIn.relayState),
    cookie: `${cookieName(signIn.relayState)}=${sealed}; Max-Age=${START_MS / 1000}; ${ATTRIBUTES}`,
  }
}

/** The sender of a response: its IP address and its `Cookie` header. */
interface Browser {
  address: string
  cookies: string | undefined
}

/**
 * Verifies a response and issues a code for the browser that sent it. Throws 403 with the check that failed, 404, 409,
 * 429, 503.
 */
export async function takeResponse(
  app: App,
  found: Document<SamlProviderDoc>,
  form: SAMLForm,
  { address, cookies }: Browser,
): Promise<Redirect> {
  await app.limitSso?.(address)
  const provider = requireActive(found)
  try {
    const signIn = open(app, provider, form.RelayState, cookies)
    const asserted = await verify(app, provider, form.SAMLResponse, signIn)
    const location = linkTo(app, 'sign-in', await makeCode(app, provider, signIn, asserted))
    return { location, cookie: `${cookieName(form.RelayState)}=; Max-Age=0; ${ATTRIBUTES}` }
  } catch (error) {
    if (error instanceof ServiceError)
      app.log.warn(
        { provider: provider.id, organization: provider.organization, reason: error.message },
        'single sign-on was refused',
      )
    throw error
  }
}

/** Finds the sign-in that this browser started for the response. Throws 403. */
function open(app: App, provider: ActiveProvider, relayState: string, cookies = ''): SignInRequest {
  const name = `${cookieName(relayState)}=`
  const values = cookies
    .split(';')
    .flatMap((one) => (one.trim().startsWith(name) ? [one.trim().slice(name.length)] : []))
  const texts = values.slice(0, SLOTS).map((value) => unseal(app.settings.signingKey, sealContext(provider), value))
  const signIn = texts
    .flatMap((text): SignInRequest[] => (text === null ? [] : [JSON.parse(text)]))
    .find((one) => one.relayState === relayState)
  if (!signIn || signIn.ends <= app.clock.now().getTime())
    throw new ServiceError(
      'forbidden',
      `This browser did not start this sign-in, or started it more than ten minutes ago. Start again at ${addressesOf(app, provider).startUrl}.`,
    )
  return signIn
}

function verify(app: App, provider: ActiveProvider, response: string, { request }: SignInRequest): Promise<SamlClaims> {
  const { entityId, acsUrl } = addressesOf(app, provider)
  return app.assertions.verify(provider.id, response, {
    certificates: certificatesOf(provider).map(({ pem }) => pem),
    issuer: provider.entityID,
    audience: entityId,
    acsUrl,
    request,
    now: app.clock.now().getTime(),
  })
}

/**
 * Marks the request and the assertion as used and issues the code, in one transaction. Throws 403 for a replay, and 409
 * if the provider was changed in the meantime.
 */
async function makeCode(
  app: App,
  provider: ActiveProvider,
  { request, ends }: SignInRequest,
  asserted: SamlClaims,
): Promise<string> {
  const code = newToken()
  const now = app.clock.now().getTime()
  const { nameId, email, displayName, sessionEnds } = asserted
  await app.store.transact(async (tx) => {
    const stored = await tx.get(samlProviders, provider.id)
    if (stored?.entityID !== provider.entityID || stored.certificate !== provider.certificate)
      throw conflict('The SAML provider was changed while you were signing in. Start again.')
    await markUsed(tx, ['request', provider.id, request], ends)
    await markUsed(tx, ['assertion', provider.id, asserted.assertion], asserted.expires)
    await tx.insert(ssoSignIns, {
      id: newId(),
      hash: hashToken(code),
      organization: provider.organization,
      provider: provider.id,
      issuer: provider.entityID,
      nameId,
      email,
      displayName,
      ...(sessionEnds === null ? {} : { sessionEnds: new Date(sessionEnds).toISOString() }),
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + CODE_MS).toISOString(),
    })
  })
  return code
}

async function markUsed(tx: Transaction, what: readonly string[], until: number): Promise<void> {
  const id = createHash('sha256').update(JSON.stringify(what)).digest('hex')
  if (await tx.get(ssoUsed, id))
    throw new ServiceError('forbidden', 'This response or its request was already used. Start again.')
  await tx.insert(ssoUsed, { id, expiresAt: new Date(until).toISOString() })
}
