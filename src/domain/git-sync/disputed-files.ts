/**
 * Compares a merge that rests on an inference with the merge that uses only certain evidence. Each file in which they
 * differ is disputed and becomes a conflict, so no text is removed without a decision.
 */
import { required } from '../../kernel/defined.js'
import type { FileChange, Repository, TreeEntry } from '../../git/index.js'
import type { BlobId, CommitId, TreeId } from '../../kernel/ids.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { withFiles } from '../commits/merge/criss-cross-files.js'
import { joinedBase, mergeCommits } from '../commits/merge/merge.js'
import type { MergedTree, Sides } from '../commits/merge/merged-tree.js'
import { isTaken } from '../commits/merge/merge-by-id.js'
import { type Identify, openSide, overrideName, type Side } from '../commits/merge/side.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { mergedOverrides } from '../revisions/identity.js'
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

/**
 * A merge that does not use an inference, and the files in which it differs: by path, their IDs. A path alone does not
 * tell which file is meant, because the sides may have other files there.
 */
interface Dispute {
  base: CommitId | null
  files: ReadonlyMap<string, ReadonlySet<string>>
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
  const base = await baseOf(contact, inferred)
  let disputedBase = base
  for (const { base: other, files } of disputes)
    if (disputedBase !== null && files.size > 0)
      disputedBase = await contestedBase(contact, disputedBase, { other, files, ...arrival })
  if (disputedBase === null || disputedBase === base) return inferred
  return {
    ...inferred,
    contested: true,
    base: disputedBase,
    merged: await mergeCommits(app, space, { ...inferred.sides, base: disputedBase }),
  }
}

/** Returns the merge base of a merge, also if it is Git's own. */
const baseOf = async ({ app, space }: ArrivalContact, { base, sides }: MergedArrival): Promise<CommitId | null> =>
  base ?? joinedBase(app, space, sides)

const NO_DISPUTE: Dispute = { base: null, files: new Map() }

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
  return { base: plain.base, files: await differences(contact, inferred, plain) }
}

/**
 * Checks a reset of the remote that dropped commits written here. Compares with the merge that drops only the other
 * commits.
 */
async function withoutReset(
  contact: ArrivalContact,
  { ownDropped, droppedHead }: MergeBaseResult,
  arrival: ArrivalHeads,
  inferred: MergedArrival,
  mergeOn: MergeOn,
): Promise<Dispute> {
  if (ownDropped === null || droppedHead === null) return NO_DISPUTE
  const { app, space } = contact
  const kept = await keptBase(contact, ownDropped, inferred, { theirs: arrival.theirs, droppedHead })
  const plain =
    kept === null
      ? await mergeOn(contact, ownDropped.mergeBase, arrival)
      : { ...inferred, base: kept, merged: await mergeCommits(app, space, { ...inferred.sides, base: kept }) }
  return { base: plain.base, files: await differences(contact, inferred, plain) }
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
  const mine = await openSide(app, space, main)
  const { summary } = mine.config
  const open = pathsInConflict(inferred.merged)
  const changed = (await repo.trees.diff((await repo.objects.commit(main)).tree, merged)).map(({ path }) => path)
  const pages = changed.filter((path) => path !== summary && !open.has(path))
  const paths = await filesOfDroppedLines(repo, { main, theirs, droppedHead }, { merged, paths: pages })
  const ids = await mine.ids()
  return { base: null, files: new Map(paths.map((path) => [path, new Set([ids(path)])])) }
}

/**
 * Returns the merge base without the dropped commits that were written here. Files that the remote head has unchanged
 * through other commits stay in it, and so do files that the reset branch had through other commits when it left the
 * dropped head: people changed them there since, and the reset did not. Returns null if all dropped commits were
 * written here, or if they cannot be removed.
 */
