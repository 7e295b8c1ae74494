import { applyChanges, decodePageIds, defaultId, encodePageIds, idOf, mergeOverrides, type Overrides } from '../content/identity.js'
import { matchStructures, structureKeys } from '../content/identity-structure.js'
import { readConfig } from '../content/config.js'
import { readStructure } from '../content/structure.js'
import type { EntryKind } from '../content/types.js'
import type { CommitInfo, Repository, Snapshot, TreeChange } from '../git/index.js'
import type { CommitId } from '../kernel/ids.js'
import type { App } from './app.js'
import { ADOPTED } from './refs.js'

/** The commit header that carries page identity: see ARCHITECTURE.md, "Page identity". */
export const PAGE_IDS = 'page-ids'

/** Longest run of commits without the header that is resolved one by one; a longer one is resolved as one difference. */
const MAX_STEPS = 200

export const noOverrides: Overrides = decodePageIds('1')

/** A key of the cache: IDs depend on the space (its adopted head) and the commit. */
const cacheKey = (space: string, commit: string): string => `${space}:${commit}`

/** First-parent commits from `commit` down to the nearest one whose IDs are known, newest first, and those IDs. */
async function walkToKnown(
  app: App,
  space: string,
  repo: Repository,
  commit: CommitId,
): Promise<{ unknown: CommitInfo[]; known: Overrides; from: CommitId | null }> {
  const adopted = repo.head(ADOPTED)
  const unknown: CommitInfo[] = []
  if (adopted && (await repo.isAncestor(commit, adopted))) return { unknown, known: noOverrides, from: commit }
  let at: CommitId | undefined = commit
  while (at !== undefined) {
    const known = at === adopted ? noOverrides : app.content.overrides.get(cacheKey(space, at))
    if (known) return { unknown, known, from: at }
    const info: CommitInfo = await repo.commit(at)
    unknown.push(info)
    at = info.parents[0]
  }
  return { unknown, known: noOverrides, from: null }
}

/**
 * The IDs at a commit that differ from the default ones. A commit of the server says them in its header, relative to the
 * nearest commit below it on the first-parent line that is the server's own (or the adopted head, or nothing); commits
 * without the header are resolved from what they changed.
 */
export async function overridesAt(app: App, space: string, repo: Repository, commit: CommitId): Promise<Overrides> {
  const { unknown, known, from } = await walkToKnown(app, space, repo, commit)
  let frozen = await frozenBelow(app, space, repo, from)
  let current = known
  let previous = from
  const plain: CommitInfo[] = []
  const flush = async (): Promise<void> => {
    const steps = plain.length > MAX_STEPS ? plain.slice(-1) : plain
    for (const step of steps) {
      if (previous !== null) current = await resolveChanges(repo, current, previous, step.id)
      previous = step.id
      app.content.overrides.set(cacheKey(space, step.id), current)
    }
    plain.length = 0
  }
  for (const info of unknown.reverse()) {
    const header = info.headers[PAGE_IDS]
    if (header === undefined) {
      plain.push(info)
      continue
    }
    plain.length = 0
    current = mergeHeader(frozen, decodePageIds(header))
    frozen = current
    previous = info.id
    app.content.overrides.set(cacheKey(space, info.id), current)
  }
  await flush()
  return current
}

/** IDs at the nearest commit at or below `commit` that carries the header: what headers above it are relative to. */
async function frozenBelow(app: App, space: string, repo: Repository, commit: CommitId | null): Promise<Overrides> {
  const adopted = repo.head(ADOPTED)
  for (let at: CommitId | undefined | null = commit; at; ) {
    if (at === adopted) return noOverrides
    const info: CommitInfo = await repo.commit(at)
    if (info.headers[PAGE_IDS] !== undefined) return app.content.overrides.get(cacheKey(space, at)) ?? (await overridesAt(app, space, repo, at))
    at = info.parents[0]
  }
  return noOverrides
}

const mergeHeader = (base: Overrides, header: Overrides): Overrides => new Map([...base, ...header]) as Overrides

