/** Finds the remote commits from which revisions of a space were imported, or as which they were exported. */
import type { CommitId } from '../../kernel/ids.js'
import type { LoadedSpace } from '../context/loaded.js'
import { isExport, isKnown, logRef, readEntries } from './log-entries.js'

type Linked = Pick<LoadedSpace, 'doc' | 'repo'>

/**
 * Returns the commit with the sync log of the linked repository. Together with the revision, it determines all results
 * of this module.
 */
export const remoteLogOf = ({ doc, repo }: Linked): CommitId | null =>
  doc.git === undefined ? null : repo.refs.head(logRef(doc.git))

/**
 * Returns a function that finds the remote commit of a revision: the one that it was imported from or exported as, or
 * the revision itself if the history of the remote contains it. It returns null for a revision that the repository does
 * not have. For a synced folder, the log names only the heads of imports and exports, and not the commits between them.
 */
export async function remoteCommits(space: Linked): Promise<(revision: CommitId) => Promise<CommitId | null>> {
  const log = remoteLogOf(space)
  if (log === null) return async () => null
  const all = readEntries((await space.repo.objects.commit(log)).message)
  const dropped = new Set<string>(all.filter(({ kind }) => kind === 'dropped').map(({ remote }) => remote))
  const entries = all.filter((entry) => isKnown(entry) && !dropped.has(entry.remote))
  const byRevision = new Map<string, CommitId>()
  for (const entry of entries)
    for (const revision of [entry.theirs, entry.local, ...(isExport(entry) ? [] : [entry.anchor])])
      byRevision.set(revision, entry.remote)
  const heads = new Set(entries.filter(({ remote, theirs }) => remote === theirs).map(({ remote }) => remote))
  return async (revision) => {
    const known = byRevision.get(revision)
    if (known !== undefined) return known
    for (const head of [...heads].reverse())
      if ((await space.repo.objects.hasCommit(head)) && (await space.repo.history.isAncestor(revision, head)))
        return revision
    return null
  }
}
