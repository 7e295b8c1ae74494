/** Which headers prove that a delivery comes from a host, and the check of them over the bytes as they arrive. */
import { createHash, createHmac, timingSafeEqual, type Hmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../types.js'

/** How far the clocks of a host and of the service may differ where a time is signed, in seconds (Standard Webhooks). */
const TOLERANCE = 300
const HEX = /^[0-9a-fA-F]{64}$/
const BASE64_KEY = /^whsec_([A-Za-z0-9+/]{16,}={0,2})$/
/** Signatures of one header that are looked at: a host sends one, or two while a secret is exchanged. */
const MOST_SIGNATURES = 5

/** A proof that is under way: it takes the bytes, and says at the end whether they were signed. */
interface Proof {
  update(bytes: Uint8Array): void
  holds(): boolean
}

const header = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

/** Compares without telling by its time how much is equal. */
const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

/** HMAC-SHA256 of the body in hex, after a prefix. */
function hexProof(secret: string, value: string, prefix: string): Proof | null {
  const hex = value.startsWith(prefix) ? value.slice(prefix.length) : ''
  if (!HEX.test(hex)) return null
  const hmac = createHmac('sha256', secret)
  return { update: (bytes) => void hmac.update(bytes), holds: () => same(hmac.digest(), Buffer.from(hex, 'hex')) }
}

/** Standard Webhooks: HMAC-SHA256 of `id.seconds.body`, in base64, by a key that is written in base64 itself. */
function standardProof(secret: string, headers: IncomingHttpHeaders, now: Date): Proof | null {
  const [, key] = BASE64_KEY.exec(secret) ?? []
  const id = header(headers, 'webhook-id')
  const seconds = header(headers, 'webhook-timestamp')
  const given = header(headers, 'webhook-signature')
    .split(' ', MOST_SIGNATURES)
    .filter((one) => one.startsWith('v1,'))
  if (key === undefined || id === '' || !/^\d{1,12}$/.test(seconds) || given.length === 0) return null
  if (Math.abs(Number(seconds) - now.getTime() / 1000) > TOLERANCE) return null
  const hmac: Hmac = createHmac('sha256', Buffer.from(key, 'base64')).update(`${id}.${seconds}.`)
  const matches = (digest: Buffer): boolean => given.filter((one) => same(digest, Buffer.from(one.slice(3), 'base64'))).length > 0
  return { update: (bytes) => void hmac.update(bytes), holds: () => matches(hmac.digest()) }
}

/** A secret that is sent as it is. Its length is not told either. */
function tokenProof(secret: string, value: string): Proof | null {
  if (value === '') return null
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return { update: () => {}, holds: () => same(digest(value), digest(secret)) }
}

/**
 * The proofs that a delivery offers, of those that its provider may offer. One that holds is enough: whoever has the secret can make any of them.
 * GitHub: X-Hub-Signature-256. GitLab: webhook-signature (signing token) or X-Gitlab-Token (secret token). Gitea and Forgejo: their own header,
 * bare hex, or GitHub's. Bitbucket: X-Hub-Signature with SHA-256. Others: GitHub's, or Standard Webhooks.
 */
export function proofsOf(provider: Provider, secret: string, headers: IncomingHttpHeaders, now: Date): Proof[] {
  const hub = (): Proof | null => hexProof(secret, header(headers, 'x-hub-signature-256'), 'sha256=')
  const standard = (): Proof | null => standardProof(secret, headers, now)
  const bare = (name: string): Proof | null => hexProof(secret, header(headers, name), '')
  const offered: Record<Provider, () => (Proof | null)[]> = {
    github: () => [hub()],
    gitlab: () => [standard(), tokenProof(secret, header(headers, 'x-gitlab-token'))],
    gitea: () => [bare('x-forgejo-signature'), bare('x-gitea-signature'), hub()],
    bitbucket: () => [hexProof(secret, header(headers, 'x-hub-signature'), 'sha256=')],
    generic: () => [hub(), standard()],
  }
  return offered[provider]().filter((proof) => proof !== null)
}
