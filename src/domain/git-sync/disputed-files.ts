/**
 * Compares a merge that rests on an inference with the merge that uses only certain evidence. Each file in which they
 * differ is disputed and becomes a conflict, so no text is removed without a decision.
 */
import { required } from '../../kernel/defined.js'
import type { FileChange, Repository, TreeEntry } from '../../git/index.js'
import type { BlobId, CommitId, TreeId } from '../../kernel/ids.js'
import { newFiles, withFiles } from '../commits/merge/criss-cross-files.js'
import { joinedBase, mergeCommits } from '../commits/merge/merge.js'
import type { MergedTree, Sides } from '../commits/merge/merged-tree.js'
import { isTaken } from '../commits/merge/merge-by-id.js'
import { openSide, overrideName, type Side } from '../commits/merge/side.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { changedCommit, commitWithout, partNotIn } from './remainder-commit.js'
import type { MergeBaseResult } from './merge-base.js'
import { filesOfDroppedLines } from './dropped-lines.js'
import type { Contact } from './sync.js'

export type ArrivalContact = Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>

/** The two heads of a merge. */
export interface ArrivalHeads {
  main: CommitId
  theirs: CommitId
}

/** The merged tree, and the merge base that was used; null if Git's own merge base was used. */
export interface MergedArrival {
  merged: MergedTree
  base: CommitId | null
  /** The two commits that were merged. */
  sides: Sides
  /**
   * Whether files are in conflict only because of that merge base. Without it, an inference would decide about them.
   */
  contested?: boolean
}

type MergeOn = (contact: ArrivalContact, mergeBase: MergeBaseResult, arrival: ArrivalHeads) => Promise<MergedArrival>

/** A merge that does not use an inference, and the files in which it differs. */
interface Dispute {
  base: CommitId | null
  paths: string[]
}

/** Returns the merge, with a conflict in each file that an inference alone decided. */
export async function conflictsForDisputed(
  contact: ArrivalContact,
  mergeBase: MergeBaseResult,
  arrival: ArrivalHeads,
  inferred: MergedArrival,
  mergeOn: MergeOn,
): Promise<MergedArrival> {
  const { app, space } = contact
  const disputes = [
    await withoutSquashes(contact, mergeBase, arrival, inferred, mergeOn),
    await withoutReset(contact, mergeBase, arrival, inferred, mergeOn),
    await withDroppedLines(contact, mergeBase, arrival, inferred),
  ]
  const base = inferred.base ?? (await joinedBase(app, space, inferred.sides))
  let disputedBase = base
  for (const { base: other, paths } of disputes)
    if (disputedBase !== null && paths.length > 0)
      disputedBase = await contestedBase(contact, disputedBase, { other, paths, ...arrival })
  if (disputedBase === null || disputedBase === base) return inferred
  return {
    ...inferred,
    contested: true,
    base: disputedBase,
    merged: await mergeCommits(app, space, { ...inferred.sides, base: disputedBase }),
  }
}

const NO_DISPUTE: Dispute = { base: null, paths: [] }

/** Checks exports that were recognized by their changes. Compares with the merge that does not use them. */
async function withoutSquashes(
  contact: ArrivalContact,
  { certain }: MergeBaseResult,
  arrival: ArrivalHeads,
  inferred: MergedArrival,
  mergeOn: MergeOn,
): Promise<Dispute> {
  if (certain === null) return NO_DISPUTE
  const plain = await mergeOn(contact, certain, arrival)
  return { base: plain.base, paths: await differences(contact, inferred.merged, plain.merged) }
}

/**
 * Checks a reset of the remote that dropped commits written here. Compares with the merge that drops only the other
 * commits.
 */
async function withoutReset(
  contact: ArrivalContact,
  { ownDropped }: MergeBaseResult,
  arrival: ArrivalHeads,
  inferred: MergedArrival,
  mergeOn: MergeOn,
): Promise<Dispute> {
  if (ownDropped === null) return NO_DISPUTE
  const { app, space } = contact
  const kept = await keptBase(contact, ownDropped, inferred, arrival.theirs)
  const plain = kept === null ? await mergeOn(contact, ownDropped.mergeBase, arrival) : null
  const merged = plain?.merged ?? (await mergeCommits(app, space, { ...inferred.sides, base: required(kept) }))
  return { base: kept ?? plain?.base ?? null, paths: await differences(contact, inferred.merged, merged) }
}

/**
 * Checks a reset that would remove lines that edits here added. The table of contents is left out because it follows
 * from the pages that stay.
 */
async function withDroppedLines(
  contact: ArrivalContact,
  { droppedHead }: MergeBaseResult,
  { main, theirs }: ArrivalHeads,
  inferred: MergedArrival,
): Promise<Dispute> {
  if (droppedHead === null) return NO_DISPUTE
  const { app, space } = contact
  const { repo } = space
  const merged = await treeOf(contact, inferred.merged)
  const { summary } = (await openSide(app, space, main)).config
  const open = pathsInConflict(inferred.merged)
  const changed = (await repo.trees.diff((await repo.objects.commit(main)).tree, merged)).map(({ path }) => path)
  const pages = changed.filter((path) => path !== summary && !open.has(path))
  return { base: null, paths: await filesOfDroppedLines(repo, { main, theirs, droppedHead }, { merged, paths: pages }) }
}

