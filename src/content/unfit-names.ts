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

/** Separates files whose paths can be used from the others, with a diagnostic for each of these. */
export function sortOutUnfit(paths: readonly string[]): { fit: string[]; diagnostics: Diagnostic[] } {
  const fit: string[] = []
  const diagnostics: Diagnostic[] = []
  for (const path of paths) {
    const reason = reasonAgainst(path)
    if (reason === null) fit.push(path)
    else {
      const shown = JSON.stringify([...path].slice(0, 300).join(''))
      diagnostics.push({ code: 'unsupported-entry', message: `The file ${shown} ${reason}, so it is not shown. Rename it in Git.`, file: path })
    }
  }
  return { fit, diagnostics }
}
