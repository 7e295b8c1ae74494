// Detects file names that no page can have.
import type { Diagnostic } from '../kernel/diagnostic.js'
import { MAX_PATH_BYTES, nameFault } from '../kernel/file-names.js'

/**
 * Returns the reason why the file at `path` can be neither a page nor a link target; null if it can. Such a file stays
 * in the repository but is not shown.
 */
function reasonAgainst(path: string): string | null {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `has a path longer than ${MAX_PATH_BYTES} bytes`
  for (const name of path.split('/')) {
    const fault = nameFault(name)
    if (fault !== null) return `has ${fault} in its name`
  }
  return null
}

/** Returns the diagnostic for a file whose path cannot be used; null if it can be used. */
export function unfitName(path: string): Diagnostic | null {
  const reason = reasonAgainst(path)
  if (reason === null) return null
  const shown = JSON.stringify([...path].slice(0, 300).join(''))
  return {
    code: 'unsupported-entry',
    message: `The file ${shown} ${reason}, so it is not shown. Rename it in Git.`,
    file: path,
  }
}
