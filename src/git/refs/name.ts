import type { RefName } from '../../kernel/ids.js'
import { GitError } from '../errors.js'

const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|[./]$|^\//
const MAX_BYTES = 1000

/** Whether `name` is a full ref name below `refs/` by the rules of git-check-ref-format(1), and short enough for a file system. */
export function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || FORBIDDEN.test(name) || Buffer.byteLength(name) > MAX_BYTES) return false
  const parts = name.split('/')
  return parts.length >= 3 && parts.every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= 240)
}

/** The name, checked. Throws `GitError`. */
export function refName(name: string): RefName {
  if (!isRefName(name)) throw new GitError(`${JSON.stringify(name)} is no ref name`)
  return name as RefName
}
