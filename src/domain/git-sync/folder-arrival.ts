// Fetches a head for an import of one folder through a scratch repository, so the space receives only the folder.
import type { FetchedFolder, FolderScratch } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { withPackLimit } from '../context/quotas.js'
import { keepFilesBeside } from '../revisions/outside-files.js'
import { folderCommit, mappedBefore } from './directory.js'
import { isLinkTo } from './remote.js'
import { type Contact, type FetchHints, fetchHead, fetchLimits } from './sync.js'
import { openState } from './sync-log.js'

/** A fetched head. */
export interface FetchedHead {
  head: CommitId
  /** The equal local commit; null if the remote has no such folder. */
  theirs: CommitId | null
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
  const { space, remote } = contact
  if (remote.directory === '') {
    const head = await fetchHead(contact, remote.ref, hints)
    return { head, theirs: head }
  }
  const { head, theirs } = await fetchFolder(contact, space.repo.remote, { ref: remote.ref, ...hints })
  return { head, theirs }
}

/** Fetches a ref through the scratch repository. Throws `RemoteError`. */
export async function fetchFolder(
  contact: Contact,
  through: Pick<FolderScratch['remote'], 'fetchFolder'>,
  { ref, known, mapped }: { ref: RefName } & FetchHints,
): Promise<FetchedFolder> {
  const { space, remote, connection } = contact
  const { main, log } = await openState(contact)
  const have = new Set<CommitId>([main])
  for (const { theirs } of log.entries) if (await space.repo.objects.hasCommit(theirs)) have.add(theirs)
  const order = {
    directory: remote.directory,
    have: [...have],
    folderCommit,
    ...(await fetchLimits(contact, known)),
    ...(mapped ? { mapped } : {}),
    ...scratchOptions(contact),
  }
  const fetched = await contact.within('fetching', () =>
    withPackLimit(contact.app, space.doc.organization, (maxPackBytes) =>
      through.fetchFolder(connection, ref, { ...order, maxPackBytes }),
    ),
  )
  if (fetched.outsidePaths !== null && !contact.preview && isLinkTo(space.doc.git, remote.key))
    await keepFilesBeside(contact.app, space, remote, fetched.outsidePaths)
  return { ...fetched, theirs: fetched.theirs ?? mappedBefore(log).get(fetched.head) ?? null }
}
