// Checks which paths Git and file systems accept.
import { MAX_PATH_BYTES, nameFault } from '../../kernel/file-names.js'
import { InvalidPath } from '../errors.js'

/** Code points that HFS+ ignores when it compares names (next_hfs_char in Git's utf8.c). */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether some file system treats the name as `.git`, by the rules of Git's own fsck (is_hfs_dotgit, is_ntfs_dotgit).
 * HFS+ ignores code points. NTFS drops trailing dots and spaces, interprets ":" as the start of a stream's name, and
 * uses `git~1` as the short name of the folder.
 */
export const isGitFolder = (name: string): boolean =>
  /^(?:\.git|git~1)[ .]*(?::.*)?$/is.test(name.replace(HFS_IGNORED, ''))

/** Returns the reason why Git rejects a name anywhere in a tree; null if Git accepts it. */
export function whyRefusedByGit(name: string): string | null {
  if (name === '') return 'a name is empty'
  if (name === '.' || name === '..') return `"${name}" is not the name of a file`
  return isGitFolder(name) ? `"${name}" is a name of Git's own folder` : null
}

function reasonAgainst(name: string): string | null {
  const fault = nameFault(name)
  return fault === null ? whyRefusedByGit(name) : `a name has ${fault}`
}

/**
 * Returns the names in a path. Throws `InvalidPath` for a path that must not be in a tree, on any file system where it
 * may be checked out.
 */
export function splitPath(path: string): string[] {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new InvalidPath(`${path.slice(0, 100)}…`, `it is longer than ${MAX_PATH_BYTES} bytes`)
  const names = path.split('/')
  for (const name of names) {
    const reason = reasonAgainst(name)
    if (reason) throw new InvalidPath(path, reason)
  }
  return names
}

/** Returns a key that two names share if they differ only by case (or by Unicode composition). */
export const caseKey = (name: string): string => name.normalize('NFC').toLowerCase()
