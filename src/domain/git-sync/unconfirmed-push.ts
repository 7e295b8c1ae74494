/** Finds an export that was begun before and may have arrived: it is pushed again as it is, since a signature may make the same commit another one. */
import type { CommitId } from '../../kernel/ids.js'
import { type ExportBase, exportWords } from './export-commit.js'
import type { Entry, SyncLog } from './log-entries.js'
import { nthParent, type Sided } from './remote-side.js'
import type { Sync } from './sync.js'

/**
 * The entry of a push of the same content, onto the same commit of the remote and in the same way, of which nobody knows whether it arrived. Null if there is none,
 * or if this run is to say something else.
 */
export async function findOffered(
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  { ground, inRow }: { ground: ExportBase; inRow: boolean },
): Promise<Entry | null> {
  const { remote } = sync
  const { commits } = sync.side
  for (const entry of [...log.pairs].reverse()) {
    if (
      entry.kind !== 'offered' ||
      entry.ref !== remote.ref ||
      entry.anchor !== main ||
      (entry.row !== undefined) !== inRow
    )
      continue
    // What is not there any more is made again.
    if (!(await commits.hasCommit(entry.remote))) continue
    if ((await nthParent(commits, entry.remote, entry.row ?? 1)) !== ground.head) continue
    if (inRow) return entry
    const { message, author } = await commits.commit(entry.remote)
    const wanted = await exportWords(sync, log, main, ground)
    if (author.email === wanted.author.email && message === wanted.message) return entry
  }
  return null
}
