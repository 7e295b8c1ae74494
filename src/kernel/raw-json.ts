// Puts JSON that exists already into a response.
import { randomUUID } from 'node:crypto'
import { eachInSlices, Slices } from './slices.js'

/** Random, so that no text of a client can contain it. */
const MARK = `raw-json-${randomUUID()}-`
let collecting: RawJson[] | null = null

/** JSON that is serialized already: it becomes part of a response as it is, without being parsed again. */
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
 * A list, serialized in slices: of tens of thousands of items, others have their turn in between.
 * @param present what an item becomes; null leaves it out
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
  return new RawJson([...done, Buffer.from(parts.join(''))]) as unknown as T[]
}

/** Serializes a value; each `RawJson` in it is copied as it is. */
export function toJson(value: unknown): string | Buffer {
  const pieces = jsonPieces(value)
  return Array.isArray(pieces) ? Buffer.concat(pieces) : pieces
}

/** Like `toJson`, but the pieces are copied in slices: together they may be tens of megabytes. */
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

/** Bytes of all pieces together. */
export const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** The JSON of a value: a text, or pieces if there is any `RawJson` in it. */
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
