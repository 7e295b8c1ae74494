/** Makes the commit that an export pushes, with its message, author and co-authors, or finds an unconfirmed one. */
import type { FileChange, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { commitMessage, serviceSignature, signatureOf } from '../commits/make-commit.js'
import { overridesAt, pageIdsHeader } from '../revisions/identity.js'
import { type Credits, creditsOf, subjectOfOnlyRequest } from '../commits/credits.js'
import { nthParent, type RemoteSide, type Sided } from './remote-side.js'
import type { Sync } from './sync.js'
import type { Entry, SyncLog } from './log-entries.js'

/**
 * The parent of an export's commit: the remote head, and the equal local commit (`local`; null if the remote has no
 * such folder).
 */
export interface ExportBase {
  head: CommitId | null
  local: CommitId | null
  /** Set if `head` is a commit of this space that the remote does not have yet. */
  own?: true
}

/** Makes the commit of an export on top of the remote head. Its tree, or its folder, is main's tree. */
export async function exportCommit(
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  base: ExportBase,
): Promise<CommitId> {
  const { app, space, remote } = sync
  const { repo } = space
  const tree = (await repo.objects.commit(main)).tree
  const folder =
    remote.directory === ''
      ? { changes: [], tree }
      : { changes: await folderChanges(repo, sync.side, remote.directory, base.head, tree) }
  const overrides = await overridesAt(app, space, main)
  const { author, message } = await exportMessage(sync, log, main, base)
  return sync.side.commits.objects.write({
    parents: base.head === null ? [] : [base.head],
    ...folder,
    sign: true,
    message,
    author: signatureOf(app, author),
    committer: serviceSignature(app),
    headers: await pageIdsHeader(app, space, base.local ?? undefined, overrides),
  })
}

/** Returns the author and the message of an export's commit. All other authors since the last export are co-authors. */
export async function exportMessage(
  sync: Pick<Sync, 'space' | 'actor' | 'run'>,
  log: SyncLog,
  main: CommitId,
  base: ExportBase,
): Promise<{ author: Credits['author']; message: string }> {
  const { repo } = sync.space
  const recorded = log.syncPoints.findLast((syncPoint) => syncPoint.theirs === base.local)?.local
  const since = [log.last?.local, recorded, base.local].filter((commit): commit is CommitId => commit != null)
  const { author, others } = await creditsOf(repo, main, since, sync.actor.user)
  const subject = sync.run.message ?? (await subjectOfOnlyRequest(repo, main, since)) ?? defaultMessage(sync)
  return { author, message: commitMessage(subject, others.length > 0 ? { 'Co-authored-by': others } : {}) }
}

/** Returns the message of an export for which no message was chosen. */
export const defaultMessage = ({ space, run }: Pick<Sync, 'space' | 'run'>): string =>
  run.message ?? (run.connection === undefined ? 'Export' : `Update ${space.doc.title || 'the space'}`)

/** Returns the changes that make the folder equal to `tree` and leave everything else as it is. */
export async function folderChanges(
  repo: Repository,
  { commits }: RemoteSide,
  directory: string,
  head: CommitId | null,
  tree: TreeId,
): Promise<FileChange[]> {
  const empty = ((await repo.objects.tree(tree).list('')) ?? []).length === 0
  if (!empty) return [{ path: directory, tree }]
  const before = head === null ? null : await (await commits.objects.snapshot(head)).entry(directory)
  return before === null ? [] : [{ path: directory, delete: true }]
}

/**
 * Returns the entry of an unconfirmed push of the same content, onto the same remote commit and in the same mode.
 * Returns null if there is none, or if this run needs another message or author. The commit is pushed again unchanged,
 * because a new signature could give it another ID.
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
