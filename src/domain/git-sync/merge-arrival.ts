// Merges a head of the remote with main, on the common ground that the sync log gives.
import type { IdOverrides } from '../../content/identity.js'
import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { overridesAt, rememberOverrides } from '../revisions/identity.js'
import { arrivingOverrides } from '../revisions/arriving-identity.js'
import { asKnownToMain, idsKnownToMain } from '../revisions/known-ids.js'
import { withIdsSeenFromMain } from '../revisions/later-identity.js'
import { withFiles } from '../commits/merge/criss-cross-files.js'
import { joinedBase, joinedCommits } from '../commits/merge/virtual-base.js'
import { mergeCommits } from '../commits/merge/merge.js'
import type { Sides } from '../commits/merge/merged-tree.js'
import type { Repository } from '../../git/index.js'
import type { CommonGround } from './merge-base.js'
import { changesAlsoIn } from './repeated-changes.js'
import { changedCommit, commitWithout, droppedPart } from './remainder-commit.js'
import { isWithin } from './inferred-ancestors.js'
import { type ArrivalContact, type ArrivalHeads, holdDisputed, type MergedArrival } from './disputed-files.js'
import { sharedFiles, sharedVersions } from './shared-versions.js'
import { describeRemote } from './remote.js'
import type { Contact } from './sync.js'

/**
 * Merges what arrives into main on their common ground. Writes objects but moves no ref. If Git finds the same ground in the histories themselves, the
 * two commits are merged as they are. Else each side gets a temporary commit with the same tree whose parents are what it contains of the remote,
 * so that Git finds the right merge bases. A merge base that contains more than its history says (an export) gets a temporary commit too.
 *
 * A file of which the result rests on an inference that is not exact is in conflict (`disputed-files.ts`).
 * @param seenFromMain if `main` is the branch of a conflict: the page IDs of what arrives as they are on its common ground with main
 */
export async function mergeArrival(
  contact: ArrivalContact,
  ground: CommonGround,
  arrival: ArrivalHeads,
  seenFromMain?: IdOverrides,
): Promise<MergedArrival> {
  await rememberTheirs(contact, ground, arrival)
  if (seenFromMain) await rememberSeen(contact, ground, { branch: arrival.main, head: arrival.theirs }, seenFromMain)
  return holdDisputed(contact, ground, arrival, await mergeOn(contact, ground, arrival), mergeOn)
}

/** Merges on a ground, whatever that rests on. */
async function mergeOn(contact: ArrivalContact, ground: CommonGround, arrival: ArrivalHeads): Promise<MergedArrival> {
  const { app, space } = contact
  const sides = await withSharedFiles(
    contact,
    ground,
    arrival,
    await withoutReturned(contact, ground, await sidesOf(contact, ground, arrival)),
  )
  const merged = await mergeCommits(app, space, sides)
  const shared = merged.clean ? [] : await sharedVersions(space.repo, ground, arrival, merged.conflicts)
  if (shared.length === 0) return { merged, base: sides.base ?? null, sides }
  const known = sides.base ?? (await joinedBase(app, space, sides, mergeCommits))
  if (known === null) return { merged, base: null, sides }
  const base = await changedCommit(contact, known, {
    changes: shared,
    message: 'What both sides have had in common since',
  })
  return { merged: await mergeCommits(app, space, { ...sides, base }), base, sides }
}

/** The sides, on a merge base without what was dropped and is back: another branch may have had it all the time. */
async function withoutReturned(
  contact: Pick<Contact, 'app' | 'space' | 'actor'>,
  { returned }: CommonGround,
  sides: Sides,
): Promise<Sides> {
  if (returned.length === 0) return sides
  const { app, space } = contact
  const known = sides.base ?? (await joinedBase(app, space, sides, mergeCommits))
  let base = known
  for (const drop of returned) {
    const part = base === null ? null : await droppedPart(contact, drop)
    if (base !== null && part !== null) base = (await commitWithout(contact, base, part, [base])) ?? base
  }
  return base === null || base === known ? sides : { ...sides, base }
}

