/**
 * Endpoints of the SAML service provider, for browsers and identity providers: metadata, start, and assertion consumer
 * service.
 */
import { metadataOf } from '../../auth/index.js'
import { addressesOf, startSso, takeResponse } from '../../domain/people/sso/flow.js'
import { SAMLForm } from '../../model/index.js'
import { binary, type RequestInfo } from '../declaration.js'
import { reply, stream } from '../reply.js'
import { endpoint } from '../service.js'

const section = 'Single sign-on'
const METADATA = 'application/samlmetadata+xml'
/** Maximum size of a response with hundreds of groups, in base64 and percent-encoded. */
const FORM_BYTES = 320 * 1024

const sendTo = (status: 302 | 303, { location, cookie }: { location: string; cookie: string }) =>
  reply<never>({ status, location, headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } })

const browserOf = ({ ip, headers }: RequestInfo) => ({ address: ip, cookies: headers.cookie })

export const getSAMLMetadata = endpoint({
  method: 'GET',
  path: '/v1/saml/{samlId}/metadata',
  summary: 'Get the metadata of this service for a SAML provider',
  description: 'SAML 2.0 metadata of the service provider. The address is also its entity ID.',
  section,
  needs: 'public',
  returns: binary(METADATA),
  handle: async ({ app, samlProvider }) => {
    const xml = Buffer.from(await metadataOf(addressesOf(app, samlProvider)))
    return stream({ contentType: METADATA, size: xml.length, open: () => xml, cacheControl: 'no-cache' })
  },
})

export const startSAMLSignIn = endpoint({
  method: 'GET',
  path: '/v1/saml/{samlId}/start',
  summary: 'Start a sign-in with a SAML provider',
  description:
    'For browsers: redirects to the identity provider, and sets a cookie so that only this browser can finish the sign-in, within ten minutes. Returns 404 ' +
    'for a provider with the status `pending`.',
  section,
  needs: 'public',
  status: 302,
  fails: [409],
  handle: async ({ app, samlProvider, request }) => sendTo(302, await startSso(app, samlProvider, request.ip)),
})

export const receiveSAMLResponse = endpoint({
  method: 'POST',
  path: '/v1/saml/{samlId}/acs',
  summary: 'Receive the response of a SAML provider',
  description:
    'The assertion consumer service (HTTP-POST binding). The browser that started at `startURL` posts the form. Redirects to the page `/sign-in` with a ' +
    'code after the #, which `POST /v1/sign-in/token` exchanges for a token, once, within five minutes. Returns 403 with the failed check if the response ' +
    'is not accepted.',
  section,
  needs: 'public',
  body: SAMLForm,
  urlencoded: true,
  bodyLimitBytes: FORM_BYTES,
  status: 303,
  fails: [403, 409],
  handle: async ({ app, samlProvider, body, request }) =>
    sendTo(303, await takeResponse(app, samlProvider, body, browserOf(request))),
})
