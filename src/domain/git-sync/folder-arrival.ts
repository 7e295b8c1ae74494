// Fetches a head of which only a folder is imported: by way of a scratch repository, so that the space gets nothing but the folder.
import type { CommitId } from '../../kernel/ids.js'
import { folderCommit, mappedBefore } from './directory.js'
import { type Contact, during, type FetchHints, fetchHead, fetchLimits } from './sync.js'
import { readSyncLog } from './sync-log.js'
import { requireMain } from './apply-arrival.js'

/** A fetched head. */
export interface FetchedHead {
  head: CommitId
  /** The same commit here, if it is known already; null if the remote has no such folder. */
  theirs?: CommitId | null
}

/**
 * Fetches the head for an import. Of a folder, only the commits that change it get into the repository of the space, with its files; but a space that has
 * exported to the remote has the remote's commits, and goes on with these. Throws `RemoteError`.
 */
export async function fetchArrival(contact: Contact, hints: FetchHints = {}): Promise<FetchedHead> {
  const { space, remote, connection } = contact
  const { repo } = space
  const { known } = hints
  if (remote.directory === '') return { head: await fetchHead(contact, remote.ref, hints) }
  const log = await readSyncLog(repo, remote, requireMain(contact))
  if (log.last !== null && (await repo.hasCommit(log.last.remote))) return { head: await fetchHead(contact, remote.ref, hints) }
  const have = new Set<CommitId>([requireMain(contact)])
  for (const { theirs } of log.entries) if (await repo.hasCommit(theirs)) have.add(theirs)
  const fetched = () =>
    repo.fetchFolder(connection, remote.ref, {
      directory: remote.directory,
      owner: space.doc.organization,
      have: [...have],
      folderCommit,
      ...fetchLimits(contact, known),
    })
  const { head, theirs, find } = await during(contact.enter('fetching'), fetched)
  if (head === known) return { head }
  // What was mapped by an earlier release counts: if it is not the same, the whole repository is read as it was then.
  for (const [commit, before] of mappedBefore(log)) if ((find(commit) ?? before) !== before) return { head: await fetchHead(contact) }
  return { head, theirs }
}
