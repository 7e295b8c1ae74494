/** Determines the page IDs at a commit from a remote or another branch, given a commit whose IDs are authoritative. */
import { readConfig } from '../../content/config.js'
import {
  type EntryKey,
  entryOfOverride,
  type IdOverrides,
  idOf,
  OverrideDraft,
  overrideKey,
} from '../../content/identity.js'
import { kindOfPath } from '../../content/known-files.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository, TreeChange, TreeEntry } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { historyStatesIds, newestStatement, overridesAt, statesIds } from './identity.js'
import { type CommitOverrides, entriesOfFiles, resolveChanges } from './identity-changes.js'

/**
 * Returns the overrides at `head`, where the overrides at `base` are authoritative. If the head's history agrees with
 * the base's IDs, they are the head's own overrides, extended by files that people moved. Otherwise they are derived by
 * comparing the two commits, since the commits of a remote may not know the IDs here.
 */
export async function overridesFrom(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  head: CommitId,
): Promise<IdOverrides> {
  const { repo } = space
  const [before, own] = [await overridesAt(app, space, base), await overridesAt(app, space, head)]
  const work = app.texts.for(space.doc.id)
  const disagree = await differOnUnchangedFiles(
    work,
    repo,
    { commit: base, overrides: before },
    { commit: head, overrides: own },
  )
  if (disagree) return resolveChanges(work, repo, before, base, head)
  // Commits of the service state which page is which. A new page may have the text of a deleted one.
  if (await statesIds(space, head)) return own
  return withMovedFiles(app, space, { commit: base, overrides: before }, { commit: head, overrides: own })
}

/**
 * Extends the head's own overrides with IDs of the base for files that the head has unchanged or similar at new paths,
 * or changed at the same path. The head's own history does not provide these IDs in two cases: they came through a
 * merge by people (only the first parent's files keep their IDs), or the files temporarily had another name.
 */
async function withMovedFiles(
  app: App,
  space: SpaceRepository,
  base: CommitOverrides,
  head: CommitOverrides,
): Promise<IdOverrides> {
  const { repo } = space
  const work = app.texts.for(space.doc.id)
  const [was, is] = await Promise.all([idsAt(repo, work, base), idsAt(repo, work, head)])
  const changes = await repo.trees.diff(base.commit, head.commit)
  const moves = new MovedIds(changes, was, is, head.overrides)
  moves.giveToEqualFiles()
  for (const [from, to] of await similarFiles(space, base.commit, head.commit, changes, moves))
    moves.giveToMovedFile(from, to)
  moves.giveToChangedFiles()
  return moves.overrides
}

/** The IDs of the files at a commit. Paths start at the root of the repository. */
interface FileIds {
  entry(path: string): EntryKey
  id(path: string): string
}

async function idsAt(repo: Repository, work: TextWork, { commit, overrides }: CommitOverrides): Promise<FileIds> {
  const entry = await entriesOfFiles(work, await repo.objects.snapshot(commit))
  const ids = idOf(overrides)
  return {
    entry,
    id: (path) => {
      const { kind, key } = entry(path)
      return ids(kind, key)
    },
  }
}

/** Gives IDs of files that changed at the base to files that changed at the head. */
class MovedIds {
  /** The IDs of the base that a changed file of the head has. */
  readonly #used: Set<string>
  /** The IDs of the head that a changed file of the base had. */
  readonly #known: Set<string>
  /** The files of the head that got an ID here. */
  readonly #moved = new Set<string>()
  readonly #draft: OverrideDraft

  constructor(
    readonly changes: readonly TreeChange[],
    readonly was: FileIds,
    readonly is: FileIds,
    readonly own: IdOverrides,
  ) {
    this.#used = new Set(changes.flatMap(({ after }) => (after ? [is.id(after.path)] : [])))
    this.#known = new Set(changes.flatMap(({ before }) => (before ? [was.id(before.path)] : [])))
    this.#draft = new OverrideDraft(own)
  }

  /** The overrides of the head with the given IDs; the same object if nothing changed. */
  get overrides(): IdOverrides {
    const { overrides } = this.#draft
    const isSame = overrides.size === this.own.size && [...overrides].every(([name, id]) => this.own.get(name) === id)
    return isSame ? this.own : overrides
  }

  /** Whether no changed file of the head has the ID of this file of the base. */
  readonly isLost = (path: string): boolean => !this.#used.has(this.was.id(path))

  /** Whether no changed file of the base had the ID of this file of the head, and it got none here. */
  readonly isNew = (path: string): boolean => {
    const { kind, key } = this.is.entry(path)
    return !this.#known.has(this.is.id(path)) && !this.#moved.has(overrideKey(kind, key))
  }

