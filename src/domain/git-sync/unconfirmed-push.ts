/**
 * Finds an unconfirmed push of the same export. Its commit is pushed again unchanged, because a new signature could
 * give the commit another ID.
 */
import type { CommitId } from '../../kernel/ids.js'
import { type ExportBase, exportMessage } from './export-commit.js'
import type { Entry, SyncLog } from './log-entries.js'
import { nthParent, type Sided } from './remote-side.js'
import type { Sync } from './sync.js'

/**
 * Returns the entry of an unconfirmed push of the same content, onto the same remote commit and in the same mode.
 * Returns null if there is none, or if this run needs another message or author.
 */
export async function findUnconfirmedPush(
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  { base, asSeries }: { base: ExportBase; asSeries: boolean },
): Promise<Entry | null> {
  const { remote } = sync
  const { commits } = sync.side
  for (const entry of [...log.syncPoints].reverse()) {
    if (
      entry.kind !== 'offered' ||
      entry.ref !== remote.ref ||
      entry.anchor !== main ||
      (entry.seriesLength !== undefined) !== asSeries
    )
      continue
    // If the commit is missing, make a new one.
    if (!(await commits.objects.hasCommit(entry.remote))) continue
    if ((await nthParent(commits.objects, entry.remote, entry.seriesLength ?? 1)) !== base.head) continue
    if (asSeries) return entry
    const { message, author } = await commits.objects.commit(entry.remote)
    const wanted = await exportMessage(sync, log, main, base)
    if (author.email === wanted.author.email && message === wanted.message) return entry
  }
  return null
}
