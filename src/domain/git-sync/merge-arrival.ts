// Merges a head of the remote with main, on the common ground that the sync log gives.
import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { overridesAt, rememberOverrides } from '../revisions/identity.js'
import { arrivingOverrides } from '../revisions/arriving-identity.js'
import { joinedBase } from '../commits/merge/joined-base.js'
import { mergeCommits } from '../commits/merge/merge.js'
import type { MergedTree, Sides } from '../commits/merge/merged-tree.js'
import type { FileChange, Repository } from '../../git/index.js'
import type { CommonGround } from './common-ground.js'
import { isWithin } from './contained-in-exports.js'
import { describeRemote } from './remote.js'
import type { Contact } from './sync.js'

/** The merged tree, and the merge base that was used; null if it is the one that Git finds by itself. */
interface MergedArrival {
  merged: MergedTree
  base: CommitId | null
}

/**
 * Merges what arrives into main on their common ground. Writes objects but moves no ref. If Git finds the same ground in the histories themselves, the
 * two commits are merged as they are. Else each side gets a temporary commit with the same tree whose parents are what it contains of the remote,
 * so that Git finds the right merge bases. A merge base that contains more than its history says (an export) gets a temporary commit too.
 */
export async function mergeArrival(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  ground: CommonGround,
  arrival: { main: CommitId; theirs: CommitId },
): Promise<MergedArrival> {
  const { app, space } = contact
  await rememberTheirs(contact, ground, arrival.theirs)
  const sides = await sidesOf(contact, ground, arrival)
  return { merged: await mergeCommits(app, space, sides), base: sides.base ?? null }
}

async function sidesOf(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  ground: CommonGround,
  { main, theirs }: { main: CommitId; theirs: CommitId },
): Promise<Sides> {
  const { app, space } = contact
  const { repo } = space
  if (await isPlain(repo, ground, await repo.mergeBases(main, theirs))) return { ours: main, theirs }
  const stand = async (commit: CommitId, parents: readonly CommitId[], side: string): Promise<CommitId> =>
    makeCommit(app, space, {
      parents,
      changes: [],
      tree: (await repo.commit(commit)).tree,
      message: commitMessage(`${side} side of a merge with ${describeRemote(contact.remote)}: ${commit}`),
      author: contact.actor.user,
      overrides: await overridesAt(app, space, commit),
    })
  const plainly = { ours: await stand(main, ground.known, 'This'), theirs: await stand(theirs, [theirs, ...ground.implied], 'Other') }
  const bases: CommitId[] = []
  for (const { theirs: one, held, beside } of ground.bases) if (held.length > 0) bases.push(await stand(one, [one, ...beside], 'Common'))
  // What a base holds, both sides have by that base.
  const held = ground.held.filter((commit) => !ground.bases.some((base) => base.held.includes(commit)))
  const byGit = await joinedBase(app, space, plainly, mergeCommits)
  if (ground.held.length + bases.length === 0) return byGit === null ? plainly : { ...plainly, base: byGit }
  const sides = {
    ours: await stand(main, [...ground.known, ...bases], 'This'),
    theirs: await stand(theirs, [theirs, ...ground.implied, ...held, ...bases], 'Other'),
  }
  const known = await joinedBase(app, space, sides, mergeCommits)
  if (known === null) return sides
  const own = byGit === null ? [] : await madeByGit(repo, { known, byGit, theirs })
  if (own.length === 0) return { ...sides, base: known }
  const base = await makeCommit(app, space, {
    parents: [known],
    changes: own,
    message: commitMessage('What both sides have in common, as Git left it there'),
    author: contact.actor.user,
    overrides: await overridesAt(app, space, known),
  })
  return { ...sides, base }
}

/**
 * The files that `theirs` has exactly as the merge base `byGit` has them, which Git finds without knowing of exports, and the base `known` has
 * otherwise. Nobody changed them on the remote: Git put them so when branches were merged there. The base must have them so too.
 */
async function madeByGit(repo: Repository, { known, byGit, theirs }: { known: CommitId; byGit: CommitId; theirs: CommitId }): Promise<FileChange[]> {
  const found: FileChange[] = []
  const there = await repo.at(theirs)
  for (const { path, after } of await repo.diff(known, byGit)) {
    const entry = await there.entry(path)
    if (after === null || after === undefined) {
      if (entry === null) found.push({ path, delete: true })
    } else if (entry?.oid === after.oid && entry.mode === after.mode) found.push({ path, oid: after.oid, mode: after.mode })
  }
  return found
}

/** Whether Git finds the same common ground in the histories themselves. */
async function isPlain(repo: Repository, { bases, implied, held }: CommonGround, natural: readonly CommitId[]): Promise<boolean> {
  if (bases.length > 1 || natural.length > 1 || natural[0] !== bases[0]?.theirs) return false
  for (const commit of [...implied, ...held]) if (!(await isWithin(repo, commit, natural))) return false
  return true
}

/** Works out the page IDs of what arrives from those of the merge base here, and caches them. */
export async function rememberTheirs({ app, space }: Pick<Contact, 'app' | 'space'>, { bases: [base] }: CommonGround, theirs: CommitId): Promise<void> {
  if (base === undefined) return
  rememberOverrides(app, space, theirs, await arrivingOverrides(app, space, base.local, theirs))
}