/** The header of a commit to be made on `parent` whose IDs are to be `overrides`. */
export async function pageIdsHeader(
  app: App,
  space: string,
  repo: Repository,
  parent: CommitId | undefined,
  overrides: Overrides,
): Promise<Record<string, string>> {
  const below = await frozenBelow(app, space, repo, parent ?? null)
  if (below === overrides) return { [PAGE_IDS]: encodePageIds(noOverrides) }
  const own = new Map([...overrides].filter(([key, id]) => below.get(key) !== id)) as Overrides
  return { [PAGE_IDS]: encodePageIds(own) }
}

/** Remembers the IDs of a commit just made, so that nothing has to be read back. */
export function rememberOverrides(app: App, space: string, commit: CommitId, overrides: Overrides): void {
  app.content.overrides.set(cacheKey(space, commit), overrides)
}

/** What renames, additions and deletions between two commits do to the IDs; commits may be of any ancestry. */
export async function resolveChanges(
  repo: Repository,
  before: Overrides,
  from: CommitId,
  to: CommitId,
  known: readonly { from: string; to: string }[] = [],
): Promise<Overrides> {
  const plain = await repo.diff(from, to)
  if (plain.every((change) => change.status === 'modified') && !plain.some((change) => /(^|\/)(SUMMARY\.md|\.gitbook\.yaml)$/i.test(change.path))) return before
  const [old, now] = await Promise.all([repo.at(from), repo.at(to)])
  const changes = await withRenames(repo, from, to, plain, known)
  const [root] = await Promise.all([rootOf(now)])
  const keyOf = (path: string): string => (root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path)
  const here = await existing(now, keyOf)
  let result = before
  for (const kind of ['page', 'file', 'reusable-content'] as const) {
    const mine = changes.filter((change) => kindOf(keyOf(change.path)) === kind || (change.from !== undefined && kindOf(keyOf(change.from)) === kind))
    if (mine.length === 0) continue
    result = applyChanges(
      result,
      {
        kind,
        added: mine.filter((change) => change.status === 'added').map((change) => keyOf(change.path)),
        deleted: mine.filter((change) => change.status === 'deleted').map((change) => keyOf(change.path)),
        renamed: mine.filter((change) => change.status === 'renamed').map((change) => ({ from: keyOf(change.from as string), to: keyOf(change.path) })),
      },
      (k, key) => here.has(`${k}\0${key}`),
    )
  }
  return structural(result, old, now)
}

/** Groups, links and computed pages: matched by what stayed the same around them. */
async function structural(overrides: Overrides, old: Snapshot, now: Snapshot): Promise<Overrides> {
  const [before, after] = await Promise.all([readStructure(old, defaultId), readStructure(now, defaultId)])
  const keys = structureKeys(after)
  let result = overrides
  for (const kind of ['group', 'link', 'computed'] as const) {
    const change = matchStructures(before, after, kind)
    if (change.added.length + change.deleted.length + change.renamed.length > 0)
      result = applyChanges(result, { kind, ...change }, (k, key) => keys.has(`${k}\0${key}`))
  }
  return result
}

/** Which identity a file has by its place. */
export function kindOf(key: string): EntryKind {
  if (/^\.gitbook\/includes\/.*\.md$/i.test(key)) return 'reusable-content'
  return /\.(md|markdown)$/i.test(key) ? 'page' : 'file'
}

const rootOf = async (snapshot: Snapshot): Promise<string> => (await readConfig(snapshot)).config.root

async function existing(snapshot: Snapshot, keyOf: (path: string) => string): Promise<Set<string>> {
  const found = new Set<string>()
  for (const entry of await snapshot.walk()) {
    const key = keyOf(entry.path)
    found.add(`${kindOf(key)}\0${key}`)
  }
  return found
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

/** IDs after a merge, three-way. */
export async function mergedOverrides(app: App, space: string, repo: Repository, base: CommitId | null, ours: CommitId, theirs: CommitId): Promise<Overrides> {
  const [b, o, t] = await Promise.all([
    base ? overridesAt(app, space, repo, base) : noOverrides,
    overridesAt(app, space, repo, ours),
    overridesAt(app, space, repo, theirs),
  ])
  return b === t ? o : b === o ? t : mergeOverrides(b, o, t)
}

export { idOf }
