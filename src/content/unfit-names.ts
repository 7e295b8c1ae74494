import type { Diagnostic } from '../kernel/diagnostic.js'

const MAX_PATH_BYTES = 4096
const MAX_NAME_BYTES = 255

/** Why a file of this path can be neither a page nor linked, or null. It stays in the repository as it is. */
function reasonAgainst(path: string): string | null {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  if (/[\r\n]/.test(path)) return 'has a line break in its name'
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'has a control character in its name'
  if (path.includes('\\')) return 'has a backslash in its name'
  // Bytes that are no UTF-8 are read as this character.
  if (path.includes('\ufffd')) return 'has a name that is not written in UTF-8'
  return path.split('/').some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES) ? `has a name longer than ${MAX_NAME_BYTES} bytes` : null
}

/** The files whose names are fit for pages, and a diagnostic for each of the others. */
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
