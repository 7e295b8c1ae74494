// Fetches a head for an import of one folder through a scratch repository, so the space receives only the folder.
import type { FetchedFolder, FolderScratch, Repository } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { requireMain } from './apply-arrival.js'
import { keepFilesBeside } from '../revisions/outside-files.js'
import { folderCommit, mappedBefore } from './directory.js'
import { isLinkTo } from './remote.js'
import { type Contact, during, type FetchHints, fetchHead, fetchLimits } from './sync.js'
import { readSyncLog } from './sync-log.js'
import type { SyncLog } from './log-entries.js'

/** A fetched head. */
export interface FetchedHead {
  head: CommitId
  /** The equal local commit, if it is already known; null if the remote has no such folder. */
  theirs?: CommitId | null
}

/** An earlier release mapped a commit of the remote differently. The whole repository must be read as before. */
export class MappingChanged extends Error {}

/**
 * Returns the log if a folder is synced through a scratch repository; otherwise null. A space that has the remote's
 * commits from an earlier release continues to use them.
 */
export async function logForScratch(contact: Pick<Contact, 'space' | 'remote'>): Promise<SyncLog | null> {
  const { repo } = contact.space
  if (contact.remote.directory === '') return null
  const log = await readSyncLog(repo, contact.remote, requireMain(contact))
  return log.last !== null && (await repo.hasCommit(log.last.remote)) ? null : log
}

/** The owner of the scratch repository, and the maximum time to wait for it. */
export const scratchOptions = ({ app, space }: Pick<Contact, 'app' | 'space'>) => ({
  owner: space.doc.organization,
  timeoutMs: app.settings.remoteTimeoutMs,
})

/**
 * Fetches the head for an import. If a folder is synced, the space's repository receives only the commits that change
 * the folder, with its files. Throws `RemoteError`.
 */
export async function fetchArrival(contact: Contact, hints: FetchHints = {}): Promise<FetchedHead> {
  const log = await logForScratch(contact)
  if (log === null) return { head: await fetchHead(contact, contact.remote.ref, hints) }
  try {
    const { head, theirs } = await fetchFolder(contact, contact.space.repo, log, { ref: contact.remote.ref, ...hints })
    return head === hints.known ? { head } : { head, theirs }
  } catch (error) {
    if (error instanceof MappingChanged) return { head: await fetchHead(contact) }
    throw error
  }
}

/** Fetches a ref through the scratch repository. Throws `RemoteError`, `MappingChanged`. */
export async function fetchFolder(
  contact: Contact,
  through: Pick<Repository | FolderScratch, 'fetchFolder'>,
  log: SyncLog,
  { ref, known, mapped }: { ref: RefName } & FetchHints,
): Promise<FetchedFolder> {
  const { space, remote, connection } = contact
  const have = new Set<CommitId>([requireMain(contact)])
  for (const { theirs } of log.entries) if (await space.repo.hasCommit(theirs)) have.add(theirs)
  const order = {
    directory: remote.directory,
    have: [...have],
    folderCommit,
    ...fetchLimits(contact, known),
    ...(mapped ? { mapped } : {}),
    ...scratchOptions(contact),
  }
  const fetched = await during(contact.enter('fetching'), () => through.fetchFolder(connection, ref, order))
  if (fetched.outsidePaths !== null && !contact.preview && isLinkTo(space.doc.git, remote.key))
    await keepFilesBeside(contact.app, space, remote, fetched.outsidePaths)
  const before = mappedBefore(log)
  for (const [commit, theirs] of before) if ((fetched.find(commit) ?? theirs) !== theirs) throw new MappingChanged()
  return { ...fetched, theirs: fetched.theirs ?? before.get(fetched.head) ?? null }
}
