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
import { keyBelow } from '../../content/paths.js'
import { kindOfPath } from '../../content/known-files.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository, TreeChange, TreeEntry } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { historyStatesIds, newestStatement, overridesAt, statesIds } from './identity.js'
import { type CommitOverrides, resolveChanges } from './identity-changes.js'

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
  const [oldRoot, root] = await Promise.all(
    [base.commit, head.commit].map(async (commit) => (await readConfig(await repo.at(commit), work)).config.root),
  )
  const changes = await repo.diff(base.commit, head.commit)
  const entryBelow = (from: string | undefined, path: string): EntryKey => ({
    kind: kindOfPath(keyBelow(from ?? '', path)),
    key: keyBelow(from ?? '', path),
  })
  const entryWas = (path: string): EntryKey => entryBelow(oldRoot, path)
  const entryAt = (path: string): EntryKey => entryBelow(root, path)
  const [was, is] = [idOf(base.overrides), idOf(head.overrides)]
  const [gone, come] = [new Map<string, string[]>(), new Map<string, string[]>()]
  const put = (into: Map<string, string[]>, { oid, path }: TreeEntry): unknown =>
    into.get(oid)?.push(path) ?? into.set(oid, [path])
  const used = new Set(
    changes.flatMap(({ after }) => (after ? [is(entryAt(after.path).kind, entryAt(after.path).key)] : [])),
  )
  const known = new Set(
    changes.flatMap(({ before }) => (before ? [was(entryWas(before.path).kind, entryWas(before.path).key)] : [])),
  )
  for (const { before, after } of changes) {
    if (before && !used.has(was(entryWas(before.path).kind, entryWas(before.path).key))) put(gone, before)
    if (after && !known.has(is(entryAt(after.path).kind, entryAt(after.path).key))) put(come, after)
  }
  const found = new OverrideDraft(head.overrides)
  const moved = new Set<string>()
  const give = (entry: EntryKey, id: string): void => {
    used.add(id)
    moved.add(overrideKey(entry.kind, entry.key))
    found.give(entry, id)
  }
  for (const [oid, [to, ...others]] of come) {
    const [from, ...more] = gone.get(oid) ?? []
    if (from === undefined || to === undefined || others.length + more.length > 0) continue
    const [old, now] = [entryWas(from), entryAt(to)]
    if (old.kind === now.kind) give(now, was(old.kind, old.key))
  }
  const isLost = (path: string): boolean => !used.has(was(entryWas(path).kind, entryWas(path).key))
  const isNew = (path: string): boolean =>
    !known.has(is(entryAt(path).kind, entryAt(path).key)) &&
    !moved.has(overrideKey(entryAt(path).kind, entryAt(path).key))
  for (const [from, to] of await similarFiles(space, base.commit, head.commit, changes, { isLost, isNew })) {
    const [old, now] = [entryWas(from), entryAt(to)]
    if (old.kind === now.kind && isLost(from)) give(now, was(old.kind, old.key))
  }
  for (const { before, after } of changes) {
    if (!before || !after || before.path !== after.path) continue
    const [former, entry] = [entryWas(before.path), entryAt(after.path)]
    const [old, now] = [was(former.kind, former.key), is(entry.kind, entry.key)]
    if (used.has(old) || known.has(now) || moved.has(overrideKey(entry.kind, entry.key))) continue
    give(entry, old)
  }
  const { overrides } = found
  return overrides.size === head.overrides.size && [...overrides].every(([name, id]) => head.overrides.get(name) === id)
    ? head.overrides
    : overrides
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
  const renames = (await space.repo.diff(base, head, { renames: true })).flatMap(
    ({ status, from, path }): [string, string][] =>
      status === 'renamed' && from !== undefined && deleted.has(from) && added.has(path) ? [[from, path]] : [],
  )
  if (renames.length === 0) return []
  const stated = await newestStatement(space, head)
  if (stated === null) return renames
  const there = await space.repo.at(stated)
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
  const [old, now] = [await repo.at(base), await repo.at(head)]
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
