/** Makes the commit that an export pushes: its tree, parent, message, author and co-authors. */
import type { FileChange, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { commitMessage, serviceSignature, signatureOf } from '../commits/make-commit.js'
import { overridesAt, pageIdsHeader } from '../revisions/identity.js'
import { coAuthors } from '../commits/co-authors.js'
import type { RemoteSide, Sided } from './remote-side.js'
import { isAutomatic, type Sync } from './sync.js'
import type { SyncLog } from './log-entries.js'

/** Most co-authors of one commit. */
export const MAX_CO_AUTHORS = 50

/** The parent of an export's commit: the remote's head, and the same commit here (`local`; null = the remote has no such folder). */
export interface ExportBase {
  head: CommitId | null
  local: CommitId | null
  /** Set if `head` is a commit of this space that the remote does not have yet. */
  own?: true
}

/**
 * Makes the commit of an export: on top of the remote's head, with main's tree (or with main's tree as the folder), the caller's message, the caller as
 * author (of a run that nobody asked for: whoever wrote last), and everybody else who wrote since the last export as co-author.
 */
export async function exportCommit(sync: Sided<Sync>, log: SyncLog, main: CommitId, ground: ExportBase): Promise<CommitId> {
  const { app, space, actor, remote, run } = sync
  const { repo } = space
  const tree = (await repo.commit(main)).tree
  const folder = remote.directory === '' ? { changes: [], tree } : { changes: await folderChanges(repo, sync.side, remote.directory, ground.head, tree) }
  const recorded = log.pairs.findLast((pair) => pair.theirs === ground.local)?.local
  const since = [log.last?.local, recorded, ground.local].filter((commit): commit is CommitId => commit != null)
  const named = await coAuthors(repo, main, since, actor.user)
  const { author, others } = isAutomatic(run) ? newestFirst(named, actor.user) : { author: actor.user, others: named }
  const overrides = await overridesAt(app, space, main)
  return sync.side.commits.write({
    parents: ground.head === null ? [] : [ground.head],
    ...folder,
    sign: true,
    message: commitMessage(run.message ?? 'Export', others.length > 0 ? { 'Co-authored-by': others.slice(0, MAX_CO_AUTHORS) } : {}),
    author: signatureOf(app, author),
    committer: serviceSignature(app),
    headers: await pageIdsHeader(app, space, ground.local ?? undefined, overrides),
  })
}

type Person = Parameters<typeof signatureOf>[1]

/** The first of those who wrote, the newest first, as the author; the service if nobody did. */
export function newestFirst(named: readonly string[], service: Person): { author: Person; others: readonly string[] } {
  const [, displayName, email] = /^(.*) <([^<>]*)>$/.exec(named[0] ?? '') ?? []
  return displayName === undefined || email === undefined ? { author: service, others: named } : { author: { displayName, email }, others: named.slice(1) }
}

/** The changes that make the folder equal to `tree` and leave everything else as it is. */
export async function folderChanges(repo: Repository, { commits }: RemoteSide, directory: string, head: CommitId | null, tree: TreeId): Promise<FileChange[]> {
  const empty = ((await repo.tree(tree).list('')) ?? []).length === 0
  if (!empty) return [{ path: directory, tree }]
  const before = head === null ? null : await (await commits.at(head)).entry(directory)
  return before === null ? [] : [{ path: directory, delete: true }]
}
