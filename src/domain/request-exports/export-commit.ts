/** Creates the commit for the host's branch: the content of the change request on top of the host's commits. */
import { type FileChange, GitError, type MergeOutcome } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { users } from '../../model/index.js'
import { creditsOf } from '../commits/credits.js'
import { commitMessage, serviceSignature, signatureOf } from '../commits/make-commit.js'
import { SyncFailure } from '../git-sync/failure.js'
import type { RemoteSide, Sided } from '../git-sync/remote-side.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { overridesAt, pageIdsHeader } from '../revisions/identity.js'
import { headOf } from '../revisions/main-content.js'
import type { Export } from './poll-context.js'
import { defined, required } from '../../kernel/defined.js'

/**
 * Creates the commit for the current head. Its parents are the head of the host's branch (`on`) and, if the change
 * request contains newer commits of the base branch, the newest of those. Returns `on` itself if it has the same
 * content. Throws `SyncFailure` if the change request has no common history with the host.
 */
export async function exportCommit(all: Sided<Export>, on: CommitId | null): Promise<CommitId> {
  const { app, space, remote, request, head, actor, side } = all
  const { repo } = space
  const log = await readSyncLog(repo, remote, head)
  const base = log.last?.remote ?? (await commonWithMain(all))
  const parents = await parentsOf(side, on, base)
  const [first] = parents
  if (first === undefined)
    throw new SyncFailure(
      'The change request contains no commits of the repository yet. Run the connection, then update the change request from main.',
    )
  const tree = (await repo.objects.commit(head)).tree
  const content =
    remote.directory === '' ? { changes: [], tree } : await inFolder(side, remote.directory, parents, tree)
  if (parents.length === 1 && first === on && (await hasContent(side, remote.directory, on, tree))) return on
  const creator = (await app.store.get(users, request.createdBy)) ?? actor.user
  const local = await side.local(log, first)
  const since = [local, log.last?.local].filter((one) => one != null)
  const { author, others } = await creditsOf(repo, head, since, creator)
  const words = [titleOf(request), request.description ?? ''].join('\n\n')
  return side.commits.objects.write({
    parents: content.parents ?? parents,
    sign: true,
    changes: content.changes,
    ...defined({ tree: content.tree }),
    message: commitMessage(words, others.length > 0 ? { 'Co-authored-by': others } : {}),
    author: signatureOf(app, author),
    committer: serviceSignature(app),
    headers: await pageIdsHeader(app, space, local ?? undefined, await overridesAt(app, space, head)),
  })
}

/**
 * Finds the newest commit of the host's branch in the history of the change request if the log no longer has one. Log
 * entries from before a change request are removed once newer ones contain them. Null for a folder, whose commits here
 * differ from the host's.
 */
async function commonWithMain({ space, remote, head }: Export): Promise<CommitId | null> {
  const theirs =
    remote.directory === '' ? (await readSyncLog(space.repo, remote, headOf(space))).last?.theirs : undefined
  return theirs === undefined ? null : space.repo.history.mergeBase(head, theirs)
}

/** Returns the title for commits and pull requests. */
export const titleOf = ({ subject, number }: { subject: string; number: number }): string =>
  subject.trim() || `Change request #${number}`

async function parentsOf({ commits }: RemoteSide, on: CommitId | null, base: CommitId | null): Promise<CommitId[]> {
  if (on === null) return base === null ? [] : [base]
  return base === null || (await commits.history.isAncestor(base, on)) ? [on] : [on, base]
}

async function hasContent({ commits }: RemoteSide, directory: string, on: CommitId, tree: TreeId): Promise<boolean> {
  if (directory === '') return (await commits.objects.commit(on)).tree === tree
  return (await (await commits.objects.snapshot(on)).entry(directory))?.oid === tree
}

interface Content {
  parents?: CommitId[]
  changes: FileChange[]
  tree?: TreeId
}

/**
 * Places the content in the folder of a repository. Files outside the folder are merged. If they conflict, the newer
 * commits of the base branch are left out.
 */
async function inFolder(
  { commits, usesScratch: partial }: RemoteSide,
  directory: string,
  parents: readonly CommitId[],
  tree: TreeId,
): Promise<Content> {
  const changes: FileChange[] = [{ path: directory, tree }]
  const [first, base] = parents
  const on = required(first)
  if (base === undefined) return { changes }
  const merged = await mergeOutside(commits, partial, on, base)
  if (merged === null) return { changes, parents: [on] }
  const beside = merged.clean ? [] : merged.conflicts.filter(({ path }) => !path.startsWith(`${directory}/`))
  return beside.length === 0 ? { changes, tree: merged.tree } : { changes, parents: [on] }
}

/**
 * Merges the files outside the folder. Null if both sides changed the same files and only the remote has their content.
 */
async function mergeOutside(
  commits: RemoteSide['commits'],
  partial: boolean,
  ours: CommitId,
  theirs: CommitId,
): Promise<MergeOutcome | null> {
  try {
    return await commits.trees.merge({ ours, theirs })
  } catch (error) {
    if (partial && error instanceof GitError) return null
    throw error
  }
}
