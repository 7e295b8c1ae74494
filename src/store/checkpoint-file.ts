/**
 * The format of checkpoint files (JSON, one document per line, with a checksum), and functions that read and write
 * them.
 */
import { asError } from '../kernel/thrown.js'
import { setImmediate as breathe } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { StoreDamaged } from './errors.js'
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

const seal = (body: string): string => `${body},\n"crc32":"${crc32(body).toString(16).padStart(8, '0')}"}\n`

/** Returns JSON that ends with a checksum of everything before it. */
export const sealedJson = (value: object): string => seal(JSON.stringify(value).slice(0, -1))

/** Parses the output of `sealedJson`, or a checkpoint. Throws `StoreDamaged`. */
export function parseSealed(file: string, bytes: Buffer): unknown {
  const end = bytes.lastIndexOf(SEAL)
  const expected = bytes.toString('latin1', end + SEAL.length, end + SEAL.length + 8)
  const fits = end > 0 && crc32(bytes.subarray(0, end)).toString(16).padStart(8, '0') === expected
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
 */
export function checkpointFile(fs: FileSystem, path: string): Adapter<Checkpoint> {
  return {
    async read() {
      const bytes = await readIfThere(fs, path)
      if (bytes === null) return null
      const data = parseSealed(path, bytes) as Checkpoint
      for (const document of data.documents) deepFreeze(document)
      return data
    },
    async write(data) {
      await replaceFile(fs, path, await encode(data))
    },
  }
}
