// Reads single files of a revision, within size limits.
import type { Diagnostic } from '../kernel/diagnostic.js'
import { decodeText } from './text.js'
import type { ReaderEntry, TreeReader } from './types.js'

/** Maximum size of a file that is read for the structure (table of contents, settings, variables), in bytes. */
export const MAX_STRUCTURE_BYTES = 8 * 1024 * 1024

/** Whether the entry is a regular file, as opposed to a folder, symbolic link or submodule. */
export const isFile = ({ mode }: Pick<ReaderEntry, 'mode'>): boolean => mode.startsWith('100')

const KINDS: Readonly<Record<string, string>> = {
  '040000': 'a folder',
  '120000': 'a symbolic link that cannot be followed here',
  '160000': 'a submodule, whose files belong to another repository',
}

/** Describes the kind of an entry that is not a regular file, as part of a sentence. */
export const kindOf = ({ mode }: Pick<ReaderEntry, 'mode'>): string => KINDS[mode] ?? 'not a regular file'

/**
 * Returns the text of a file that the structure needs. Returns null if the file does not exist, or (with a diagnostic)
 * if it is not a regular file or too large. Other failures of the reader are thrown: an I/O error must not look like an
 * empty table of contents.
 */
export async function findText(
  reader: TreeReader,
  path: string,
  diagnostics: Diagnostic[],
  maxBytes = MAX_STRUCTURE_BYTES,
): Promise<string | null> {
  const entry = await reader.entry(path)
  if (!entry) return null
  if (!isFile(entry)) {
    diagnostics.push({
      code: 'unreadable',
      message: `${path} is ${kindOf(entry)}, so it is ignored. Commit a regular file instead.`,
      file: path,
    })
    return null
  }
  const bytes = await readBounded(reader, entry.oid, maxBytes)
  if (bytes && bytes.byteLength <= maxBytes) return decodeText(bytes)
  diagnostics.push({
    code: 'unreadable',
    message: `${path} has more than ${maxBytes} bytes, so it is ignored. Split it into smaller files.`,
    file: path,
  })
  return null
}

/** Returns a blob's bytes; null if there are more than `maxBytes`. */
export async function readBounded(
  reader: Pick<TreeReader, 'read'>,
  oid: string,
  maxBytes: number,
): Promise<Uint8Array | null> {
  try {
    return await reader.read(oid, maxBytes)
  } catch (thrown) {
    // Check the name, because the class is in `git/`, which `content/` must not import.
    if (thrown instanceof Error && thrown.name === 'ObjectTooLarge') return null
    throw thrown
  }
}
