// Tracks page IDs across commits: the changes of one commit, and the side of a merge that decides an ID.
import { required } from '../../kernel/defined.js'
import { applyInSteps } from '../../content/identity-changes.js'
import type { SideOf } from '../../content/merge-identity.js'
import {
  defaultId,
  type EntryKey,
  entryOfFile,
  entryOfOverride,
  type IdOverrides,
  overrideKey,
} from '../../content/identity.js'
import { matchStructures, structureKeys } from '../../content/identity-structure.js'
import { readConfig } from '../../content/config.js'
import { keyBelow } from '../../content/paths.js'
import { kindOfPath, shapedBy } from '../../content/known-files.js'
import { readStructure } from '../../content/structure.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository, Snapshot, TreeChange } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { eachInSlices, filterInSlices, inSlices, mapInSlices, Slices } from '../../kernel/slices.js'
import { fileMoves, mayMove, RevisionFiles, withoutSubmodules } from './file-moves.js'

/**
 * Returns the overrides after the changes (renames, additions, deletions) between two commits, which may be unrelated.
 */
export async function resolveChanges(
  work: TextWork,
  repo: Repository,
  before: IdOverrides,
  from: CommitId,
  to: CommitId,
): Promise<IdOverrides> {
  const plain = await withoutSubmodules(await repo.trees.diff(from, to))
  const [old, now] = await Promise.all([repo.objects.snapshot(from), repo.objects.snapshot(to)])
  const [{ config: oldConfig }, { config }] = [await readConfig(old, work), await readConfig(now, work)]
  const [oldRoot, root] = [oldConfig.root, config.root]
  // A missing table of contents makes no difference here: only its own text and the configuration shape entries.
  const mayShapeEntries = plain.some(
    (change) => shapedBy(change.path, { config: oldConfig, listed: true }) === 'entries',
  )
  const moves = await mayMove(plain)
  if (!moves && !mayShapeEntries) return before
  const sides = [new RevisionFiles(old, work), new RevisionFiles(now, work)] as const
  const changes = moves ? await fileMoves(repo, ...sides, plain) : []
  const files = await filterInSlices(await now.walk(), ({ mode }) => mode !== '160000')
  const here = new Set<string>()
  await eachInSlices(files, (file) => here.add(keyBelow(root, file.path)))
  const keyed = await entryChanges(changes, oldRoot, root)
  if (root !== oldRoot) {
    // If the root changed, every file has another key although none moved.
    const changed = new Set(await mapInSlices(changes, (change) => change.path))
    await eachInSlices(files, ({ path }) => {
      if (!changed.has(path) && keyBelow(root, path) !== keyBelow(oldRoot, path))
        keyed.renamed.push(renamedEntry(keyBelow(oldRoot, path), keyBelow(root, path)))
    })
  }
  const steps = applyInSteps(before, keyed, (kind, key) => here.has(key) && kindOfPath(key) === kind)
  return resolveStructure(await inSlices(steps), ...sides)
}

const renamedEntry = (from: string, to: string) => ({ kind: kindOfPath(to), from, to })

/** Converts the changes of files to changes of entries, whose keys are paths below the root. */
async function entryChanges(changes: readonly TreeChange[], oldRoot: string, root: string) {
  const found: { added: EntryKey[]; deleted: EntryKey[]; renamed: ReturnType<typeof renamedEntry>[] } = {
    added: [],
    deleted: [],
    renamed: [],
  }
  await eachInSlices(changes, ({ status, path, from }) => {
    if (status === 'added') found.added.push(entryOfFile(root, path))
    else if (status === 'deleted') found.deleted.push(entryOfFile(oldRoot, path))
    else if (status === 'renamed')
      found.renamed.push(renamedEntry(keyBelow(oldRoot, required(from)), keyBelow(root, path)))
  })
  return found
}

/**
 * Applies structural changes to groups, links and computed pages. They have no file, so they are matched by their
 * unchanged context.
 */
async function resolveStructure(overrides: IdOverrides, old: RevisionFiles, now: RevisionFiles): Promise<IdOverrides> {
  const [before, after] = await Promise.all([old.structure(), now.structure()])
  const keys = await structureKeys(after)
  const changes = await matchStructures(before, after)
  if (changes.added.length + changes.deleted.length + changes.renamed.length === 0) return overrides
  return inSlices(applyInSteps(overrides, changes, (kind, key) => keys.has(`${kind}\0${key}`)))
}

/**
 * Returns the side of a merge that decides the ID of each entry in `names`. It is the side whose blob is in the merged
 * tree at the entry's path, or the only side with a file there. Null if this applies to both sides or to neither.
 */
