// Finds the lock files of refs.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RefMove } from '../types.js'

/**
 * The file that Git writes before it renames it to `packed-refs`. It is not named like a lock, but blocks other Git
 * processes that pack refs.
 */
export const HALF_PACKED = 'packed-refs.new'

/** Returns the existing lock files that block `moves`, as paths from the repository's root. */
export const locksInTheWay = (repository: string, moves: readonly RefMove[]): string[] =>
  [...moves.map(({ ref }) => `${ref}.lock`), 'HEAD.lock', 'packed-refs.lock'].filter((name) =>
    existsSync(join(repository, name)),
  )

/**
 * Returns all lock files of a repository, as paths from its root: in use or left behind. Synchronous for the reason
 * stated at `mustBeSupported`.
 */
export function listLocks(repository: string): string[] {
  const top = readdirSync(repository).filter((name) => name.endsWith('.lock') || name === HALF_PACKED)
  const refs = readdirSync(join(repository, 'refs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.lock'),
  )
  return [...top, ...refs.map((name) => `refs/${name}`)].sort()
}
