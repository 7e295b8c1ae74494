/** The way of a browser through single sign-on: to the identity provider with a request, and back with its response. */
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

/** How long a browser has for the way to the identity provider and back. */
const START_MS = 10 * 60_000
/** How long the code works. */
const CODE_MS = 5 * 60_000
/** Starts of one browser that can be under way: more cookies could make its requests too large. */
const SLOTS = 4
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=None'

/** Where to send a browser, and the cookie to set. */
interface Sent {
  location: string
  cookie: string
}

/** What the cookie holds, sealed. */
interface SignInRequest {
  request: string
  relayState: string
  /** Milliseconds since 1970. */
  ends: number
}

/** The addresses of this service for a provider. */
export function addressesOf(app: App, { id }: Pick<SamlProviderDoc, 'id'>): ServiceProvider & { startUrl: string } {
  const base = `${app.settings.publicUrl}/v1/saml/${id}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs`, startUrl: `${base}/start` }
}

const placeOf = ({ id }: Pick<SamlProviderDoc, 'id'>): string => `saml-request:${id}`
const cookieName = (relayState: string): string => `__Host-bindery-sso-${relayState.charCodeAt(0) % SLOTS}`

/** The provider, if one can sign in by it. Throws 404. */
function requireActive(provider: Document<SamlProviderDoc>): ActiveProvider {
  if (!isActive(provider)) throw notFound('An active SAML provider with this ID')
  return provider
}

/**
 * Begins a sign-in: all that must be known at its end is sealed into a cookie, so nothing is stored. Throws 404, 409, 429.
 * @param address IP address of the caller
 */
export async function startSso(app: App, found: Document<SamlProviderDoc>, address: string): Promise<Sent> {
  await app.limitSso?.(address)
  const provider = requireActive(found)
  const { protocol, hostname } = new URL(app.settings.publicUrl)
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw conflict(
      'Single sign-on needs https: the operator has to set BINDERY_PUBLIC_URL to an address that begins with https://.',
    )
  const begun: SignInRequest = {
    request: `_${newSecret()}`,
    relayState: newSecret(),
    ends: app.clock.now().getTime() + START_MS,
  }
  const sealed = seal(app.settings.signingKey, placeOf(provider), JSON.stringify(begun))
  return {
    location: await requestUrl(addressesOf(app, provider), provider.ssoURL, begun.request, begun.relayState),
    cookie: `${cookieName(begun.relayState)}=${sealed}; Max-Age=${START_MS / 1000}; ${ATTRIBUTES}`,
  }
}

/** Where a response comes from: the caller's address, and the header `Cookie`. */
interface Browser {
  address: string
  cookies: string | undefined
}

/** Takes a response, and makes a code of it for whoever holds the browser. Throws 403 with the check that failed, 404, 409, 429, 503. */
export async function takeResponse(
  app: App,
  found: Document<SamlProviderDoc>,
  form: SAMLForm,
  { address, cookies }: Browser,
): Promise<Sent> {
  await app.limitSso?.(address)
  const provider = requireActive(found)
  try {
    const begun = open(app, provider, form.RelayState, cookies)
    const asserted = await verify(app, provider, form.SAMLResponse, begun)
    const location = linkTo(app, 'sign-in', await makeCode(app, provider, begun, asserted))
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

/** The start of this browser that the response belongs to. Throws 403. */
function open(app: App, provider: ActiveProvider, relayState: string, cookies = ''): SignInRequest {
  const name = `${cookieName(relayState)}=`
  const values = cookies
    .split(';')
    .flatMap((one) => (one.trim().startsWith(name) ? [one.trim().slice(name.length)] : []))
  const texts = values.slice(0, SLOTS).map((value) => unseal(app.settings.signingKey, placeOf(provider), value))
  const begun = texts
    .flatMap((text) => (text === null ? [] : [JSON.parse(text) as SignInRequest]))
    .find((one) => one.relayState === relayState)
  if (!begun || begun.ends <= app.clock.now().getTime())
    throw new ServiceError(
      'forbidden',
      `This browser did not begin this sign-in, or began it more than ten minutes ago: begin again at ${addressesOf(app, provider).startUrl}.`,
    )
  return begun
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

/** Uses up the request and the assertion, and makes the code: all of it or nothing. Throws 403 for a replay, 409 if the provider was changed meanwhile. */
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
      throw conflict('The SAML provider was changed while you were signing in: begin again.')
    await useUp(tx, ['request', provider.id, request], ends)
    await useUp(tx, ['assertion', provider.id, asserted.assertion], asserted.expires)
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

async function useUp(tx: Transaction, what: readonly string[], until: number): Promise<void> {
  const id = createHash('sha256').update(JSON.stringify(what)).digest('hex')
  if (await tx.get(ssoUsed, id))
    throw new ServiceError('forbidden', 'This response, or the request that it answers, was used already: begin again.')
  await tx.insert(ssoUsed, { id, expiresAt: new Date(until).toISOString() })
}
