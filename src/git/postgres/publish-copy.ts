/**
 * Publishes ref moves from the copy of a node: finds the objects that the database lacks, packs them, and makes the
 * moves there.
 */
import { required } from '../../kernel/defined.js'
import { type CommitId, asOid } from '../../kernel/ids.js'
import type { Fence } from '../../kernel/lease.js'
import type { RefMove } from '../types.js'
import type { Copy, NodeServices } from './copy.js'
import { findNewObjects } from './new-objects.js'
import { type NewPack, packByGit, packOf } from './new-pack.js'
import { publish, type Published } from './publish.js'

const MAIN = 'refs/heads/main'

export interface OwnMoves {
  moves: readonly RefMove[]
  reason: string
  fence: Fence | null
}

/** Makes the moves in the database. The copy does not change. Throws what `publish` throws. */
export async function publishFrom(
  { database, notifyNodes }: NodeServices,
  copy: Copy,
  own: OwnMoves,
): Promise<Published> {
  const known = required(copy.head)
  const { pack, commits } = await packFor(copy, own.moves)
  try {
    const made = await publish(database, { ...own, name: copy.name, pack, known })
    notifyNodes(copy.name)
    copy.refs.notePublished(commits)
    return made
  } finally {
    await pack?.remove()
  }
}

/** Returns the pack of objects that the database lacks, and the commits that are known to be in it. */
async function packFor(
  copy: Copy,
  moves: readonly RefMove[],
): Promise<{ pack: NewPack | null; commits: readonly string[] }> {
  const { path, objects, launcher } = copy.disk.parts
  const tips = [...new Set(moves.flatMap(({ to }) => (to === null || copy.refs.isPublished(to) ? [] : [to])))]
  if (tips.length === 0) return { pack: null, commits: [] }
  const found = await findNewObjects(objects, tips, (commit) => copy.refs.isPublished(asOid(commit)))
  if (found) return { pack: found.objects.length === 0 ? null : await packOf(found.objects), commits: found.commits }
  const fresh = await beyondMain(copy, tips)
  return {
    pack: fresh.length === 0 ? null : await packByGit({ path, launcher }, fresh, copy.refs.values()),
    commits: tips,
  }
}

/** Returns the tips that main does not contain. An old revision of main is recognized in memory. */
async function beyondMain(copy: Copy, tips: readonly CommitId[]): Promise<CommitId[]> {
  const main = copy.refs.get(MAIN)
  if (main === null) return [...tips]
  const beyond: CommitId[] = []
  for (const tip of tips)
    if (!(await copy.disk.objects.hasCommit(tip)) || !(await copy.disk.history.isAncestor(tip, main))) beyond.push(tip)
  return beyond
}
