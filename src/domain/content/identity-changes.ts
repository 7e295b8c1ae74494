import { applyChanges } from '../../content/identity-changes.js'
import { defaultId, type EntryKey, entryOfOverride, type IdOverrides } from '../../content/identity.js'
import { matchStructures, structureKeys } from '../../content/identity-structure.js'
import { readConfig } from '../../content/config.js'
import { keyBelow } from '../../content/paths.js'
import { kindOfPath } from '../../content/place-kind.js'
import { readStructure } from '../../content/structure.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository, Snapshot, TreeChange } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'

/** What renames, additions and deletions between two commits do to the IDs; commits may be of any ancestry. */
export async function resolveChanges(
  work: TextWork,
  repo: Repository,
  before: IdOverrides,
  from: CommitId,
  to: CommitId,
  known: readonly { from: string; to: string }[] = [],
): Promise<IdOverrides> {
  const plain = await repo.diff(from, to)
  const [old, now] = await Promise.all([repo.at(from), repo.at(to)])
  const [{ root: oldRoot, summary }, { root }] = [(await readConfig(old, work)).config, (await readConfig(now, work)).config]
  const shapes = (path: string): boolean => path === summary || path.endsWith('.gitbook.yaml')
  if (plain.every((change) => change.status === 'modified' && !shapes(change.path)) && !swapped(plain)) return before
  const changes = await withRenames(work, repo, old, now, plain, known)
  const files = await now.walk()
  const entry = (path: string): EntryKey => ({ kind: kindOfPath(keyBelow(root, path)), key: keyBelow(root, path) })
  const here = new Set(files.map((file) => keyBelow(root, file.path)))
  // Another root gives every file another key, although none has moved.
  const came = new Set(changes.map((change) => change.path))
  const rerooted = root === oldRoot ? [] : files.map((file) => file.path).filter((path) => !came.has(path) && keyBelow(root, path) !== keyBelow(oldRoot, path))
  const result = applyChanges(
    before,
    {
      added: changes.filter((change) => change.status === 'added').map((change) => entry(change.path)),
      deleted: changes
        .filter((change) => change.status === 'deleted')
        .map(({ path }) => ({ kind: kindOfPath(keyBelow(oldRoot, path)), key: keyBelow(oldRoot, path) })),
      renamed: [
        ...changes.filter((change) => change.status === 'renamed').map((change) => [change.from as string, change.path] as const),
        ...rerooted.map((path) => [path, path] as const),
      ].map(([source, path]) => ({ kind: entry(path).kind, from: keyBelow(oldRoot, source), to: keyBelow(root, path) })),
    },
    (kind, key) => here.has(key) && kindOfPath(key) === kind,
  )
  return structural(work, result, old, now)
}

/** Whether a file now has the bytes that another one had. */
function swapped(changes: readonly TreeChange[]): boolean {
  const had = new Set(changes.map((change) => change.before?.oid))
  return changes.some((change) => had.has(change.after?.oid))
}

/** Groups, links and computed pages: matched by what stayed the same around them. */
async function structural(work: TextWork, overrides: IdOverrides, old: Snapshot, now: Snapshot): Promise<IdOverrides> {
  const [before, after] = await Promise.all([readStructure(old, defaultId, work), readStructure(now, defaultId, work)])
  const keys = structureKeys(after)
  const changes = matchStructures(before, after)
  if (changes.added.length + changes.deleted.length + changes.renamed.length === 0) return overrides
  return applyChanges(overrides, changes, (kind, key) => keys.has(`${kind}\0${key}`))
}

/**
 * Renames: those that are known, then exact blobs (occupied paths too, so that swaps are found), then entries of the table of
 * contents of one title, then Git's own detection.
 */
async function withRenames(
  work: TextWork,
  repo: Repository,
  old: Snapshot,
  now: Snapshot,
  plain: TreeChange[],
  known: readonly { from: string; to: string }[],
): Promise<TreeChange[]> {
  const gone = new Map(plain.filter((c) => c.status !== 'added').map((c) => [c.path, c]))
  const came = new Map(plain.filter((c) => c.status !== 'deleted').map((c) => [c.path, c]))
  const renamed: TreeChange[] = []
  const take = (source: string, target: string): void => {
    renamed.push({ ...(came.get(target) as TreeChange), status: 'renamed', from: source, path: target })
    gone.delete(source)
    came.delete(target)
  }
  for (const move of known) if (gone.has(move.from) && came.has(move.to)) take(move.from, move.to)
  const byBlob = new Map<string, string[]>()
  for (const [path, change] of gone) if (change.before) byBlob.set(change.before.oid, [...(byBlob.get(change.before.oid) ?? []), path])
  for (const [path, change] of [...came]) {
    const sources = change.after ? byBlob.get(change.after.oid)?.filter((source) => gone.has(source)) : undefined
    // Several equal files (stubs) say nothing about which is which: the one of the same name is taken, else none here.
    const source = sources?.length === 1 ? sources[0] : sources?.find((candidate) => candidate.split('/').at(-1) === path.split('/').at(-1))
    if (source !== undefined && source !== path) take(source, path)
  }
  const open = (map: Map<string, TreeChange>, status: string): boolean => [...map.values()].some((change) => change.status === status)
  const isRenamed = (source: string, target: string): boolean => gone.get(source)?.status === 'deleted' && came.get(target)?.status === 'added'
  if (open(gone, 'deleted') && open(came, 'added')) {
    const [titles, places] = await Promise.all([oneOfATitle(work, old, (path) => gone.has(path)), oneOfATitle(work, now, (path) => came.has(path))])
    for (const [title, source] of titles) {
      const target = places.get(title)
      if (source !== null && target && isRenamed(source, target)) take(source, target)
    }
  }
  if (open(gone, 'deleted') && open(came, 'added')) {
    for (const change of await repo.diff(old.commit, now.commit, { renames: true })) {
      if (change.status === 'renamed' && change.from !== undefined && isRenamed(change.from, change.path)) take(change.from, change.path)
    }
  }
  const rest = [...[...gone.values()].filter((c) => c.status === 'deleted'), ...[...came.values()].filter((c) => c.status === 'added')]
  return [...renamed, ...rest]
}

/** The listed files among those asked for, by their titles; null where several have one (`Introduction`): that says nothing. */
async function oneOfATitle(work: TextWork, snapshot: Snapshot, isAsked: (path: string) => boolean): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>()
  for (const entry of (await readStructure(snapshot, defaultId, work)).byGitPath.values())
    if (isAsked(entry.gitPath)) found.set(entry.title, found.has(entry.title) ? null : entry.gitPath)
  return found
}

/** Everything of a tree that has an identity. */
export async function entriesOf(work: TextWork, repo: Repository, tree: TreeId): Promise<EntryKey[]> {
  const files = repo.tree(tree)
  const structure = await readStructure(files, defaultId, work)
  const { root } = structure.config
  const keys = (await files.walk()).map((file) => keyBelow(root, file.path))
  const listed = [...structureKeys(structure)].map(entryOfOverride).filter(({ kind }) => kind !== 'page')
  return [...keys.map((key) => ({ kind: kindOfPath(key), key })), ...listed]
}
