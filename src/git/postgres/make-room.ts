/**
 * Frees disk space on a node: deletes the least recently used copies of repositories that the database contains
 * completely.
 */
import { readdir } from 'node:fs/promises'
import { bytesBelow, NAME, repositoryPath } from '../lifecycle/paths.js'
import { RefReader } from '../refs/reader.js'
import { Copy, type NodeServices } from './copy.js'
import { findDeviations } from './disk-refs.js'
import { movesBetween, readRefs } from './head.js'
import { KnownRefs } from './database-refs.js'
import type { NodeCopies } from './node-copies.js'
import { readState, stateChangedAt } from './node-state.js'
import type { SharedRepository } from './repository.js'

/**
 * Minimum idle time before a copy may be deleted, in milliseconds. An operation may have written objects to a recently
 * used copy that no ref names yet.
 */
export const MIN_IDLE_MS = 10 * 60_000

interface Room {
  services: NodeServices
  copies: NodeCopies
  /** Returns the copy of a repository. Its deletion waits there for other steps. */
  copyOf(name: string): SharedRepository
  minIdleMs: number
}

/**
 * Deletes idle copies until at least `bytes` bytes were freed, or no copy is left that may be deleted. Returns the number
 * of bytes freed. Throws `DatabaseAway`.
 */
export async function deleteIdleCopies(room: Room, bytes: number): Promise<number> {
  let freed = 0
  for (const name of await leastRecentlyUsed(room)) {
    if (freed >= bytes) break
    const shared = room.copyOf(name)
    freed += await shared.runExclusive(async () => {
      if (!shared.copy.isIdle(room.minIdleMs) || !(await isInDatabase(room.services, shared.copy))) return 0
      const size = await bytesBelow(shared.copy.path)
      await shared.startOver()
      await room.services.git.remove(name)
      return size
    })
  }
  return freed
}

/** Returns the idle copies on the disk. The copies that were not used since the start come first. */
async function leastRecentlyUsed({ services, copies, minIdleMs }: Room): Promise<string[]> {
  const { reposDir } = services.git
  const found: { name: string; usedAt: number; changedAt: number }[] = []
  for (const folder of await readdir(reposDir)) {
    const name = folder.replace(/\.git$/, '')
    if (name === folder || !NAME.test(name)) continue
    const changedAt = stateChangedAt(repositoryPath(reposDir, name))
    const copy = copies.find(name)?.copy
    if (changedAt === null || (copy && !copy.isIdle(minIdleMs))) continue
    found.push({ name, usedAt: copy?.usedAt ?? Number.NEGATIVE_INFINITY, changedAt })
  }
  return found
    .sort((a, b) => (a.usedAt === b.usedAt ? a.changedAt - b.changedAt : a.usedAt - b.usedAt))
    .map(({ name }) => name)
}

/**
 * Whether all refs on the disk have values from the database. A ref that was moved by hand may be the only one that
 * names its commit.
 */
async function isInDatabase({ database }: NodeServices, { name, path }: Copy): Promise<boolean> {
  const [state, all] = [readState(path), await readRefs(database, name)]
  const moves = state && all && (await movesBetween(database, name, state, all.head))
  if (!moves) return false
  const copy = new Copy(name, path)
  copy.expectNothing()
  copy.expectMoves(moves.flatMap((one) => one.moves))
  return findDeviations(new RefReader(path), new KnownRefs(all.refs).all()).every((one) => !copy.isForeign(one))
}