/**
 * Returns the merge base without the dropped commits that were written here. Files that the remote head has unchanged
 * through other commits stay in it. Returns null if all dropped commits were written here, or if they cannot be
 * removed.
 */
async function keptBase(
  contact: ArrivalContact,
  { parts }: NonNullable<MergeBaseResult['ownDropped']>,
  { base, sides }: MergedArrival,
  theirs: CommitId,
): Promise<CommitId | null> {
  const { app, space } = contact
  let kept = parts === null ? null : (base ?? (await joinedBase(app, space, sides)))
  for (const part of parts ?? [])
    kept = kept && (await commitWithout(contact, kept, await partNotIn(contact, part, theirs), [kept]))
  return kept
}

const treeOf = async ({ space }: ArrivalContact, merged: MergedTree): Promise<TreeId> =>
  merged.clean ? merged.tree : space.repo.trees.draft(merged.tree, merged.setAside)

/** Returns the paths of the conflicts of a merge, and the paths of their files on both sides. */
const pathsInConflict = (merged: MergedTree): Set<string> =>
  new Set(
    (merged.clean ? [] : merged.conflicts)
      .flatMap(({ path, ours, theirs }) => [path, ours?.path, theirs?.path])
      .filter((path) => path !== undefined),
  )

/**
 * Returns the paths in which a merge differs from another one, without its own conflicts. A conflict of the other merge
 * is a difference even if the trees are equal: Git leaves a file that one side deleted and the other side changed.
 */
async function differences(contact: ArrivalContact, merged: MergedTree, other: MergedTree): Promise<string[]> {
  const open = pathsInConflict(merged)
  const trees = await contact.space.repo.trees.diff(await treeOf(contact, merged), await treeOf(contact, other))
  const paths = new Set([...trees.map(({ path }) => path), ...pathsInConflict(other)])
  return [...paths].filter((path) => !open.has(path))
}

/**
 * Makes a merge base on which the two heads conflict in the given files. Each file is empty in it, so both sides have
 * changed it. The table of contents, which merges by its entries, is taken from the other merge base.
 */
async function contestedBase(
  { app, space, actor }: ArrivalContact,
  base: CommitId,
  { other, paths, main, theirs }: ArrivalHeads & { other: CommitId | null; paths: readonly string[] },
): Promise<CommitId> {
  const { repo } = space
  const [was, mine, its] = [
    await openSide(app, space, base),
    await openSide(app, space, main),
    await openSide(app, space, theirs),
  ]
  const { summary } = mine.config
  const added = new Map<string, TreeEntry>()
  const changes = new Map<string, FileChange>()
  const ids: [string, string][] = []
  const pathInOther = await newPaths(app, space, base, other)
  for (const side of [mine, its]) {
    const news = await newFiles(space, was, side)
    const placeOf = await placesIn(repo, was, side)
    for (const path of paths) {
      const entry = path === summary ? null : await side.snapshot.entry(path)
      if (!entry?.mode.startsWith('100')) continue
      const blob = await blobOfNeither(repo, path, [mine, its])
      const { id, before } = placeOf(path)
      if (news.has(id)) {
        added.set(id, { ...entry, oid: blob })
        continue
      }
      // The entries of the table of contents are those of the other merge base, so a moved page is where it is there.
      const moved = pathInOther.get(id)
      const now = moved === undefined || (await isTaken(was.snapshot, moved)) ? before : moved
      if (now !== before) {
        changes.set(before, { path: before, delete: true })
        ids.push([overrideName(was.config, now), id])
      }
      changes.set(now, { path: now, oid: blob, mode: entry.mode })
    }
  }
  const entry =
    other !== null && paths.includes(summary) ? await (await repo.objects.snapshot(other)).entry(summary) : null
  if (entry !== null) changes.set(summary, { path: summary, oid: entry.oid, mode: entry.mode })
  const whole = await withFiles(app, space, base, added)
  if (changes.size === 0) return whole
  return changedCommit({ app, space, actor }, whole, {
    changes: [...changes.values()],
    ids,
    message: 'Merge base without the disputed files',
  })
}

/** Returns a function that finds the ID of a file of one side, and its path in the merge base if it exists there. */
async function placesIn(
  repo: Repository,
  base: Side,
  side: Side,
): Promise<(path: string) => { id: string; before: string }> {
  const [was, is] = [await base.ids(), await side.ids()]
  const places = new Map(
    (await repo.trees.diff(base.commit, side.commit)).flatMap(({ path, before }) =>
      before ? [[was(path), path] as const] : [],
    ),
  )
  return (path) => ({ id: is(path), before: places.get(is(path)) ?? path })
}

/** Returns the paths of files that another merge base has at other paths or with other content, by ID. */
async function newPaths(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  other: CommitId | null,
): Promise<Map<string, string>> {
  if (other === null) return new Map()
  const is = await (await openSide(app, space, other)).ids()
  return new Map(
    (await space.repo.trees.diff(base, other)).flatMap(({ path, after }) => (after ? [[is(path), path] as const] : [])),
  )
}

/** Returns a blob that neither side has at a path. */
async function blobOfNeither(repo: Repository, path: string, sides: readonly Side[]): Promise<BlobId> {
  const empty = await repo.objects.writeBlob(Buffer.alloc(0))
  for (const { snapshot } of sides)
    if ((await snapshot.entry(path))?.oid === empty) return repo.objects.writeBlob(Buffer.from('\n'))
  return empty
}