/** The sides, on a merge base that has the new files which both have. */
async function withSharedFiles(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  ground: CommonGround,
  arrival: { main: CommitId; theirs: CommitId },
  sides: Sides,
): Promise<Sides> {
  const known = sides.base ?? (await joinedBase(app, space, sides, mergeCommits))
  if (known === null) return sides
  const base = await withFiles(app, space, known, await sharedFiles(app, space, ground, { ...arrival, base: known }))
  return base === known ? sides : { ...sides, base }
}

async function sidesOf(contact: ArrivalContact, ground: CommonGround, { main, theirs }: ArrivalHeads): Promise<Sides> {
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
  const plainly = {
    ours: await stand(main, ground.known, 'This'),
    theirs: await stand(theirs, [theirs, ...ground.implied], 'Other'),
  }
  const bases: CommitId[] = []
  for (const { theirs: one, held, beside } of ground.bases)
    if (held.length > 0) bases.push(await stand(one, [one, ...beside], 'Common'))
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
  if (byGit === null) return { ...sides, base: known }
  // A file that is there exactly as in the base which Git finds without knowing of exports was edited by nobody: Git made it when branches were merged. Not
  // where the ref was set back and the dropped head had another file: that was a change, however Git would merge the two.
  const left = await changesAlsoIn(app, space, { from: known, to: byGit }, theirs, ground.droppedHead)
  if (left.changes.length === 0) return { ...sides, base: known }
  const base = await changedCommit(contact, known, {
    ...left,
    message: 'What both sides have in common, as Git left it there',
  })
  return { ...sides, base }
}

/** Whether Git finds the same common ground in the histories themselves. */
async function isPlain(
  repo: Repository,
  { bases, implied, held }: CommonGround,
  natural: readonly CommitId[],
): Promise<boolean> {
  if (bases.length > 1 || natural.length > 1 || natural[0] !== bases[0]?.theirs) return false
  for (const commit of [...implied, ...held]) if (!(await isWithin(repo, commit, natural))) return false
  return true
}

/**
 * Works out the page IDs of what arrives from those of the merge base here, and caches them. The remote's own commits may know pages of ours by other IDs (it
 * squashed or rebased an export): what main knows such a page by counts.
 */
export async function rememberTheirs(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  ground: CommonGround,
  { main, theirs }: { main: CommitId; theirs: CommitId },
): Promise<void> {
  const common = await commonCommit({ app, space }, ground)
  if (common === null) return
  const found = { commit: theirs, overrides: await arrivingOverrides(app, space, common, theirs) }
  const renamed = new Map<string, string>()
  for (const base of new Set([common, ...ground.bases.map(({ local }) => local)])) {
    const known = await idsKnownToMain(app, space, main, base)
    for (const [old, id] of known.renamed) renamed.set(old, id)
    if (known.renamed.size > 0) rememberOverrides(app, space, base, known.overrides)
  }
  rememberOverrides(app, space, theirs, await asKnownToMain(app, space, { main, common }, found, renamed))
}

/** Gives the new files of a later head of a conflict the IDs that they have seen from main. */
async function rememberSeen(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  ground: CommonGround,
  { branch, head }: { branch: CommitId; head: CommitId },
  seen: IdOverrides,
): Promise<void> {
  const common = await commonCommit({ app, space }, ground)
  const found = await overridesAt(app, space, head)
  if (common !== null)
    rememberOverrides(app, space, head, await withIdsSeenFromMain(app, space, { common, branch, head }, found, seen))
}

/** The merge base here; several are joined, since a page may have come by any of them. Null if there is none. */
export const commonCommit = (
  { app, space }: Pick<Contact, 'app' | 'space'>,
  { bases }: CommonGround,
): Promise<CommitId | null> => joinedCommits(app, space, [...new Set(bases.map(({ local }) => local))], mergeCommits)
