/** Ways in for those who have no token: responses of identity providers, and tokens of visitors. */
import { newKeyPair } from '../support/saml/self-signed.js'
import type { Station, TimedResponse } from './station.js'

/** Larger ones do not fit into a URL, which Node refuses by itself. */
const QUERY_BYTES = 8_000

const providers = new WeakMap<Station, Promise<string>>()

/** A provider of the station with as many certificates as there may be: each is a signature to be checked. */
function providerOf(station: Station): Promise<string> {
  const made = providers.get(station) ?? createProvider(station)
  providers.set(station, made)
  return made
}

async function createProvider(station: Station): Promise<string> {
  // one key ten times: to make ten keeps this process busy until the server closes its connections
  const certificate = newKeyPair('idp.example.org').certificate.repeat(10)
  const body = JSON.stringify({ label: 'Hostile', entityID: 'https://idp.example.org', ssoURL: 'https://idp.example.org/sso', certificate })
  const made = await station.ask('provider', 'POST', `/v1/orgs/${station.server.organization}/saml`, { body })
  if (made.status !== 201) throw new Error(`no provider: ${made.status} ${made.body}`)
  return (JSON.parse(made.body) as { id: string }).id
}

/** XML posted as the response to a sign-in that a browser has begun. */
export async function samlResponse(station: Station, xml: string): Promise<TimedResponse[]> {
  const provider = await providerOf(station)
  const start = await fetch(`${station.server.url}/v1/saml/${provider}/start`, { redirect: 'manual' })
  const relayState = new URL(start.headers.get('location') as string).searchParams.get('RelayState') as string
  const cookie = start.headers.get('set-cookie')?.split(';')[0] as string
  const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState }).toString()
  return [
    await station.ask('response', 'POST', `/v1/saml/${provider}/acs`, { body: form, type: 'application/x-www-form-urlencoded', token: false, cookie }),
    await station.ask('response without a cookie', 'POST', `/v1/saml/${provider}/acs`, { body: form, type: 'application/x-www-form-urlencoded', token: false }),
  ]
}

const sites = new WeakMap<Station, Promise<string>>()

async function createSite(station: Station): Promise<string> {
  const base = `/v1/orgs/${station.server.organization}/sites`
  const made = await station.ask('site', 'POST', base, { body: '{"title":"Hostile","visibility":"visitor-auth"}' })
  if (made.status !== 201) throw new Error(`no site: ${made.status} ${made.body}`)
  const url = `${base}/${(JSON.parse(made.body) as { id: string }).id}`
  await station.ask('publish', 'POST', `${url}/publish`)
  return url
}

/** A text as the token of a visitor, and as what their browser says of itself. */
export async function visitorToken(station: Station, text: string): Promise<TimedResponse[]> {
  const made = sites.get(station) ?? createSite(station)
  sites.set(station, made)
  const url = await made
  const value = encodeURIComponent(text.slice(0, QUERY_BYTES))
  return [
    await station.ask('visitor token', 'GET', `${url}/published?visitorToken=${value}`),
    await station.ask('visitor token too long', 'GET', `${url}/published?visitorToken=${encodeURIComponent(text.slice(0, 2 * QUERY_BYTES))}`),
    await station.ask('unsigned claims', 'GET', `${url}/published?unsignedClaims=${value}`),
  ]
}
