/**
 * The format of checkpoint files (JSON, one document per line, with a checksum), and functions that read and write
 * them.
 */
import { asError } from '../kernel/thrown.js'
import { setImmediate as breathe } from 'node:timers/promises'
import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { StoreDamaged } from './errors.js'
import { correctBit, onlyDifference } from './flipped-bit.js'
import { readIfThere, replaceFile } from './file-system.js'
import { deepFreeze } from './json.js'
import type { FileSystem } from './types.js'
import type { AnyDocument } from './view.js'

/** The content of a checkpoint file: the documents of one owner at a position in the log. */
export interface Checkpoint {
  /** The table's name. Files use this field name since the first release. */
  readonly collection: string
  readonly owner: string
  /** The last transaction that it contains. */
  readonly seq: number
  readonly documents: readonly AnyDocument[]
}

const SEAL = Buffer.from(',\n"crc32":"')
const SLICE = 500

const sealOf = (body: string | Buffer): string => `,\n"crc32":"${crc32(body).toString(16).padStart(8, '0')}"}\n`
const seal = (body: string): string => body + sealOf(body)

/** Whether the bytes of a checkpoint file are as they were written. A flipped bit that a start corrects counts too. */
export function isSealed(bytes: Buffer): boolean {
  try {
    parseSealed('', bytes)
    return true
  } catch {
    return false
  }
}

/** Returns JSON that ends with a checksum of everything before it. */
export const sealedJson = (value: object): string => seal(JSON.stringify(value).slice(0, -1))

/**
 * Parses the output of `sealedJson`, or a checkpoint. Calls `flipped` with the position of a bit that the checksum
 * corrected. Throws `StoreDamaged`.
 */
export function parseSealed(file: string, bytes: Buffer, flipped: (at: number) => void = () => {}): unknown {
  const end = bytes.lastIndexOf(SEAL)
  const expected = bytes.toString('latin1', end + SEAL.length, end + SEAL.length + 8)
  const fits = end > 0 && crc32(bytes.subarray(0, end)).toString(16).padStart(8, '0') === expected
  const corrected = fits ? null : correctedJson(bytes)
  if (corrected) {
    flipped(corrected.at)
    return corrected.value
  }
  const text = bytes.toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    if (fits) return value
  } catch (cause) {
    const position = /position (\d+)/.exec(asError(cause).message)?.[1]
    const offset = position ? Buffer.byteLength(text.slice(0, Number(position))) : 0
    throw new StoreDamaged(file, offset, 'it is not valid JSON', undefined, { cause })
  }
  throw new StoreDamaged(file, 0, 'its checksum is wrong: it was changed or truncated')
}

/** Parses sealed JSON with one flipped bit, which may be in the seal; null if there is more damage. */
function correctedJson(bytes: Buffer): { value: unknown; at: number } | null {
  const end = bytes.length - Buffer.byteLength(seal(''))
  if (end <= 0) return null
  const body = bytes.subarray(0, end)
  const inSeal = onlyDifference(bytes.subarray(end), Buffer.from(sealOf(body)))
  const sum = Number.parseInt(bytes.toString('latin1', end + SEAL.length, end + SEAL.length + 8), 16)
  const found = inSeal === null ? correctBit(body, sum) : { bytes: body, at: end + inSeal }
  if (found === null || !isUtf8(found.bytes)) return null
  try {
    return { value: JSON.parse(`${found.bytes.toString('utf8')}}`), at: found.at }
  } catch {
    return null
  }
}

/**
 * Returns the text of a checkpoint, one document per line. Yields to other work in between, since an owner may have
 * thousands of documents.
 */
async function encode(data: Checkpoint): Promise<string> {
  const { documents, ...head } = data
  const slices: string[] = []
  for (let from = 0; from < documents.length; from += SLICE) {
    if (from > 0) await breathe()
    slices.push(
      documents
        .slice(from, from + SLICE)
        .map((document) => JSON.stringify(document))
        .join(',\n'),
    )
  }
  return seal(`${JSON.stringify({ format: 1, ...head }).slice(0, -1)},"documents":[\n${slices.join(',\n')}\n]`)
}

/**
 * Returns lowdb's adapter for a checkpoint file. It writes a temporary file, syncs it and renames it. The checkpointer
 * syncs the folder once for all files before it shortens the log. `read` returns null if there is no file.
 * @param flipped called with the position of a bit that a read corrected
 */
export function checkpointFile(fs: FileSystem, path: string, flipped?: (at: number) => void): Adapter<Checkpoint> {
  return {
    async read() {
      const bytes = await readIfThere(fs, path)
      if (bytes === null) return null
      const data = parseSealed(path, bytes, flipped) as Checkpoint
      for (const document of data.documents) deepFreeze(document)
      return data
    },
    async write(data) {
      await replaceFile(fs, path, await encode(data))
    },
  }
}
