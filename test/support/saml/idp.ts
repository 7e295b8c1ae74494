/** An identity provider with real signatures. Its responses are valid by default, and a test can change each value. */
import { randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'
import type { KeyPair } from './self-signed.js'

/** A request as the identity provider receives it. */
export interface Received {
  id: string
  acsUrl: string
  audience: string
  relayState: string
}

/** Parses the request in the URL to which the service redirects browsers. */
export function receive(location: string): Received {
  const { searchParams } = new URL(location)
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') as string, 'base64')).toString()
  const one = (pattern: RegExp): string => (pattern.exec(xml) as RegExpExecArray)[1] as string
  return {
    id: one(/ ID="([^"]+)"/),
    acsUrl: one(/ AssertionConsumerServiceURL="([^"]+)"/),
    audience: one(/<saml:Issuer[^>]*>([^<]+)</),
    relayState: searchParams.get('RelayState') as string,
  }
}

/** The asserted values. Times are in milliseconds from `now`. */
export interface Claims {
  issuer: string
  nameId: string
  nameIdFormat: string
  /** Text of the NameID element, written unchanged. */
  nameIdXml: string
  attributes: Record<string, string | string[]>
  audience: string
  recipient: string
  destination: string | null
  inResponseTo: string
  outerInResponseTo: string | null
  now: number
  issued: number
  notBefore: number
  notOnOrAfter: number
  confirmedUntil: number
  authnInstant: number
  sessionEnds: number | null
  assertionId: string
  responseId: string
  status: string
  extraAttributes: string
}

/** The signatures of the response. */
export interface Signing {
  key: KeyPair
  sign: 'assertion' | 'response' | 'both' | 'none'
  method: string
  digest: string
  canonical: string
}

const SAML = 'urn:oasis:names:tc:SAML:2.0'
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const RIGHT: Omit<Signing, 'key'> = {
  sign: 'assertion',
  method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
  canonical: EXCLUSIVE,
}
const MINUTES = 60_000
const newXmlId = (): string => `_${randomBytes(16).toString('hex')}`
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function claimsOf(request: Received, given: Partial<Claims>): Claims {
  return {
    issuer: 'https://idp.example.org/metadata',
    nameId: 'ada',
    nameIdFormat: `${SAML}:nameid-format:persistent`,
    nameIdXml: escaped(given.nameId ?? 'ada'),
    attributes: { email: 'ada@example.com', displayName: 'Ada Lovelace' },
    audience: request.audience,
    recipient: request.acsUrl,
    destination: request.acsUrl,
    inResponseTo: request.id,
    outerInResponseTo: request.id,
    now: Date.now(),
    issued: 0,
    notBefore: -MINUTES,
    notOnOrAfter: 5 * MINUTES,
    confirmedUntil: 5 * MINUTES,
    authnInstant: 0,
    sessionEnds: null,
    assertionId: newXmlId(),
    responseId: newXmlId(),
    status: `${SAML}:status:Success`,
    extraAttributes: '',
    ...given,
  }
}

function assertionXml(claims: Claims): string {
  const at = (offset: number): string => new Date(claims.now + offset).toISOString()
  const values = (value: string | string[]): string =>
    [value]
      .flat()
      .map((one) => `<saml:AttributeValue>${escaped(one)}</saml:AttributeValue>`)
      .join('')
  const attributes = Object.entries(claims.attributes)
    .map(([name, value]) => `<saml:Attribute Name="${escaped(name)}">${values(value)}</saml:Attribute>`)
    .join('')
  const session = claims.sessionEnds === null ? '' : ` SessionNotOnOrAfter="${at(claims.sessionEnds)}"`
  return (
    `<saml:Assertion xmlns:saml="${SAML}:assertion" ID="${claims.assertionId}" Version="2.0" IssueInstant="${at(claims.issued)}"><saml:Issuer>${escaped(claims.issuer)}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${claims.nameIdFormat}">${claims.nameIdXml}</saml:NameID><saml:SubjectConfirmation Method="${SAML}:cm:bearer">` +
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(claims.confirmedUntil)}" Recipient="${escaped(claims.recipient)}" InResponseTo="${claims.inResponseTo}"/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${at(claims.notBefore)}" NotOnOrAfter="${at(claims.notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${escaped(claims.audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${at(claims.authnInstant)}"${session}><saml:AuthnContext><saml:AuthnContextClassRef>${SAML}:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement>${attributes}${claims.extraAttributes}</saml:AttributeStatement></saml:Assertion>`
  )
}

/** Signs the element with an ID, with the signature right after its Issuer. */
export function signElement(xml: string, id: string, given: Partial<Signing> & { key: KeyPair }): string {
  const { key, method, digest, canonical } = { ...RIGHT, ...given }
  const signer = new SignedXml({
    privateKey: key.privateKey,
    publicCert: key.certificate,
    signatureAlgorithm: method,
    canonicalizationAlgorithm: canonical,
  })
  if (method.includes('hmac')) {
    signer.enableHMAC()
    signer.privateKey = key.certificate
  }
  signer.addReference({
    xpath: `//*[@ID='${id}']`,
    digestAlgorithm: digest,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', canonical],
  })
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `//*[@ID='${id}']/*[local-name(.)='Issuer']`, action: 'after' },
  })
  return signer.getSignedXml()
}

/** A response to a request, as XML. */
export function respondTo(
  request: Received,
  signing: Partial<Signing> & { key: KeyPair },
  given: Partial<Claims> = {},
): string {
  const claims = claimsOf(request, given)
  const { sign } = { ...RIGHT, ...signing }
  const assertion = assertionXml(claims)
  const destination = claims.destination === null ? '' : ` Destination="${escaped(claims.destination)}"`
  const answers = claims.outerInResponseTo === null ? '' : ` InResponseTo="${claims.outerInResponseTo}"`
  const issued = new Date(claims.now + claims.issued).toISOString()
  let xml =
    `<samlp:Response xmlns:samlp="${SAML}:protocol" ID="${claims.responseId}" Version="2.0" IssueInstant="${issued}"${destination}${answers}>` +
    `<saml:Issuer xmlns:saml="${SAML}:assertion">${escaped(claims.issuer)}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${claims.status}"/></samlp:Status>${assertion}</samlp:Response>`
  if (sign === 'assertion' || sign === 'both') xml = signElement(xml, claims.assertionId, signing)
  if (sign === 'response' || sign === 'both') xml = signElement(xml, claims.responseId, signing)
  return xml
}

/** The form in which it is posted. */
export const encode = (xml: string): string => Buffer.from(xml).toString('base64')
