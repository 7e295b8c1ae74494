/** Reads the claims of a verified assertion, and checks its audience, request and validity. */
import { required } from '../../kernel/defined.js'
import { SamlRefused } from './refused.js'
import { addressOf, nameOf } from './attributes.js'
import { ASSERTION, checkAssertion } from './structure.js'
import { attribute, children, named, only, textOf } from './xml.js'

/** The values that a response must match. */
export interface ExpectedClaims {
  /** Entity ID of the identity provider. */
  issuer: string
  /** Entity ID of this service provider. */
  audience: string
  acsUrl: string
  /** ID of the request that the response belongs to. */
  request: string
  /** Milliseconds since 1970. */
  now: number
}

/** The claims of an assertion. Times are in milliseconds since 1970. */
export interface SamlClaims {
  assertion: string
  nameId: string
  /** In lowercase; null if the provider sends none or several. */
  email: string | null
  displayName: string | null
  /** From then on, the assertion is rejected anyway. */
  expires: number
  /** End of the session at the provider; null = not specified. */
  sessionEnds: number | null
}

/** Maximum difference between the clocks of two servers, in milliseconds. */
const SKEW_MS = 60_000
/** Maximum time from the issue of an assertion to its use, in milliseconds. */
const MAX_AGE_MS = 10 * 60_000
const NAME_ID = 256
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const CONDITIONS: readonly string[] = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

/**
 * Returns the claims of an assertion.
 * @param assertion parsed from the signed bytes
 * Throws `SamlRefused`.
 */
export function readClaims(assertion: Element, expected: ExpectedClaims): SamlClaims {
  checkAssertion(assertion)
  if (textOf(only(assertion, ASSERTION, 'Issuer')) !== expected.issuer)
    throw new SamlRefused('The issuer of the assertion is not the entityID of the provider.')
  const issued = time(assertion, 'IssueInstant')
  if (issued > expected.now + SKEW_MS)
    throw new SamlRefused('The assertion was issued in the future. Check the clocks of both servers.')
  if (issued < expected.now - MAX_AGE_MS - SKEW_MS) throw new SamlRefused('The assertion is too old. Sign in again.')
  checkConditions(only(assertion, ASSERTION, 'Conditions'), expected)
  const subject = only(assertion, ASSERTION, 'Subject')
  checkConfirmation(subject, expected)
  const { nameId, isAddress } = nameOfSubject(subject)
  const statements = named(assertion, ASSERTION, 'AttributeStatement')
  return {
    assertion: required(attribute(assertion, 'ID')),
    nameId,
    email: addressOf(statements, isAddress ? nameId : null),
    displayName: nameOf(statements),
    expires: issued + MAX_AGE_MS + SKEW_MS,
    sessionEnds: sessionEnd(assertion, expected.now),
  }
}

function checkConditions(conditions: Element, { audience, now }: ExpectedClaims): void {
  checkPeriod(conditions, now)
  for (const { namespaceURI, localName } of children(conditions))
    if (namespaceURI !== ASSERTION || !CONDITIONS.includes(localName))
      throw new SamlRefused('The assertion has an unsupported condition.')
  const restrictions = named(conditions, ASSERTION, 'AudienceRestriction')
  const isForUs = (restriction: Element): boolean =>
    named(restriction, ASSERTION, 'Audience').some((one) => textOf(one) === audience)
  if (restrictions.length === 0 || !restrictions.every(isForUs))
    throw new SamlRefused('The audience of the assertion is not service.entityID.')
}

/** Throws unless `NotBefore` and `NotOnOrAfter`, if present, allow the time. */
function checkPeriod(element: Element, now: number): void {
  if (attribute(element, 'NotBefore') !== null && time(element, 'NotBefore') > now + SKEW_MS)
    throw new SamlRefused('The assertion is not valid yet. Check the clocks of both servers.')
  if (attribute(element, 'NotOnOrAfter') !== null && time(element, 'NotOnOrAfter') <= now - SKEW_MS)
    throw new SamlRefused('The assertion has expired. Sign in again.')
}

function nameOfSubject(subject: Element): { nameId: string; isAddress: boolean } {
  const element = only(subject, ASSERTION, 'NameID')
  const format = attribute(element, 'Format')
  const nameId = textOf(element)
  if (format === TRANSIENT)
    throw new SamlRefused(
      'The NameID is transient. Configure a persistent NameID or the email address at the provider.',
    )
  if (nameId === '' || nameId.length > NAME_ID || hasControls(nameId))
    throw new SamlRefused(`The NameID must have 1 to ${NAME_ID} characters.`)
  return { nameId, isAddress: format === ADDRESS || nameId.includes('@') }
}

const hasControls = (text: string): boolean => /\p{Cc}/u.test(text)

/** Throws unless one bearer confirmation of the subject is for this request, this address and now. */
function checkConfirmation(subject: Element, { acsUrl, request, now }: ExpectedClaims): void {
  const bearers = named(subject, ASSERTION, 'SubjectConfirmation').filter((one) => attribute(one, 'Method') === BEARER)
  let reason = 'The subject must be confirmed by the method bearer.'
  for (const bearer of bearers) {
    const [data] = named(bearer, ASSERTION, 'SubjectConfirmationData')
    if (!data || attribute(data, 'NotOnOrAfter') === null)
      reason = 'The subject confirmation must have an expiry time (NotOnOrAfter).'
    else if (attribute(data, 'Recipient') !== acsUrl) reason = 'The recipient of the assertion is not service.acsURL.'
    else if (attribute(data, 'InResponseTo') !== request)
      reason = 'The assertion belongs to another request. Start the sign-in again.'
    else {
      checkPeriod(data, now)
      return
    }
  }
  throw new SamlRefused(reason)
}

/** Returns the earliest session end of all statements. */
function sessionEnd(assertion: Element, now: number): number | null {
  const statements = named(assertion, ASSERTION, 'AuthnStatement')
  if (statements.length === 0) throw new SamlRefused('The assertion must have an AuthnStatement.')
  let end: number | null = null
  for (const statement of statements) {
    if (time(statement, 'AuthnInstant') > now + SKEW_MS)
      throw new SamlRefused('The sign-in is in the future. Check the clocks of both servers.')
    if (attribute(statement, 'SessionNotOnOrAfter') !== null)
      end = Math.min(end ?? Number.POSITIVE_INFINITY, time(statement, 'SessionNotOnOrAfter'))
  }
  if (end !== null && end <= now) throw new SamlRefused('The session at the identity provider has ended.')
  return end
}

/** SAML times are in UTC (saml-core 1.3.3). */
function time(element: Element, name: string): number {
  const text = attribute(element, name) ?? ''
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text)
    ? Date.parse(text.replace(/(\.\d{3})\d+/, '$1'))
    : Number.NaN
  // JavaScript parses February 31 as a day in March.
  if (Number.isNaN(at) || !text.startsWith(new Date(at).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length)))
    throw new SamlRefused(`The time ${name} is missing, or is not a time in UTC.`)
  return at
}
