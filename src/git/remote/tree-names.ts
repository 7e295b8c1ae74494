const MAX_PATH_BYTES = 4096

const part = (name: string): string | null => {
  if (name === '') return 'has an empty part'
  if (name === '.' || name === '..') return 'has "." or ".." as a part'
  // `.git` as file systems read it that ignore case, trailing dots and spaces, streams, and characters without width.
  const folded = name
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
  return folded === '.git' || folded === 'git~1' ? 'is named like Git\'s own folder ".git"' : null
}

/** Why the server cannot hold a file of this name, or null. `bytes` as they stand in the tree, joined by `/`. */
export function unsafeName(bytes: Buffer): string | null {
  if (bytes.length > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  const path = bytes.toString('utf8')
  if (!Buffer.from(path).equals(bytes)) return 'is not written in UTF-8'
  if (/[\r\n]/.test(path)) return 'has a line break in its name'
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'has a control character in its name'
  if (path.includes('\\')) return 'has a backslash in its name'
  for (const name of path.split('/')) {
    const reason = part(name)
    if (reason) return reason
  }
  return null
}
