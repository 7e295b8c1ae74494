/** Sign-ins without an API token: responses of identity providers, and tokens of visitors. */
import type { Station, TimedResponse } from './station.js'

/** Larger texts do not fit into a URL, so Node rejects them. */
const QUERY_BYTES = 8_000

/**
 * A self-signed certificate without a known key: key generation would block this process until the server closes its
 * connections.
 */
const CERTIFICATE =
  'MIICuTCCAaGgAwIBAgIJAW61X+mwZzIiMA0GCSqGSIb3DQEBCwUAMBoxGDAWBgNVBAMMD2lkcC5leGFtcGxlLm9yZzAiGA8yMDIwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjAaMRgwFgYDVQQDDA9pZHAuZXhhbXBsZS5vcmcwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDCTwiWl4cOHmp/82PJa7/LrPXnKYPeJYa5IpCiN+C1zc/Vha5U8rPNIOOgeaqSx7r5RG08Pb1uw46KQQxlwJ9uLqTOO/+jc3Qdv7QR4DH8nBR8GyQLc6pHACbpH6L5eXD9M24LSRFVeIrMIbFySmRXitqqlKWUvStw7X1EUsQpPiDGtiDs4hRp/RAp8V60IiVlFhVT64JipN7OulSGbrcnRNF84XOSMfAIaYiix75hGWzIQ22QpSTbZLNwYJ54lG+tTVVHAugZr4E1AT9IVnOjDixGNNchr9HduicnAAXOyxexc4VnezIfhCL34QlQW4sVfV2sYQ0UdtvbRVMJqRz9AgMBAAEwDQYJKoZIhvcNAQELBQADggEBAJDzurbaZpej7f8e1gwreBAKvVuP7rt30JggVrfwHOdpgcOoP8eAX9siwyw0mHutooMAYyCkbYYZRQDV7FZYKDzy4xUlsrw3mhfd8LuOZ13yLjMfnhZFXtCau3EeNAtTQYBOt7fNkb154JCrF5MQDqhDXyUpAiaUebRTD6KdJLgkG+GqkAimzSrz2eFGih5zLgn5cELQY7BnqqZGqEUZSEbX5m9N9POl9V+wmSmLMQE6xrHl3VvqgFgxabPAjarjQs13Pod6PFdEkTMTrVO40WpTpVNyFVl8udSN2bF+Xy9VJJ55pr734kRwBOZcqXgL2PAUhM71c3Re6aGnRk9JW1g='

const providers = new WeakMap<Station, Promise<string>>()

/** A provider of the station with the maximum number of certificates: each requires a signature check. */
function providerOf(station: Station): Promise<string> {
  const made = providers.get(station) ?? createProvider(station)
  providers.set(station, made)
  return made
}

async function createProvider(station: Station): Promise<string> {
  const certificate = `-----BEGIN CERTIFICATE-----\n${CERTIFICATE}\n-----END CERTIFICATE-----\n`.repeat(10)
  const body = JSON.stringify({
    label: 'Hostile',
    entityID: 'https://idp.example.org',
    ssoURL: 'https://idp.example.org/sso',
    certificate,
  })
  const made = await station.ask('provider', 'POST', `/v1/orgs/${station.server.organization}/saml`, { body })
  if (made.status !== 201) throw new Error(`no provider: ${made.status} ${made.body}`)
  return (JSON.parse(made.body) as { id: string }).id
}

/** XML that is posted as the response to a sign-in that a browser has started. */
export async function samlResponse(station: Station, xml: string): Promise<TimedResponse[]> {
  const provider = await providerOf(station)
  const start = await fetch(`${station.server.url}/v1/saml/${provider}/start`, { redirect: 'manual' })
  const relayState = new URL(start.headers.get('location') as string).searchParams.get('RelayState') as string
  const cookie = start.headers.get('set-cookie')?.split(';')[0] as string
  const form = new URLSearchParams({
    SAMLResponse: Buffer.from(xml).toString('base64'),
    RelayState: relayState,
  }).toString()
  return [
    await station.ask('response', 'POST', `/v1/saml/${provider}/acs`, {
      body: form,
      type: 'application/x-www-form-urlencoded',
      token: false,
      cookie,
    }),
    await station.ask('response without a cookie', 'POST', `/v1/saml/${provider}/acs`, {
      body: form,
      type: 'application/x-www-form-urlencoded',
      token: false,
    }),
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

/** A text as the token of a visitor, and as the claims that their browser sends. */
export async function visitorToken(station: Station, text: string): Promise<TimedResponse[]> {
  const made = sites.get(station) ?? createSite(station)
  sites.set(station, made)
  const url = await made
  const value = encodeURIComponent(text.slice(0, QUERY_BYTES))
  return [
    await station.ask('visitor token', 'GET', `${url}/published?visitorToken=${value}`),
    await station.ask(
      'visitor token too long',
      'GET',
      `${url}/published?visitorToken=${encodeURIComponent(text.slice(0, 2 * QUERY_BYTES))}`,
    ),
    await station.ask('unsigned claims', 'GET', `${url}/published?unsignedClaims=${value}`),
  ]
}
