/** Deletes copies of repositories from the disk of a node, the least recently used first: the database has everything that they contain. */
import { readdir } from 'node:fs/promises'
import { bytesBelow, NAME, repositoryPath } from '../lifecycle/paths.js'
import { RefReader } from '../refs/reader.js'
import { Copy, type NodeServices } from './copy.js'
import { deviations } from './disk-refs.js'
import { movesBetween, readRefs } from './head.js'
import { KnownRefs } from './database-refs.js'
import type { NodeCopies } from './node-copies.js'
import { readState, stateChangedAt } from './node-state.js'
import type { SharedRepository } from './repository.js'

/** A copy that was used more recently is kept: an operation may have written objects to it that no ref names yet. In milliseconds. */
export const MIN_IDLE_MS = 10 * 60_000

interface Room {
  services: NodeServices
  copies: NodeCopies
  /** The copy of a repository, through which its deletion waits for other steps. */
  copyOf(name: string): SharedRepository
  minIdleMs: number
}

/** Deletes copies until they had `bytes` in all, or no copy is left that may be deleted. Returns the bytes that it freed. Throws `DatabaseAway`. */
export async function deleteIdleCopies(room: Room, bytes: number): Promise<number> {
  let freed = 0
  for (const name of await leastRecentlyUsed(room)) {
    if (freed >= bytes) break
    const shared = room.copyOf(name)
    freed += await shared.turn(async () => {
      if (!shared.copy.isIdle(room.minIdleMs) || !(await isInDatabase(room.services, shared.copy))) return 0
      const size = await bytesBelow(shared.copy.path)
      await shared.startOver()
      await room.services.git.remove(name)
      return size
    })
  }
  return freed
}

/** The copies on the disk that are idle: first those that were not used since the start. */
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

/** Whether the database explains all refs on the disk. A ref that was moved by hand may be the only one that names its commit. */
async function isInDatabase({ database }: NodeServices, { name, path }: Copy): Promise<boolean> {
  const [state, all] = [readState(path), await readRefs(database, name)]
  const moves = state && all && (await movesBetween(database, name, state, all.head))
  if (!moves) return false
  const copy = new Copy(name, path)
  copy.expectNothing()
  copy.expectMoves(moves.flatMap((one) => one.moves))
  return deviations(new RefReader(path), new KnownRefs(all.refs).all()).every((one) => !copy.isForeign(one))
}
