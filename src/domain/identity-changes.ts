import { applyChanges } from '../content/identity-changes.js'
import { defaultId, type EntryKey, type IdOverrides } from '../content/identity.js'
import { matchStructures, structureKeys } from '../content/identity-structure.js'
import { readConfig } from '../content/config.js'
import { keyBelow } from '../content/paths.js'
import { kindOfPath } from '../content/place-kind.js'
import { readStructure } from '../content/structure.js'
import type { Repository, Snapshot, TreeChange } from '../git/index.js'
import type { CommitId } from '../kernel/ids.js'

/** What renames, additions and deletions between two commits do to the IDs; commits may be of any ancestry. */
export async function resolveChanges(
  repo: Repository,
  before: IdOverrides,
  from: CommitId,
  to: CommitId,
  known: readonly { from: string; to: string }[] = [],
): Promise<IdOverrides> {
  const plain = await repo.diff(from, to)
  if (plain.every((change) => change.status === 'modified') && !plain.some((change) => /(^|\/)(SUMMARY\.md|\.gitbook\.yaml)$/i.test(change.path))) return before
  const [old, now] = await Promise.all([repo.at(from), repo.at(to)])
  const changes = await withRenames(repo, from, to, plain, known)
  const { root } = (await readConfig(now)).config
  const entry = (path: string): EntryKey => ({ kind: kindOfPath(keyBelow(root, path)), key: keyBelow(root, path) })
  const here = new Set((await now.walk()).map((file) => keyBelow(root, file.path)))
  const result = applyChanges(
    before,
    {
      added: changes.filter((change) => change.status === 'added').map((change) => entry(change.path)),
      deleted: changes.filter((change) => change.status === 'deleted').map((change) => entry(change.path)),
      renamed: changes
        .filter((change) => change.status === 'renamed')
        .map((change) => ({ kind: entry(change.path).kind, from: keyBelow(root, change.from as string), to: keyBelow(root, change.path) })),
    },
    (kind, key) => here.has(key) && kindOfPath(key) === kind,
  )
  return structural(result, old, now)
}

/** Groups, links and computed pages: matched by what stayed the same around them. */
async function structural(overrides: IdOverrides, old: Snapshot, now: Snapshot): Promise<IdOverrides> {
  const [before, after] = await Promise.all([readStructure(old, defaultId), readStructure(now, defaultId)])
  const keys = structureKeys(after)
  const changes = matchStructures(before, after)
  if (changes.added.length + changes.deleted.length + changes.renamed.length === 0) return overrides
  return applyChanges(overrides, changes, (kind, key) => keys.has(`${kind}\0${key}`))
}

/** Renames: those that are known, then exact blobs (occupied paths too, so that swaps are found), then Git's own detection. */
async function withRenames(
  repo: Repository,
  from: CommitId,
  to: CommitId,
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
  if (open(gone, 'deleted') && open(came, 'added')) {
    for (const change of await repo.diff(from, to, { renames: true })) {
      if (change.status === 'renamed' && change.from !== undefined && gone.get(change.from)?.status === 'deleted' && came.get(change.path)?.status === 'added')
        take(change.from, change.path)
    }
  }
  const rest = [...[...gone.values()].filter((c) => c.status === 'deleted'), ...[...came.values()].filter((c) => c.status === 'added')]
  return [...renamed, ...rest]
}
