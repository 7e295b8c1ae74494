// Scans the bytes of a JSON body for content that would cost its parser too much time or memory.
import { randomInt } from 'node:crypto'
import { badRequest, ServiceError } from '../../kernel/errors.js'

/** Maximum nesting depth of arrays and objects. Code that walks a value may recurse. */
const MAX_DEPTH = 100
/** Maximum number of values per body. Each parsed value takes tens of bytes, however short its text is. */
const MAX_VALUES = 400_000

/** Maximum number of different member names per body. A new name takes the parser ten times as long as a known one. */
const MAX_NAMES = 4_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPENS = new Set([0x5b, 0x7b])
const CLOSES = new Set([0x5d, 0x7d])
/**
 * The effect of each byte outside strings: +1 opens, -1 closes, 2 separates, 3 starts a string, 4 marks the preceding
 * string as a name.
 */
const ACTION = Int8Array.from({ length: 256 }, (_, byte) =>
  OPENS.has(byte) ? 1 : CLOSES.has(byte) ? -1 : byte === COMMA ? 2 : byte === QUOTE ? 3 : byte === COLON ? 4 : 0,
)

/** FNV-1a with a secret seed. Names with equal hashes count as one, so hashes must be unpredictable for clients. */
const SEED = randomInt(2 ** 32)
const PRIME = 0x01000193

/**
 * Scans JSON as it arrives, in linear time and without keeping bytes. Rejects bodies that are too deep, or have too
 * many values or names, before they are parsed.
 * It does not check the syntax; the parser does.
 */
export class JsonScan {
  #depth = 0
  #inString = false
  #escaped = false
  #hash = SEED
  readonly #names = new Set<number>()
  /** Upper bound of the number of values: each value except the first follows a bracket or a comma. */
  values = 1

  /** Scans the next bytes. Throws 400 if the nesting is too deep, 413 for too many values or names. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#inString) at = this.#skipString(bytes, at)
      else {
        const action = ACTION[bytes[at] as number] as number
        if (action === 0) continue
        if (action === 3) {
          this.#inString = true
          this.#hash = SEED
        } else if (action === 4) this.#name()
        else if (action === -1) this.#depth--
        else this.#count(action === 1)
      }
    }
  }

  /** Starts another text. Values and names are counted across all texts. */
  next(): void {
    this.#depth = 0
    this.#inString = false
    this.#escaped = false
    this.values++
  }

  #count(opens: boolean): void {
    if (opens && ++this.#depth > MAX_DEPTH) throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`)
    if (++this.values > MAX_VALUES) throw new ServiceError('too-large', `The body has more than ${MAX_VALUES} values.`)
  }

  #name(): void {
    this.#names.add(this.#hash)
    if (this.#names.size > MAX_NAMES)
      throw new ServiceError('too-large', `The body has more than ${MAX_NAMES} different member names.`)
  }

  /** Returns the index of the last byte of the string. */
  #skipString(bytes: Uint8Array, from: number): number {
    // Local variables are faster than members. A body may have millions of these bytes.
    let hash = this.#hash
    let escaped = this.#escaped
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number
      hash = Math.imul(hash ^ byte, PRIME)
      if (escaped) escaped = false
      else if (byte === BACKSLASH) escaped = true
      else if (byte === QUOTE) {
        this.#inString = false
        break
      }
    }
    this.#hash = hash
    this.#escaped = escaped
    return at
  }
}