export async function sideOfFiles(
  work: TextWork,
  repo: Repository,
  sides: { ours: CommitId; theirs: CommitId; tree: TreeId },
  names: readonly string[],
): Promise<SideOf> {
  const merged = await blobAt(work, repo.objects.tree(sides.tree))
  const [ours, theirs] = [
    await blobAt(work, await repo.objects.snapshot(sides.ours)),
    await blobAt(work, await repo.objects.snapshot(sides.theirs)),
  ]
  const found = new Map<string, 'ours' | 'theirs'>()
  const slices = new Slices()
  for (const name of names) {
    if (slices.due) await slices.rest()
    const { kind, key } = entryOfOverride(name)
    if (kindOfPath(key) !== kind) continue
    const oid = await merged(key)
    if (oid === undefined) continue
    const [mine, other] = [await ours(key), await theirs(key)]
    const [oursSays, theirsSays] = [mine === oid || other === undefined, other === oid || mine === undefined]
    if (oursSays !== theirsSays) found.set(name, oursSays ? 'ours' : 'theirs')
  }
  return (name) => found.get(name) ?? null
}

/** Filters override names to files that two commits have with the same bytes at the same path. */
export async function unchangedFiles(
  work: TextWork,
  repo: Repository,
  commits: readonly [CommitId, CommitId],
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const [one, other] = [
    await blobAt(work, await repo.objects.snapshot(commits[0])),
    await blobAt(work, await repo.objects.snapshot(commits[1])),
  ]
  const found: string[] = []
  const slices = new Slices()
  for (const name of names) {
    if (slices.due) await slices.rest()
    const { kind, key } = entryOfOverride(name)
    if (kindOfPath(key) !== kind) continue
    const oid = await one(key)
    if (oid !== undefined && oid === (await other(key))) found.push(name)
  }
  return found
}

/** Returns a function that looks up the blob of an entry's key (its path below the content root). */
async function blobAt(
  work: TextWork,
  files: ReturnType<Repository['objects']['tree']>,
): Promise<(key: string) => Promise<string | undefined>> {
  const { root } = (await readConfig(files, work)).config
  return async (key) => (await files.entry(root === '' ? key : `${root}/${key}`))?.oid
}

/** A commit and its overrides. */
export interface CommitOverrides {
  commit: CommitId
  overrides: IdOverrides
}

/**
 * Returns the default IDs that `keeper` keeps in a merge. Both sides may have restored the same deleted page: `keeper`
 * at its old path and `other` at a new one. Both then have its ID, by default and by an override. The page of `keeper`
 * keeps it.
 * @param entries all entries of the merged tree
 */
export async function idsKeptByDefault(
  work: TextWork,
  repo: Repository,
  keeper: CommitOverrides,
  other: CommitOverrides,
  entries: readonly EntryKey[],
): Promise<Set<string>> {
  const kept = new Set<string>()
  const [own, slices] = [new Set(keeper.overrides.values()), new Slices()]
  const claimed = new Set<string>()
  for (const { kind, key } of entries) {
    const id = other.overrides.get(overrideKey(kind, key))
    if (id !== undefined && !own.has(id)) claimed.add(id)
    if (slices.due) await slices.rest()
  }
  if (claimed.size === 0) return kept
  const [mine, its] = [
    await blobAt(work, await repo.objects.snapshot(keeper.commit)),
    await blobAt(work, await repo.objects.snapshot(other.commit)),
  ]
  for (const { kind, key } of entries) {
    if (slices.due) await slices.rest()
    if (keeper.overrides.has(overrideKey(kind, key)) || kindOfPath(key) !== kind) continue
    const id = defaultId(kind, key)
    if (claimed.has(id) && (await mine(key)) !== undefined && (await its(key)) === undefined) kept.add(id)
  }
  return kept
}

/** Lists all entries of a tree that have an ID: pages, files, groups, links and computed pages. */
export async function entriesOf(work: TextWork, repo: Repository, tree: TreeId): Promise<EntryKey[]> {
  const files = repo.objects.tree(tree)
  const structure = await readStructure(files, defaultId, work)
  const { root } = structure.config
  const entries = (await files.walk()).map((file) => entryOfFile(root, file.path))
  const listed = [...(await structureKeys(structure))].map(entryOfOverride).filter(({ kind }) => kind !== 'page')
  return [...entries, ...listed]
}

/** Returns a function that returns the entries of files at a commit. */
export async function entriesOfFiles(work: TextWork, files: Snapshot): Promise<(path: string) => EntryKey> {
  const { root } = (await readConfig(files, work)).config
  return (path) => entryOfFile(root, path)
}
