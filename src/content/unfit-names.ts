// Tells names of files that no page can have.
import type { Diagnostic } from '../kernel/diagnostic.js'
import { MAX_PATH_BYTES, nameFault } from '../kernel/file-names.js'

/** Why the file at `path` can neither be a page nor be linked to; null if it can. Such a file is kept in the repository, but not shown. */
function reasonAgainst(path: string): string | null {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `has a path longer than ${MAX_PATH_BYTES} bytes`
  for (const name of path.split('/')) {
    const fault = nameFault(name)
    if (fault !== null) return `has ${fault} in its name`
  }
  return null
}

/** The diagnostic for a file whose path cannot be used; null if it can. */
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