  /** Gives the ID of a lost file to a file with another path, if both are of one kind. */
  giveToMovedFile(from: string, to: string): void {
    if (this.was.entry(from).kind === this.is.entry(to).kind) this.#give(from, to)
  }

  #give(from: string, to: string): void {
    if (!this.isLost(from)) return
    const entry = this.is.entry(to)
    const id = this.was.id(from)
    this.#used.add(id)
    this.#moved.add(overrideKey(entry.kind, entry.key))
    this.#draft.give(entry, id)
  }

  /** Files with the same bytes at a new path, if no other changed file has these bytes. */
  giveToEqualFiles(): void {
    const [gone, come] = [new Map<string, string[]>(), new Map<string, string[]>()]
    const put = (into: Map<string, string[]>, { oid, path }: TreeEntry): unknown =>
      into.get(oid)?.push(path) ?? into.set(oid, [path])
    for (const { before, after } of this.changes) {
      if (before && this.isLost(before.path)) put(gone, before)
      if (after && this.isNew(after.path)) put(come, after)
    }
    for (const [oid, [to, ...others]] of come) {
      const [from, ...more] = gone.get(oid) ?? []
      if (from !== undefined && to !== undefined && others.length + more.length === 0) this.giveToMovedFile(from, to)
    }
  }

  /** Files that changed at the same path. */
  giveToChangedFiles(): void {
    for (const { before, after } of this.changes)
      if (before && after && before.path === after.path && this.isNew(after.path)) this.#give(before.path, after.path)
  }
}

/**
 * Finds deleted files of the base that the head has with a similar text at new paths. Files of the newest service
 * commit below the head are excluded, since that commit states their IDs. Returns old and new paths.
 */
async function similarFiles(
  space: SpaceRepository,
  base: CommitId,
  head: CommitId,
  changes: readonly TreeChange[],
  { isLost, isNew }: Record<'isLost' | 'isNew', (path: string) => boolean>,
): Promise<[from: string, to: string][]> {
  const deleted = new Set(changes.flatMap(({ status, path }) => (status === 'deleted' && isLost(path) ? [path] : [])))
  const added = new Set(changes.flatMap(({ status, path }) => (status === 'added' && isNew(path) ? [path] : [])))
  if (deleted.size === 0 || added.size === 0) return []
  const renames = (await space.repo.trees.diff(base, head, { renames: true })).flatMap(
    ({ status, from, path }): [string, string][] =>
      status === 'renamed' && from !== undefined && deleted.has(from) && added.has(path) ? [[from, path]] : [],
  )
  if (renames.length === 0) return []
  const stated = await newestStatement(space, head)
  if (stated === null) return renames
  const there = await space.repo.objects.snapshot(stated)
  const byPeople: [string, string][] = []
  for (const [from, to] of renames) if ((await there.entry(to)) === null) byPeople.push([from, to])
  return byPeople
}

/**
 * Returns the overrides at a remote head that is being imported. A history that a server exported states its IDs, and
 * later commits by other people follow from them. Deriving the IDs from the difference to `base` would swap the IDs of
 * pages that swapped their texts.
 */
export const arrivingOverrides = async (
  app: App,
  space: SpaceRepository,
  base: CommitId,
  head: CommitId,
): Promise<IdOverrides> =>
  (await historyStatesIds(app, space, head))
    ? overridesFrom(app, space, base, head)
    : resolveChanges(app.texts.for(space.doc.id), space.repo, await overridesAt(app, space, base), base, head)

/**
 * Whether a file with the same bytes and path has different IDs at the two commits. Their histories then disagree on
 * IDs.
 */
async function differOnUnchangedFiles(
  work: TextWork,
  repo: Repository,
  { commit: base, overrides: before }: CommitOverrides,
  { commit: head, overrides: own }: CommitOverrides,
): Promise<boolean> {
  if (before === own) return false
  const [old, now] = [await repo.objects.snapshot(base), await repo.objects.snapshot(head)]
  const { root } = (await readConfig(old, work)).config
  const slices = new Slices()
  for (const name of new Set([...before.keys(), ...own.keys()])) {
    if (slices.due) await slices.rest()
    const { kind, key } = entryOfOverride(name)
    if (before.get(name) === own.get(name) || kindOfPath(key) !== kind) continue
    const path = root === '' ? key : `${root}/${key}`
    const [was, is] = [await old.entry(path), await now.entry(path)]
    if (was !== null && was.oid === is?.oid) return true
  }
  return false
}
