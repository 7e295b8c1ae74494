/** Checks ref names, for local use and for requests to a remote. */
import type { RefName } from '../../kernel/ids.js'
import { GitError, RemoteError } from '../errors.js'

const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|[./]$|^\//
const MAX_BYTES = 1000
const MAX_PART_BYTES = 240

/**
 * Whether `name` is a full ref name below `refs/` according to git-check-ref-format(1), and short enough for a file
 * system.
 */
export function isRefName(name: string): name is RefName {
  if (!name.startsWith('refs/') || FORBIDDEN.test(name) || Buffer.byteLength(name) > MAX_BYTES) return false
  const parts = name.split('/')
  return (
    parts.length >= 3 &&
    parts.every(
      (part) =>
        part !== '' && !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= MAX_PART_BYTES,
    )
  )
}

/**
 * Whether `name` is a ref name that may be requested from a remote: no part starts with "-", so no program can mistake
 * it for an option.
 */
export const isRemoteRefName = (name: string): name is RefName => isRefName(name) && !name.includes('/-')

/** Throws `GitError` unless `name` is a ref name. */
export function requireRefName(name: string): asserts name is RefName {
  if (!isRefName(name)) throw new GitError(`${JSON.stringify(name)} is not a ref name such as "refs/heads/main"`)
}

/** Throws `RemoteError` 'missing-ref' unless `name` is a ref name that may be requested from a remote. */
export function requireRemoteRefName(name: string): asserts name is RefName {
  if (!isRemoteRefName(name))
    throw new RemoteError('missing-ref', 'The ref is not a valid name such as "refs/heads/main".')
}
