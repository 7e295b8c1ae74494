// Looks through the bytes of a JSON body for what would take its parser too long or too much memory.
import { randomInt } from 'node:crypto'
import { badRequest, ServiceError } from '../../kernel/errors.js'

/** How deep arrays and objects may lie in each other: whoever walks a value may recurse. */
const MAX_DEPTH = 100
/** Most values of one body: parsed, each takes tens of bytes, however few it is written with. */
const MAX_VALUES = 400_000

/** Most different names of members in one body: the parser takes ten times as long for one that it has not met. */
const MAX_NAMES = 4_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPENS = new Set([0x5b, 0x7b])
const CLOSES = new Set([0x5d, 0x7d])
/** What each byte outside of strings does: +1 opens, -1 closes, 2 separates, 3 begins a string, 4 says that the string before it was a name. */
const ACTION = Int8Array.from({ length: 256 }, (_, byte) =>
  OPENS.has(byte) ? 1 : CLOSES.has(byte) ? -1 : byte === COMMA ? 2 : byte === QUOTE ? 3 : byte === COLON ? 4 : 0,
)

/** FNV-1a, starting from a value that nobody outside knows, since names with the same hash would count as one. */
const SEED = randomInt(2 ** 32)
const PRIME = 0x01000193

/**
 * Looks over JSON while it arrives, in time linear in its bytes and without keeping any: refuses what would be too deep,
 * too many values or too many names before anybody parses it. Whether it is JSON at all is for the parser to say.
 */
export class JsonScan {
  #depth = 0
  #inString = false
  #escaped = false
  #hash = SEED
  readonly #names = new Set<number>()
  /** At least as many values as the text holds: every one but the first follows a bracket or a comma. */
  values = 1

  /** Takes the next bytes. Throws 400 for too deep, 413 for too many values or names. */
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

  /** Goes on to another text; values and names are counted over all of them. */
  next(): void {
    this.#depth = 0
    this.#inString = false
    this.#escaped = false
    this.values++
  }

  #count(opens: boolean): void {
    if (opens && ++this.#depth > MAX_DEPTH) throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`)
    if (++this.values > MAX_VALUES)
      throw new ServiceError('too-large', `The body must contain at most ${MAX_VALUES} values.`)
  }

  #name(): void {
    this.#names.add(this.#hash)
    if (this.#names.size > MAX_NAMES)
      throw new ServiceError('too-large', `The body must have at most ${MAX_NAMES} different names of members.`)
  }

  /** The index of the last byte that belongs to the string. */
  #skipString(bytes: Uint8Array, from: number): number {
    // Variables, not members: a body may be millions of these bytes.
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
