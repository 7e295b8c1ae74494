// Finds the lock files of refs.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RefMove } from '../types.js'

/** What Git writes before it renames it to `packed-refs`. It is no lock by its name, but Git does not write another one beside it. */
export const HALF_PACKED = 'packed-refs.new'

/** Existing lock files that prevent `moves`, as paths from the repository's root. */
export const locksInTheWay = (repository: string, moves: readonly RefMove[]): string[] =>
  [...moves.map(({ ref }) => `${ref}.lock`), 'HEAD.lock', 'packed-refs.lock'].filter((name) =>
    existsSync(join(repository, name)),
  )

/** All lock files of a repository, as paths from its root: in use, or left behind. Synchronous for the reason given at `mustBeSupported`. */
export function listLocks(repository: string): string[] {
  const top = readdirSync(repository).filter((name) => name.endsWith('.lock') || name === HALF_PACKED)
  const refs = (readdirSync(join(repository, 'refs'), { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.lock'),
  )
  return [...top, ...refs.map((name) => `refs/${name}`)].sort()
}
