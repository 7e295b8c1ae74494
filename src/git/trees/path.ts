// Tells which paths Git and file systems can have.
import { MAX_PATH_BYTES, nameFault } from '../../kernel/file-names.js'
import { InvalidPath } from '../errors.js'

/** Code points that HFS+ leaves out when it compares names (next_hfs_char in Git's utf8.c). */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether some file system takes the name for `.git`, by the rules of Git's own fsck (is_hfs_dotgit, is_ntfs_dotgit): HFS+
 * leaves code points out, NTFS drops trailing dots and spaces, takes ":" for the start of a stream's name, and calls the
 * folder `git~1` in short.
 */
export const isGitFolder = (name: string): boolean =>
  /^(?:\.git|git~1)[ .]*(?::.*)?$/is.test(name.replace(HFS_IGNORED, ''))

/** Why Git refuses a name wherever it is in a tree; null if it does not. */
export function whyRefusedByGit(name: string): string | null {
  if (name === '') return 'a name is empty'
  if (name === '.' || name === '..') return `"${name}" is not the name of a file`
  return isGitFolder(name) ? `"${name}" is a name of Git's own folder` : null
}

function reasonAgainst(name: string): string | null {
  const fault = nameFault(name)
  return fault === null ? whyRefusedByGit(name) : `a name has ${fault}`
}

/** A path's names. Throws `InvalidPath` for a path that must not be in a tree, on whatever file system it may be checked out. */
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

/** What two names have in common that differ only by case (or by Unicode composition). */
export const caseKey = (name: string): string => name.normalize('NFC').toLowerCase()
