/** Verifies a webhook delivery over its raw bytes, and reads hints from its payload only after that. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../types.js'
import { type Delivery, hintsOf } from './hints.js'
import { payloadOf } from './payload.js'
import { SignatureCheck } from './signatures.js'

/** The delivery proves nothing: no signature of its provider, or a wrong one. */
export class DeliveryRefused extends Error {
  override name = 'DeliveryRefused'
  constructor(readonly reason: 'unsigned' | 'wrong') {
    super(reason === 'unsigned' ? 'The delivery is not signed.' : 'The signature of the delivery is wrong.')
  }
}

/** Payloads up to this are parsed; a longer one is verified all the same, and gives no hints but those of its headers. Parsing the worst takes about 50 ms. */
export const MAX_PARSED_BYTES = 1024 * 1024

/** By what a delivery is checked. */
export interface DeliveryRules {
  provider: Provider
  secret: string
  headers: IncomingHttpHeaders
  now: Date
  /** Whether so many bytes more of the payload may be held until it is parsed; if not, it gives no hints. Default: always. */
  mayHold?: (bytes: number) => boolean
}

/** A delivery whose bytes arrive. It holds at most `MAX_PARSED_BYTES` of them. */
export interface IncomingDelivery {
  push(bytes: Uint8Array): void
  /** Throws `DeliveryRefused`. */
  finish(): Delivery
}

/** Begins to verify a delivery whose bytes are still to come. */
export function openDelivery({
  provider,
  secret,
  headers,
  now,
  mayHold = () => true,
}: DeliveryRules): IncomingDelivery {
  const check = new SignatureCheck(provider, secret, headers, now)
  // bound: MAX_PARSED_BYTES
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
      const holds = check.holds()
      if (holds !== true) throw new DeliveryRefused(holds === null ? 'unsigned' : 'wrong')
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
