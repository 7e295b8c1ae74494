/** Tokens of visitors (JWT, RFC 7519): checked by fixed rules, and made for members who ping. */
import { hkdfSync } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { hasDoubleMember } from './double-member.js'

/** Longest token, in characters: it must fit into a URL. */
export const MAX_VISITOR_TOKEN = 8192
/** The only algorithm: keys are secrets that a site shares with its sign-in. */
const ALGORITHM = 'HS256'
/** How far the clocks of a site's sign-in and of the service may differ, in seconds. */
const TOLERANCE = 60
const PARTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** By what a token is checked. */
export interface VisitorTokenRules {
  /** Keys that are valid now; any of them may have signed it. */
  keys: readonly string[]
  now: Date
  audience?: string | undefined
  issuer?: string | undefined
}

/** What a token says, or why it is refused: a sentence for whoever made it. */
export type VisitorToken =
  | { claims: Readonly<Record<string, unknown>>; fault?: never }
  | { claims?: never; fault: string }

const refused = (fault: string): VisitorToken => ({ fault })

/**
 * Checks a token. Nothing in it has a say in how: one algorithm, keys of the site alone, and no address in it is asked. Never throws for
 * what a visitor sends.
 */
export async function verifyVisitorToken(
  token: string,
  { keys, now, audience, issuer }: VisitorTokenRules,
): Promise<VisitorToken> {
  const fault = formFault(token)
  if (fault !== null) return refused(fault)
  const rules = {
    algorithms: [ALGORITHM],
    currentDate: now,
    clockTolerance: TOLERANCE,
    requiredClaims: ['exp'],
    ...(audience === undefined ? {} : { audience }),
    ...(issuer === undefined ? {} : { issuer }),
  }
  let last: VisitorToken = refused('The site has no key to verify it with.')
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(key), rules)
      if (!Number.isFinite(payload.exp)) return refused('Its exp is not a number of seconds since 1970.')
      const early = typeof payload.iat === 'number' && payload.iat > now.getTime() / 1000 + TOLERANCE
      return early ? refused('It was issued in the future (iat).') : { claims: payload }
    } catch (error) {
      last = refused(faultOf(error))
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return last
    }
  }
  return last
}

/** What is wrong with the form of a token, before any key is used. */
function formFault(token: string): string | null {
  if (token.length > MAX_VISITOR_TOKEN) return `It has more than ${MAX_VISITOR_TOKEN} characters.`
  if (!PARTS.test(token)) return 'It is not a signed JWT: three parts of base64url, joined by dots.'
  const [head = '', body = ''] = token.split('.')
  const header = jsonObject(head)
  if (!header) return 'Its header is not a JSON object in which each member is there once.'
  if (header['alg'] !== ALGORITHM) return `Its algorithm (alg) must be ${ALGORITHM}.`
  if (header['crit'] !== undefined || header['b64'] !== undefined)
    return 'Its header has crit or b64, which are not supported.'
  if (header['typ'] !== undefined && !/^jwt$/i.test(String(header['typ']))) return 'Its type (typ) must be JWT.'
  return jsonObject(body) ? null : 'Its payload is not a JSON object in which each member is there once.'
}

function jsonObject(part: string): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'))
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !hasDoubleMember(text) ? (value as Record<string, unknown>) : null
  } catch {
    // neither UTF-8 nor JSON
    return null
  }
}

function faultOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'It has expired (exp).'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'Its signature is not that of a key of the site.'
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.reason === 'missing'
      ? `It has no ${error.claim}, which is required.`
      : `Its ${error.claim} does not fit the site, or the time.`
  return 'It cannot be read.'
}

/** A key for tokens of the visitors of one place, which follows from the service's signing key: 43 characters. */
export const deriveVisitorKey = (signingKey: Buffer, place: string): string =>
  Buffer.from(hkdfSync('sha256', signingKey, '', `bindery visitors of ${place}`, 32)).toString('base64url')

/** What a token that the service makes itself says. */
interface MadeToken {
  subject: string
  issuer: string
  audience: string
  now: Date
  /** For how long it is valid, in seconds. */
  seconds: number
}

/** A token signed with a key, with no claims but those that name for whom, by whom and until when it is. */
export function signVisitorToken(key: string, { subject, issuer, audience, now, seconds }: MadeToken): Promise<string> {
  const issued = Math.floor(now.getTime() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setSubject(subject)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issued)
    .setExpirationTime(issued + seconds)
    .sign(new TextEncoder().encode(key))
}