async function keptBase(
  contact: ArrivalContact,
  { parts }: NonNullable<MergeBaseResult['ownDropped']>,
  inferred: MergedArrival,
  { theirs, droppedHead }: { theirs: CommitId; droppedHead: CommitId },
): Promise<CommitId | null> {
  let kept = parts === null ? null : await baseOf(contact, inferred)
  const fork = parts === null ? null : await contact.space.repo.history.mergeBase(droppedHead, theirs)
  for (const part of parts ?? []) {
    let gone = await partNotIn(contact, part, theirs)
    if (fork !== null) gone = await partNotIn(contact, gone, fork)
    kept = kept && (await commitWithout(contact, kept, gone, [kept]))
  }
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
 * Returns the files in which a merge differs from another one, without its own conflicts. A conflict of the other merge
 * is a difference even if the trees are equal: Git leaves a file that one side deleted and the other side changed.
 */
async function differences(
  contact: ArrivalContact,
  merge: MergedArrival,
  other: MergedArrival,
): Promise<Map<string, Set<string>>> {
  const open = pathsInConflict(merge.merged)
  const changes = await contact.space.repo.trees.diff(
    await treeOf(contact, merge.merged),
    await treeOf(contact, other.merged),
  )
  const files = new Map<string, Set<string>>()
  const add = (path: string, ids: readonly string[]): void => {
    if (!open.has(path)) files.set(path, new Set([...(files.get(path) ?? []), ...ids]))
  }
  for (const path of pathsInConflict(other.merged)) add(path, [])
  if (changes.some(({ path }) => !open.has(path))) {
    const [ids, otherIds] = [await idsAfter(contact, merge), await idsAfter(contact, other)]
    for (const { path, before, after } of changes)
      add(path, [...(before ? [ids(path)] : []), ...(after ? [otherIds(path)] : [])])
  }
  if (other.merged.clean) return files
  const [ours, theirs] = [await openedIds(contact, merge.sides.ours), await openedIds(contact, merge.sides.theirs)]
  for (const one of other.merged.conflicts) {
    const ids = [...(one.ours ? [ours(one.ours.path)] : []), ...(one.theirs ? [theirs(one.theirs.path)] : [])]
    for (const path of pathsInConflict({ ...other.merged, conflicts: [one] })) add(path, ids)
  }
  return files
}

const openedIds = async ({ app, space }: ArrivalContact, commit: CommitId): Promise<Identify> =>
  (await openSide(app, space, commit)).ids()

/** Returns a function that finds the ID of a file in the result of a merge. */
async function idsAfter(contact: ArrivalContact, merge: MergedArrival): Promise<Identify> {
  const { app, space, actor } = contact
  const { merged, sides } = merge
  const tree = await treeOf(contact, merged)
  const known = await baseOf(contact, merge)
  const commit = await makeCommit(app, space, {
    parents: [sides.ours],
    changes: [],
    tree,
    message: commitMessage('Merge that is compared with another one'),
    author: actor.user,
    overrides: await mergedOverrides(app, space, { bases: known === null ? [] : [known], ...sides, tree }),
  })
  return openedIds(contact, commit)
}

/**
 * Makes a merge base on which the two heads conflict in the given files. Each file is empty in it, so both sides have
 * changed it. The table of contents, which merges by its entries, is taken from the other merge base.
 */
async function contestedBase(
  { app, space, actor }: ArrivalContact,
  base: CommitId,
  { other, files, main, theirs }: ArrivalHeads & Pick<Dispute, 'files'> & { other: CommitId | null },
): Promise<CommitId> {
  const { repo } = space
  const was = await openSide(app, space, base)
  const heads = [await openSide(app, space, main), await openSide(app, space, theirs)]
  const sides = await Promise.all(heads.map((side) => changedFiles(repo, was, side)))
  const { summary } = required(heads[0]).config
  const added = new Map<string, TreeEntry>()
  const changes = new Map<string, FileChange>()
  const ids: [string, string][] = []
  const pathInOther = await newPaths(app, space, base, other)
  const disputed = await Promise.all(
    [...files].filter(([path]) => path !== summary).map(([path, known]) => idsOf(path, known, heads, sides)),
  )
  for (const id of new Set(disputed.flat())) {
    const changed = sides.flatMap((side) => side.get(id) ?? [])
    const before = changed.find((file) => file.before !== undefined)?.before
    // A side that has not changed the file has it as the merge base.
    const unchanged = changed.length < sides.length && before !== undefined ? await was.snapshot.entry(before) : null
    const versions = [...changed.map(({ now }) => now), unchanged ?? undefined].filter((entry) => entry !== undefined)
    const entry = versions.find(({ mode }) => mode.startsWith('100'))
    if (entry === undefined) continue
    const blob = await blobOfNone(
      repo,
      versions.map(({ oid }) => oid),
    )
    if (before === undefined) {
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
  const entry = other !== null && files.has(summary) ? await (await repo.objects.snapshot(other)).entry(summary) : null
  if (entry !== null) changes.set(summary, { path: summary, oid: entry.oid, mode: entry.mode })
  const whole = await withFiles(app, space, base, added)
  if (changes.size === 0) return whole
  return changedCommit({ app, space, actor }, whole, {
    changes: [...changes.values()],
    ids,
    message: 'Merge base without the disputed files',
  })
}

/** A file that a side has changed: its path in the merge base, and its entry on the side, if it exists there. */
interface ChangedFile {
  before: string | undefined
  now: TreeEntry | undefined
}

/** Returns the files that a side has changed, moved, added or deleted, by ID. */
async function changedFiles(repo: Repository, base: Side, side: Side): Promise<Map<string, ChangedFile>> {
  const [was, is] = [await base.ids(), await side.ids()]
  const files = new Map<string, ChangedFile>()
  const diff = await repo.trees.diff(base.commit, side.commit)
  for (const { path, before } of diff) if (before) files.set(was(path), { before: path, now: undefined })
  for (const { path, after } of diff)
    if (after) files.set(is(path), { before: files.get(is(path))?.before, now: after })
  return files
}

/** Returns the IDs of the disputed files at a path. If no side has changed them, the files of the sides count. */
async function idsOf(
  path: string,
  known: ReadonlySet<string>,
  heads: readonly Side[],
  sides: readonly ReadonlyMap<string, ChangedFile>[],
): Promise<string[]> {
  const changed = [...known].filter((id) => sides.some((side) => side.has(id)))
  if (changed.length > 0) return changed
  const found: string[] = []
  for (const head of heads) if ((await head.snapshot.entry(path)) !== null) found.push((await head.ids())(path))
  return found
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

/** Returns a blob that none of the versions of a file is. */
async function blobOfNone(repo: Repository, versions: readonly string[]): Promise<BlobId> {
  const empty = await repo.objects.writeBlob(Buffer.alloc(0))
  return versions.includes(empty) ? repo.objects.writeBlob(Buffer.from('\n')) : empty
}
