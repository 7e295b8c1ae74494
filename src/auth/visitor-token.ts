/** Verifies visitor tokens (JWT, RFC 7519) by fixed rules, and creates them for members who ping. */
import { hkdfSync } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { defined } from '../kernel/defined.js'
import { isRecord } from '../kernel/guards.js'

/** Maximum nesting depth. Deeper texts are treated as having a duplicate, so that they are rejected. */
const MAX_DEPTH = 32
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/** Whether an object in a valid JSON text has a duplicate member, after resolving escapes. Linear in the text. */
export function hasDoubleMember(json: string): boolean {
  /** The members of each open object; null for an open list. */
  const open: (Set<string> | null)[] = []
  let text: string | null = null
  for (const [token] of json.matchAll(TOKENS)) {
    const names = open.at(-1)
    if (token === ':' && names && text !== null) {
      const name: string = JSON.parse(text)
      if (names.has(name)) return true
      names.add(name)
    }
    text = token.startsWith('"') ? token : null
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    if (token === '}' || token === ']') open.pop()
    if (open.length > MAX_DEPTH) return true
  }
  return false
}

/** Maximum length of a token, in characters. It must fit into a URL. */
export const MAX_VISITOR_TOKEN = 8192
/** The only algorithm. Keys are secrets that a site shares with its sign-in service. */
const ALGORITHM = 'HS256'
/** Maximum difference between the clocks of a site's sign-in service and this service, in seconds. */
const TOLERANCE = 60
const PARTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** The rules for verifying a token. */
export interface VisitorTokenRules {
  /** Valid keys. Any of them may have signed the token. */
  keys: readonly string[]
  now: Date
  audience?: string | undefined
  issuer?: string | undefined
}

/** The claims of a token, or the reason for its rejection, as a sentence for its issuer. */
export type VisitorToken =
  | { claims: Readonly<Record<string, unknown>>; fault?: never }
  | { claims?: never; fault: string }

const refused = (fault: string): VisitorToken => ({ fault })

/**
 * Verifies a token. Its content cannot influence how: one algorithm, only keys of the site, and no requests to
 * addresses in it.
 * Never throws for input of visitors.
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
    ...defined({ audience, issuer }),
  }
  let last: VisitorToken = refused('The site has no key to verify the token with.')
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

/** Returns the fault in the format of a token, before any key is used. */
function formFault(token: string): string | null {
  if (token.length > MAX_VISITOR_TOKEN) return `It has more than ${MAX_VISITOR_TOKEN} characters.`
  if (!PARTS.test(token)) return 'It is not a signed JWT: three parts of base64url, joined by dots.'
  const [head = '', body = ''] = token.split('.')
  const header = jsonObject(head)
  if (!header) return 'Its header is not a JSON object in which each member occurs once.'
  if (header['alg'] !== ALGORITHM) return `Its algorithm (alg) must be ${ALGORITHM}.`
  if (header['crit'] !== undefined || header['b64'] !== undefined)
    return 'Its header has crit or b64, which are not supported.'
  if (header['typ'] !== undefined && !/^jwt$/i.test(String(header['typ']))) return 'Its type (typ) must be JWT.'
  return jsonObject(body) ? null : 'Its payload is not a JSON object in which each member occurs once.'
}

function jsonObject(part: string): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'))
    const value: unknown = JSON.parse(text)
    return isRecord(value) && !hasDoubleMember(text) ? value : null
  } catch {
    // Neither UTF-8 nor JSON.
    return null
  }
}

function faultOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'It has expired (exp).'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'No key of the site verifies its signature.'
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.reason === 'missing'
      ? `It has no ${error.claim}, which is required.`
      : `Its ${error.claim} does not match the site or the time.`
  return 'It cannot be parsed.'
}

/** Derives a key for visitor tokens of one resource from the service's signing key: 43 characters. */
export const deriveVisitorKey = (signingKey: Buffer, place: string): string =>
  Buffer.from(hkdfSync('sha256', signingKey, '', `bindery visitors of ${place}`, 32)).toString('base64url')

/** The claims of a token that the service creates itself. */
interface VisitorTokenClaims {
  subject: string
  issuer: string
  audience: string
  now: Date
  /** Validity in seconds. */
  seconds: number
}

/** Returns a token signed with a key. Its only claims are the subject, the issuer, the audience and the validity. */
export function signVisitorToken(
  key: string,
  { subject, issuer, audience, now, seconds }: VisitorTokenClaims,
): Promise<string> {
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
