/** Makes the commit that the host's branch gets: the content of the change request, on top of what the host has. */
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

/**
 * The commit for the present head. Its parents are the head of the host's branch (`on`) and, if the change request has taken in newer commits of the base
 * branch, the newest of those. Returns `on` itself if that has all of it. Throws `SyncFailure` if the change request has nothing in common with the host.
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
      'The change request has no content of the repository yet. Run the connection, then update the change request from main.',
    )
  const tree = (await repo.commit(head)).tree
  const content =
    remote.directory === '' ? { changes: [], tree } : await inFolder(side, remote.directory, parents, tree)
  if (parents.length === 1 && first === on && (await isThere(side, remote.directory, on, tree))) return on
  const creator = (await app.store.get(users, request.createdBy)) ?? actor.user
  const local = await side.local(log, first)
  const since = [local, log.last?.local].filter((one) => one != null)
  const { author, others } = await creditsOf(repo, head, since, creator)
  const words = [titleOf(request), request.description ?? ''].join('\n\n')
  return side.commits.write({
    parents: content.parents ?? parents,
    sign: true,
    changes: content.changes,
    ...(content.tree === undefined ? {} : { tree: content.tree }),
    message: commitMessage(words, others.length > 0 ? { 'Co-authored-by': others } : {}),
    author: signatureOf(app, author),
    committer: serviceSignature(app),
    headers: await pageIdsHeader(app, space, local ?? undefined, await overridesAt(app, space, head)),
  })
}

/**
 * The newest commit of the host's branch in the history of the change request, if the log no longer has one: its lines from before a change request are
 * removed once newer ones contain them. Null for a folder, whose commits here are not those of the host.
 */
async function commonWithMain({ space, remote, head }: Export): Promise<CommitId | null> {
  const theirs =
    remote.directory === '' ? (await readSyncLog(space.repo, remote, headOf(space))).last?.theirs : undefined
  return theirs === undefined ? null : space.repo.mergeBase(head, theirs)
}

/** What commits and pull requests are called. */
export const titleOf = ({ subject, number }: { subject: string; number: number }): string =>
  subject.trim() || `Change request #${number}`

async function parentsOf({ commits }: RemoteSide, on: CommitId | null, base: CommitId | null): Promise<CommitId[]> {
  if (on === null) return base === null ? [] : [base]
  return base === null || (await commits.isAncestor(base, on)) ? [on] : [on, base]
}

async function isThere({ commits }: RemoteSide, directory: string, on: CommitId, tree: TreeId): Promise<boolean> {
  if (directory === '') return (await commits.commit(on)).tree === tree
  return (await (await commits.at(on)).entry(directory))?.oid === tree
}

interface Content {
  parents?: CommitId[]
  changes: FileChange[]
  tree?: TreeId
}

/** The content as the folder of a repository. What is beside the folder is merged; if that has conflicts, the base branch's newer commits are left out. */
async function inFolder(
  { commits, beside: partial }: RemoteSide,
  directory: string,
  parents: readonly CommitId[],
  tree: TreeId,
): Promise<Content> {
  const changes: FileChange[] = [{ path: directory, tree }]
  const [on, base] = parents as [CommitId, CommitId | undefined]
  if (base === undefined) return { changes }
  const merged = await mergedBeside(commits, partial, on, base)
  if (merged === null) return { changes, parents: [on] }
  const beside = merged.clean ? [] : merged.conflicts.filter(({ path }) => !path.startsWith(`${directory}/`))
  return beside.length === 0 ? { changes, tree: merged.tree } : { changes, parents: [on] }
}

/** Null if files on both sides changed that only the remote has: what both have changed in the same file cannot be merged here. */
async function mergedBeside(
  commits: RemoteSide['commits'],
  partial: boolean,
  ours: CommitId,
  theirs: CommitId,
): Promise<MergeOutcome | null> {
  try {
    return await commits.merge({ ours, theirs })
  } catch (error) {
    if (partial && error instanceof GitError) return null
    throw error
  }
}
