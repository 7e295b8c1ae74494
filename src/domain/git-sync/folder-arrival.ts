// Fetches a head of which only a folder is imported: by way of a scratch repository, so that the space gets nothing but the folder.
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
  /** The same commit here, if it is known already; null if the remote has no such folder. */
  theirs?: CommitId | null
}

/** What an earlier release made of a commit of the remote is not what is made of it now: the whole repository has to be read as it was then. */
export class MappedOtherwise extends Error {}

/** The log, if a folder is synced by way of a scratch repository; else null. A space that has the remote's commits, from earlier releases, goes on with these. */
export async function logForScratch(contact: Pick<Contact, 'space' | 'remote'>): Promise<SyncLog | null> {
  const { repo } = contact.space
  if (contact.remote.directory === '') return null
  const log = await readSyncLog(repo, contact.remote, requireMain(contact))
  return log.last !== null && (await repo.hasCommit(log.last.remote)) ? null : log
}

/** Whose scratch repository it is, and how long is waited for it. */
export const holdOf = ({ app, space }: Pick<Contact, 'app' | 'space'>) => ({
  owner: space.doc.organization,
  timeoutMs: app.settings.remoteTimeoutMs,
})

/**
 * Fetches the head for an import. Of a folder, only the commits that change it get into the repository of the space, with its files. Throws `RemoteError`.
 */
export async function fetchArrival(contact: Contact, hints: FetchHints = {}): Promise<FetchedHead> {
  const log = await logForScratch(contact)
  if (log === null) return { head: await fetchHead(contact, contact.remote.ref, hints) }
  try {
    const { head, theirs } = await fetchFolder(contact, contact.space.repo, log, { ref: contact.remote.ref, ...hints })
    return head === hints.known ? { head } : { head, theirs }
  } catch (error) {
    if (error instanceof MappedOtherwise) return { head: await fetchHead(contact) }
    throw error
  }
}

/** Fetches a ref by way of the scratch repository. Throws `RemoteError`, `MappedOtherwise`. */
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
    ...holdOf(contact),
  }
  const fetched = await during(contact.enter('fetching'), () => through.fetchFolder(connection, ref, order))
  if (fetched.outsidePaths !== null && !contact.preview && isLinkTo(space.doc.git, remote.key))
    await keepFilesBeside(contact.app, space, remote, fetched.outsidePaths)
  const before = mappedBefore(log)
  for (const [commit, theirs] of before) if ((fetched.find(commit) ?? theirs) !== theirs) throw new MappedOtherwise()
  return { ...fetched, theirs: fetched.theirs ?? before.get(fetched.head) ?? null }
}
