/** Verifies an incoming webhook delivery over its raw bytes. Reads hints from its payload only after that. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../types.js'
import { type Delivery, hintsOf } from './hints.js'
import { SignatureCheck } from './signatures.js'

/** Thrown if a delivery has no signature, or a wrong one. */
export class DeliveryRefused extends Error {
  override name = 'DeliveryRefused'
  constructor(readonly reason: 'unsigned' | 'wrong') {
    super(reason === 'unsigned' ? 'The delivery is not signed.' : 'The signature of the delivery is wrong.')
  }
}

/**
 * Maximum size of a payload that is parsed. A larger one is verified, too, but gives hints only from its headers.
 * Parsing the worst case takes about 50 ms.
 */
export const MAX_PARSED_BYTES = 1024 * 1024

/** The inputs for verifying a delivery. */
export interface DeliveryRules {
  provider: Provider
  secret: string
  headers: IncomingHttpHeaders
  now: Date
  /**
   * Whether another `bytes` bytes of the payload may be buffered until it is parsed. If not, the payload gives no
   * hints. Default: always.
   */
  mayHold?: (bytes: number) => boolean
}

/** A delivery that is being received. It buffers at most `MAX_PARSED_BYTES`. */
export interface IncomingDelivery {
  push(bytes: Uint8Array): void
  /** Throws `DeliveryRefused`. */
  finish(): Delivery
}

/** Starts to verify a delivery whose bytes have not arrived yet. */
export function openDelivery({
  provider,
  secret,
  headers,
  now,
  mayHold = () => true,
}: DeliveryRules): IncomingDelivery {
  const check = new SignatureCheck(provider, secret, headers, now)
  // Size limit: MAX_PARSED_BYTES
  let pieces: Uint8Array[] | null = []
  let bytes = 0
  return {
    push(piece) {
      check.update(piece)
      bytes += piece.length
      if (pieces && bytes <= MAX_PARSED_BYTES && mayHold(piece.length)) pieces.push(piece)
      else pieces = null
    },
    finish() {
      const isValid = check.isValid()
      if (isValid !== true) throw new DeliveryRefused(isValid === null ? 'unsigned' : 'wrong')
      return hintsOf(provider, headers, pieces ? payloadOf(Buffer.concat(pieces), headers) : undefined)
    },
  }
}

/** Verifies a whole delivery. Throws `DeliveryRefused`. */
export function verifyDelivery(rules: DeliveryRules, rawBody: Uint8Array): Delivery {
  const incoming = openDelivery(rules)
  incoming.push(rawBody)
  return incoming.finish()
}

/** Parses a payload. Returns undefined if it cannot be read; only hints are lost. */
function payloadOf(body: Buffer, headers: IncomingHttpHeaders): unknown {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
  try {
    return JSON.parse(isForm ? (new URLSearchParams(body.toString('latin1')).get('payload') ?? '') : body.toString())
  } catch {
    // Not valid JSON.
    return undefined
  }
}
