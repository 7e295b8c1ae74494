import type { Diagnostic } from '../kernel/diagnostic.js'
import { decodeText } from './text.js'
import type { ReaderEntry, TreeReader } from './types.js'

/** Bytes of a file that shapes a space (table of contents, settings, variables): larger ones are not read. */
export const MAX_STRUCTURE_BYTES = 8 * 1024 * 1024

/** Whether the entry is a file: no folder, symbolic link or submodule. */
export const isFile = (entry: ReaderEntry): boolean => entry.mode.startsWith('100')

/**
 * The text of a file that the structure needs, or null where it is no file or larger than is read. Other failures of
 * the reader are thrown: an I/O error must not look like an empty table of contents.
 */
export async function findText(reader: TreeReader, path: string, diagnostics: Diagnostic[], maxBytes = MAX_STRUCTURE_BYTES): Promise<string | null> {
  const entry = await reader.entry(path)
  if (!entry) return null
  if (!isFile(entry)) {
    diagnostics.push({ code: 'unreadable', message: `${path} is not a regular file, so it is not read. Commit the file itself instead.`, file: path })
    return null
  }
  const bytes = await readBounded(reader, entry.oid, maxBytes)
  if (bytes && bytes.byteLength <= maxBytes) return decodeText(bytes)
  diagnostics.push({ code: 'unreadable', message: `${path} is too large to be read. Split it into smaller files.`, file: path })
  return null
}

/** A blob's bytes; null where there are more than `maxBytes`. */
export async function readBounded(reader: Pick<TreeReader, 'read'>, oid: string, maxBytes: number): Promise<Uint8Array | null> {
  try {
    return await reader.read(oid, maxBytes)
  } catch (thrown) {
    // The class lives in `git/`, which this layer does not see.
    if (thrown instanceof Error && thrown.name === 'ObjectTooLarge') return null
    throw thrown
  }
}
