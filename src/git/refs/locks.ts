import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RefMove } from '../types.js'

/** Whether some process holds a lock that `moves` need. */
export const isLocked = (repository: string, moves: readonly RefMove[]): boolean =>
  [...moves.map(({ ref }) => `${ref}.lock`), 'HEAD.lock', 'packed-refs.lock'].some((name) => existsSync(join(repository, name)))

/** Lock files in a repository, as paths from its root: of a process at work, or left behind. At once: see `mustBeSupported`. */
export function listLocks(repository: string): string[] {
  const top = readdirSync(repository).filter((name) => name.endsWith('.lock'))
  const refs = (readdirSync(join(repository, 'refs'), { recursive: true }) as string[]).filter((name) => name.endsWith('.lock'))
  return [...top, ...refs.map((name) => `refs/${name}`)].sort()
}
