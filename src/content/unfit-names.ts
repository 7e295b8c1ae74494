import type { Diagnostic } from '../kernel/diagnostic.js'

const MAX_PATH_BYTES = 4096
const MAX_NAME_BYTES = 255

/** Why the file at a path can neither be a page nor be linked to; null if it can. Such a file is kept in the repository, but not shown. */
function reasonAgainst(path: string): string | null {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  if (/[\r\n]/.test(path)) return 'has a line break in its name'
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'has a control character in its name'
  if (path.includes('\\')) return 'has a backslash in its name'
  // Bytes that are not valid UTF-8 are decoded as this character.
  if (path.includes('\ufffd')) return 'has a name that is not valid UTF-8'
  return path.split('/').some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES) ? `has a name longer than ${MAX_NAME_BYTES} bytes` : null
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
