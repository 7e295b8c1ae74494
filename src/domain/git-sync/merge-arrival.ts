// Merges a remote head with main on the merge base that the sync log gives.
import type { IdOverrides } from '../../content/identity.js'
import type { CommitId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { overridesAt, rememberOverrides } from '../revisions/identity.js'
import { arrivingOverrides } from '../revisions/arriving-identity.js'
import { asKnownToMain, idsKnownToMain } from '../revisions/known-ids.js'
import { withIdsSeenFromMain } from '../revisions/later-identity.js'
import { withFiles } from '../commits/merge/criss-cross-files.js'
import { joinedBase, joinedCommits, mergeCommits } from '../commits/merge/merge.js'
import type { Sides } from '../commits/merge/merged-tree.js'
import type { Repository } from '../../git/index.js'
import type { MergeBaseResult } from './merge-base.js'
import { changesAlsoIn } from './repeated-changes.js'
import { changedCommit, commitWithout, droppedPart } from './remainder-commit.js'
import { isWithin } from './inferred-ancestors.js'
import { type ArrivalContact, type ArrivalHeads, conflictsForDisputed, type MergedArrival } from './disputed-files.js'
import { sharedFiles, sharedVersions } from './shared-versions.js'
import { describeRemote } from './remote.js'
import type { Contact } from './sync.js'

/**
 * Merges an arriving head into main on their merge base. Writes objects but moves no ref.
 *
 * If Git finds the same merge base in the histories, the two commits are merged directly. Otherwise each side gets a
 * temporary commit with the same tree. Its parents are the remote commits that the side contains, so Git finds the
 * right merge bases. A merge base that contains more than its history shows (an export) gets a temporary commit too.
 *
 * A file whose result rests on an inference that is not exact becomes a conflict (`disputed-files.ts`).
 * @param seenFromMain if `main` is a conflict branch: the page IDs of the arriving head, computed from its merge base
 * with main
 */
export async function mergeArrival(
  contact: ArrivalContact,
  mergeBase: MergeBaseResult,
  arrival: ArrivalHeads,
  seenFromMain?: IdOverrides,
): Promise<MergedArrival> {
  await rememberTheirs(contact, mergeBase, arrival)
  if (seenFromMain) await rememberSeen(contact, mergeBase, { branch: arrival.main, head: arrival.theirs }, seenFromMain)
  return conflictsForDisputed(contact, mergeBase, arrival, await mergeOn(contact, mergeBase, arrival), mergeOn)
}

/** Merges on a merge base, without checking the evidence for it. */
async function mergeOn(
  contact: ArrivalContact,
  mergeBase: MergeBaseResult,
  arrival: ArrivalHeads,
): Promise<MergedArrival> {
  const { app, space } = contact
  const sides = await withSharedFiles(
    contact,
    mergeBase,
    arrival,
    await withoutReintroduced(contact, mergeBase, await sidesOf(contact, mergeBase, arrival)),
  )
  const merged = await mergeCommits(app, space, sides)
  const shared = merged.clean ? [] : await sharedVersions(space.repo, mergeBase, arrival, merged.conflicts)
  if (shared.length === 0) return { merged, base: sides.base ?? null, sides }
  const known = sides.base ?? (await joinedBase(app, space, sides))
  if (known === null) return { merged, base: null, sides }
  const base = await changedCommit(contact, known, {
    changes: shared,
    message: 'Merge base with the shared versions',
  })
  return { merged: await mergeCommits(app, space, { ...sides, base }), base, sides }
}

/**
 * Removes reintroduced commits from the merge base of the sides. Another branch may have contained them all the time.
 */
async function withoutReintroduced(
  contact: Pick<Contact, 'app' | 'space' | 'actor'>,
  { reintroduced }: MergeBaseResult,
  sides: Sides,
): Promise<Sides> {
  if (reintroduced.length === 0) return sides
  const { app, space } = contact
  const known = sides.base ?? (await joinedBase(app, space, sides))
  let base = known
  for (const drop of reintroduced) {
    const part = base === null ? null : await droppedPart(contact, drop)
    if (base !== null && part !== null) base = (await commitWithout(contact, base, part, [base])) ?? base
  }
  return base === null || base === known ? sides : { ...sides, base }
}

/** Adds the new files that both sides have to their merge base. */
async function withSharedFiles(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  mergeBase: MergeBaseResult,
  arrival: { main: CommitId; theirs: CommitId },
  sides: Sides,
): Promise<Sides> {
  const known = sides.base ?? (await joinedBase(app, space, sides))
  if (known === null) return sides
  const base = await withFiles(app, space, known, await sharedFiles(app, space, mergeBase, { ...arrival, base: known }))
  return base === known ? sides : { ...sides, base }
}

async function sidesOf(
  contact: ArrivalContact,
  mergeBase: MergeBaseResult,
  { main, theirs }: ArrivalHeads,
): Promise<Sides> {
  const { app, space } = contact
  const { repo } = space
  if (await isPlain(repo, mergeBase, await repo.history.mergeBases(main, theirs))) return { ours: main, theirs }
  const temporaryCommit = async (commit: CommitId, parents: readonly CommitId[], side: string): Promise<CommitId> =>
    makeCommit(app, space, {
      parents,
      changes: [],
      tree: (await repo.objects.commit(commit)).tree,
      message: commitMessage(`${side} side of a merge with ${describeRemote(contact.remote)}: ${commit}`),
      author: contact.actor.user,
      overrides: await overridesAt(app, space, commit),
    })
  const withoutExports = {
    ours: await temporaryCommit(main, mergeBase.integrated, 'Local'),
    theirs: await temporaryCommit(theirs, [theirs, ...mergeBase.inferredAncestors], 'Remote'),
  }
  const bases: CommitId[] = []
  for (const { theirs: one, viaExports, extraParents } of mergeBase.bases)
    if (viaExports.length > 0) bases.push(await temporaryCommit(one, [one, ...extraParents], 'Base'))
  // Both sides contain these commits through the base.
  const viaExports = mergeBase.viaExports.filter(
    (commit) => !mergeBase.bases.some((base) => base.viaExports.includes(commit)),
  )
  const byGit = await joinedBase(app, space, withoutExports)
  if (mergeBase.viaExports.length + bases.length === 0)
    return byGit === null ? withoutExports : { ...withoutExports, base: byGit }
  const sides = {
    ours: await temporaryCommit(main, [...mergeBase.integrated, ...bases], 'Local'),
    theirs: await temporaryCommit(theirs, [theirs, ...mergeBase.inferredAncestors, ...viaExports, ...bases], 'Remote'),
  }
  const known = await joinedBase(app, space, sides)
  if (known === null) return sides
  if (byGit === null) return { ...sides, base: known }
  // If the head has a file exactly as in the base that Git finds without the exports, no one has edited the file: Git
  // made it when branches were merged. The exception is a reset ref whose dropped head had another file. That was a
  // change, no matter how Git would merge the two.
  const left = await changesAlsoIn(app, space, { from: known, to: byGit }, theirs, mergeBase.droppedHead)
  if (left.changes.length === 0) return { ...sides, base: known }
  const base = await changedCommit(contact, known, {
    ...left,
    message: 'Merge base with the files that Git merged',
  })
  return { ...sides, base }
}

/** Whether Git finds the same merge base in the histories themselves. */
async function isPlain(
  repo: Repository,
  { bases, inferredAncestors, viaExports }: MergeBaseResult,
  natural: readonly CommitId[],
): Promise<boolean> {
  if (bases.length > 1 || natural.length > 1 || natural[0] !== bases[0]?.theirs) return false
  for (const commit of [...inferredAncestors, ...viaExports]) if (!(await isWithin(repo, commit, natural))) return false
  return true
}

/**
 * Computes the page IDs of an arriving head from those of the local merge base, and caches them. The remote's own
 * commits may have other IDs for pages of this space (after a squash or rebase of an export). In that case, main's IDs
 * count.
 */
export async function rememberTheirs(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  mergeBase: MergeBaseResult,
  { main, theirs }: { main: CommitId; theirs: CommitId },
): Promise<void> {
  const common = await commonCommit({ app, space }, mergeBase)
  if (common === null) return
  const found = {
    commit: theirs,
    overrides: await withIdsBeforeReset({ app, space }, mergeBase, { common, main, theirs }),
  }
  const renamed = new Map<string, string>()
  for (const base of new Set([common, ...mergeBase.bases.map(({ local }) => local)])) {
    const known = await idsKnownToMain(app, space, main, base)
    for (const [old, id] of known.renamed) renamed.set(old, id)
    if (known.renamed.size > 0) rememberOverrides(app, space, base, known.overrides)
  }
  rememberOverrides(app, space, theirs, await asKnownToMain(app, space, { main, common }, found, renamed))
}

/**
 * Computes the page IDs of an arriving head from `common`. A page that the dropped commits deleted has its ID again,
 * even if the remote has moved it since.
 */
async function withIdsBeforeReset(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  { ownDropped }: MergeBaseResult,
  { common, main, theirs }: ArrivalHeads & { common: CommitId },
): Promise<IdOverrides> {
  const found = await arrivingOverrides(app, space, common, theirs)
  const before = ownDropped === null ? null : await commonCommit({ app, space }, ownDropped.mergeBase)
  if (before === null) return found
  const seen = await arrivingOverrides(app, space, before, theirs)
  return withIdsSeenFromMain(app, space, { common, branch: main, head: theirs }, found, seen)
}

/** Assigns the new files of a later head of a conflict the IDs that were computed from main. */
async function rememberSeen(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  mergeBase: MergeBaseResult,
  { branch, head }: { branch: CommitId; head: CommitId },
  seen: IdOverrides,
): Promise<void> {
  const common = await commonCommit({ app, space }, mergeBase)
  const found = await overridesAt(app, space, head)
  if (common !== null)
    rememberOverrides(app, space, head, await withIdsSeenFromMain(app, space, { common, branch, head }, found, seen))
}

/**
 * Returns the local merge base. Several are merged into a virtual merge base because a page may come from any of them.
 * Returns null if there is none.
 */
export const commonCommit = (
  { app, space }: Pick<Contact, 'app' | 'space'>,
  { bases }: MergeBaseResult,
): Promise<CommitId | null> => joinedCommits(app, space, [...new Set(bases.map(({ local }) => local))])
