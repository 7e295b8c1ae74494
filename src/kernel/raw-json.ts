// Embeds serialized JSON into a response.
import { randomUUID } from 'node:crypto'
import { eachInSlices, Slices } from './slices.js'

/** Random, so that texts of clients cannot contain it. */
const MARK = `raw-json-${randomUUID()}-`
let collecting: RawJson[] | null = null

/** Serialized JSON that becomes part of a response without being parsed again. */
export class RawJson {
  /** @param chunks one JSON value, in UTF-8, in pieces that are joined only once, in the response */
  constructor(readonly chunks: readonly Uint8Array[]) {}

  get length(): number {
    return lengthOf(this.chunks)
  }

  toJSON(): unknown {
    if (!collecting) return JSON.parse(Buffer.concat(this.chunks).toString())
    return `${MARK}${collecting.push(this) - 1}`
  }
}

/**
 * Serializes a list in slices, so that other requests run in between.
 * @param present converts an item; null omits it
 */
export async function listAsJson<I, T extends object>(
  items: Iterable<I>,
  present: (item: I) => T | null,
): Promise<T[]> {
  const slices = new Slices()
  const done: Buffer[] = []
  let parts: string[] = []
  let first = true
  for (const item of items) {
    if (slices.due) {
      done.push(Buffer.from(parts.join('')))
      parts = []
      await slices.rest()
    }
    const shown = present(item)
    if (shown === null) continue
    parts.push(first ? '[' : ',', JSON.stringify(shown))
    first = false
  }
  parts.push(first ? '[]' : ']')
  return asSerialized(new RawJson([...done, Buffer.from(parts.join(''))]))
}

/** Types serialized JSON as the value that it becomes in a response. */
export const asSerialized = <T>(json: RawJson): T => json as unknown as T

/** Serializes a value. Each `RawJson` in it is copied unchanged. */
export function toJson(value: unknown): string | Buffer {
  const pieces = jsonPieces(value)
  return Array.isArray(pieces) ? Buffer.concat(pieces) : pieces
}

/** Like `toJson`, but copies the pieces in slices, because they may have tens of megabytes in total. */
export async function toJsonInSlices(value: unknown): Promise<string | Buffer> {
  const pieces = jsonPieces(value)
  return Array.isArray(pieces) ? joinInSlices(pieces) : pieces
}

/** Joins pieces in slices. */
export async function joinInSlices(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(lengthOf(pieces))
  let at = 0
  await eachInSlices(pieces, (piece) => {
    whole.set(piece, at)
    at += piece.length
  })
  return whole
}

/** Returns the total length of the pieces in bytes. */
export const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Returns the JSON of a value: a text, or pieces if it contains a `RawJson`. */
export function jsonPieces(value: unknown): string | Uint8Array[] {
  const found: RawJson[] = []
  collecting = found
  let text: string
  try {
    text = JSON.stringify(value)
  } finally {
    collecting = null
  }
  if (found.length === 0) return text
  const parts: Uint8Array[] = []
  let at = 0
  for (const [index, { chunks }] of found.entries()) {
    const mark = `"${MARK}${index}"`
    const start = text.indexOf(mark, at)
    parts.push(Buffer.from(text.slice(at, start)))
    for (const chunk of chunks) parts.push(chunk)
    at = start + mark.length
  }
  parts.push(Buffer.from(text.slice(at)))
  return parts
}
