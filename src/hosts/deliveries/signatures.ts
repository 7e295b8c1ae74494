/** Verifies the signature headers of a delivery over its bytes as they arrive. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../types.js'

/** Maximum clock difference between a host and the service for signed times, in seconds (Standard Webhooks). */
const TOLERANCE = 300
const HEX = /^[0-9a-fA-F]{64}$/
const BASE64_KEY = /^whsec_([A-Za-z0-9+/]{16,}={0,2})$/
/** Maximum number of signatures of one header that are checked. A host sends one, or two while a secret is rotated. */
const MAX_SIGNATURES = 5

/** The proofs in a delivery: digests to compare with, and a plain secret. */
interface Proofs {
  hex: string[]
  standard: string[]
  token: string
}

const header = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

/** Compares in constant time. */
const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Returns the proofs that a provider may send. One valid proof is sufficient, because the owner of the secret can
 * create any of them. GitHub: X-Hub-Signature-256. GitLab: webhook-signature (signing token) or X-Gitlab-Token (secret
 * token). Gitea and Forgejo: their own header, bare hex, or GitHub's. Bitbucket: X-Hub-Signature with SHA-256. Others:
 * GitHub's, or Standard Webhooks.
 */
function proofsIn(provider: Provider, headers: IncomingHttpHeaders, now: Date): Proofs {
  const hex = (name: string, prefix: string): string[] => {
    const value = header(headers, name)
    const found = value.startsWith(prefix) ? value.slice(prefix.length) : ''
    return HEX.test(found) ? [found] : []
  }
  const hub = hex('x-hub-signature-256', 'sha256=')
  const standard = standardSignatures(headers, now)
  const proofs: Record<Provider, Partial<Proofs>> = {
    github: { hex: hub },
    gitlab: { standard, token: header(headers, 'x-gitlab-token') },
    gitea: { hex: [...hex('x-forgejo-signature', ''), ...hex('x-gitea-signature', ''), ...hub] },
    bitbucket: { hex: hex('x-hub-signature', 'sha256=') },
    generic: { hex: hub, standard },
  }
  return { hex: [], standard: [], token: '', ...proofs[provider] }
}

/** Returns the Standard Webhooks signatures, in base64; none if the signed time is not current. */
function standardSignatures(headers: IncomingHttpHeaders, now: Date): string[] {
  const seconds = header(headers, 'webhook-timestamp')
  if (
    header(headers, 'webhook-id') === '' ||
    !/^\d{1,12}$/.test(seconds) ||
    Math.abs(Number(seconds) - now.getTime() / 1000) > TOLERANCE
  )
    return []
  const all = header(headers, 'webhook-signature').split(' ', MAX_SIGNATURES)
  return all.filter((one) => one.startsWith('v1,')).map((one) => one.slice(3))
}

/**
 * Verifies one delivery. Its duration does not depend on the proofs, so it reveals neither the provider nor whether a
 * secret exists.
 */
export class SignatureCheck {
  readonly #proofs: Proofs
  readonly #secret: string
  readonly #plain
  readonly #standard

  constructor(provider: Provider, secret: string, headers: IncomingHttpHeaders, now: Date) {
    this.#proofs = proofsIn(provider, headers, now)
    this.#secret = secret
    const [, key = ''] = BASE64_KEY.exec(secret) ?? []
    if (key === '') this.#proofs.standard = []
    this.#plain = createHmac('sha256', secret)
    this.#standard = createHmac('sha256', Buffer.from(key, 'base64')).update(
      `${header(headers, 'webhook-id')}.${header(headers, 'webhook-timestamp')}.`,
    )
  }

  update(bytes: Uint8Array): void {
    this.#plain.update(bytes)
    this.#standard.update(bytes)
  }

  /** Whether one of the proofs is valid for all bytes so far; null if there is no proof. May be called only once. */
  isValid(): boolean | null {
    const { hex, standard, token } = this.#proofs
    const plain = this.#plain.digest()
    const signed = this.#standard.digest()
    const results = [
      ...hex.map((one) => same(plain, Buffer.from(one, 'hex'))),
      ...standard.map((one) => same(signed, Buffer.from(one, 'base64'))),
      same(digest(token), digest(this.#secret)),
    ]
    if (this.#secret === '' || (hex.length === 0 && standard.length === 0 && token === '')) return null
    return results.includes(true)
  }
}
