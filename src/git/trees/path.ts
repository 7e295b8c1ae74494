import { InvalidPath } from '../errors.js'

const MAX_SEGMENT = 255
const MAX_PATH = 4096
const CONTROL = /[\u0000-\u001f\u007f\\]/
/** Code points that HFS+ leaves out when it compares names (utf8.c, next_hfs_char). */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
/** Names of Git's own folder and files on some file system; NTFS drops trailing dots and spaces, and `:` opens a stream. */
const RESERVED = /^(\.git|git~\d+)$/
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

const folded = (segment: string): string =>
  segment
    .replace(HFS_IGNORED, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')

function reasonAgainst(segment: string): string | null {
  if (segment === '') return 'a name is empty'
  if (segment === '.' || segment === '..') return `"${segment}" is no name`
  if (CONTROL.test(segment)) return 'a name holds a control character or a backslash'
  if (LONE_SURROGATE.test(segment)) return 'a name is no valid Unicode'
  if (Buffer.byteLength(segment) > MAX_SEGMENT) return `a name is longer than ${MAX_SEGMENT} bytes`
  if (RESERVED.test(folded(segment))) return 'the name belongs to Git'
  return null
}

/** A path's names. Throws `InvalidPath` for what must not stand in a tree, on whatever file system it may be checked out. */
export function splitPath(path: string): string[] {
  if (Buffer.byteLength(path) > MAX_PATH) throw new InvalidPath(`${path.slice(0, 100)}…`, `it is longer than ${MAX_PATH} bytes`)
  const segments = path.split('/')
  for (const segment of segments) {
    const reason = reasonAgainst(segment)
    if (reason) throw new InvalidPath(path, reason)
  }
  return segments
}

/** What two names have in common that differ by case (or by Unicode composition) alone. */
export const caseKey = (name: string): string => name.normalize('NFC').toLowerCase()
