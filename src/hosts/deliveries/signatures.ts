/** Which headers prove that a delivery comes from a host, and the check of them over the bytes as they arrive. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../types.js'

/** How far the clocks of a host and of the service may differ where a time is signed, in seconds (Standard Webhooks). */
const TOLERANCE = 300
const HEX = /^[0-9a-fA-F]{64}$/
const BASE64_KEY = /^whsec_([A-Za-z0-9+/]{16,}={0,2})$/
/** Signatures of one header that are looked at: a host sends one, or two while a secret is exchanged. */
const MAX_SIGNATURES = 5

/** What a delivery offers as proof: digests to compare with, and a secret that is sent as it is. */
interface Offered {
  hex: string[]
  standard: string[]
  token: string
}

const header = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

/** Compares without telling by its time how much is equal. */
const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * The proofs that a provider may offer. One that holds is enough: whoever has the secret can make any of them.
 * GitHub: X-Hub-Signature-256. GitLab: webhook-signature (signing token) or X-Gitlab-Token (secret token). Gitea and Forgejo: their own header,
 * bare hex, or GitHub's. Bitbucket: X-Hub-Signature with SHA-256. Others: GitHub's, or Standard Webhooks.
 */
function offeredBy(provider: Provider, headers: IncomingHttpHeaders, now: Date): Offered {
  const hex = (name: string, prefix: string): string[] => {
    const value = header(headers, name)
    const found = value.startsWith(prefix) ? value.slice(prefix.length) : ''
    return HEX.test(found) ? [found] : []
  }
  const hub = hex('x-hub-signature-256', 'sha256=')
  const standard = standardSignatures(headers, now)
  const offers: Record<Provider, Partial<Offered>> = {
    github: { hex: hub },
    gitlab: { standard, token: header(headers, 'x-gitlab-token') },
    gitea: { hex: [...hex('x-forgejo-signature', ''), ...hex('x-gitea-signature', ''), ...hub] },
    bitbucket: { hex: hex('x-hub-signature', 'sha256=') },
    generic: { hex: hub, standard },
  }
  return { hex: [], standard: [], token: '', ...offers[provider] }
}

/** The signatures by Standard Webhooks, in base64; none if the time that is signed with them is not now. */
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
 * The check of one delivery. It costs the same whatever is offered, so its time does not tell a provider from another, or a secret that
 * exists from one that does not.
 */
export class SignatureCheck {
  readonly #offered: Offered
  readonly #secret: string
  readonly #plain
  readonly #standard

  constructor(provider: Provider, secret: string, headers: IncomingHttpHeaders, now: Date) {
    this.#offered = offeredBy(provider, headers, now)
    this.#secret = secret
    const [, key = ''] = BASE64_KEY.exec(secret) ?? []
    if (key === '') this.#offered.standard = []
    this.#plain = createHmac('sha256', secret)
    this.#standard = createHmac('sha256', Buffer.from(key, 'base64')).update(
      `${header(headers, 'webhook-id')}.${header(headers, 'webhook-timestamp')}.`,
    )
  }

  update(bytes: Uint8Array): void {
    this.#plain.update(bytes)
    this.#standard.update(bytes)
  }

  /** Whether one of the proofs holds, for all bytes until now; null if none is offered. To be asked once. */
  holds(): boolean | null {
    const { hex, standard, token } = this.#offered
    const plain = this.#plain.digest()
    const signed = this.#standard.digest()
    const held = [
      ...hex.map((one) => same(plain, Buffer.from(one, 'hex'))),
      ...standard.map((one) => same(signed, Buffer.from(one, 'base64'))),
      same(digest(token), digest(this.#secret)),
    ]
    if (this.#secret === '' || (hex.length === 0 && standard.length === 0 && token === '')) return null
    return held.includes(true)
  }
}
