// Determines the IDs of pages and files at a commit as overrides: IDs that differ from the default (a hash of the
// path). Commits of the server state their overrides in a header. For other commits, they are derived from the changes.
// See docs/design/page-identity.md.
import { required } from '../../kernel/defined.js'
import type { IdOverrides } from '../../content/identity.js'
import { keepIds, mergeOverridesInSteps, type SideOf, takeOverrides } from '../../content/merge-identity.js'
import { composePageIds, decodePageIds, differenceOfPageIds } from '../../content/identity-header.js'
import type { CommitInfo } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { inSlices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { ADOPTED } from '../context/refs.js'
import { entriesOf, idsKeptByDefault, resolveChanges, sideOfFiles, unchangedFiles } from './identity-changes.js'
import { withMovesOfMerge } from './merge-moves.js'
import { idsOfFollowers } from './follower-ids.js'
import { pagesOfBoth } from './same-path-pages.js'
import { SharedWork } from './shared-work.js'

/** The commit header that states page IDs. */
export const PAGE_IDS = 'page-ids'

/**
 * Maximum number of commits without the header that are resolved one by one. A longer run is resolved as a single
 * change.
 */
const MAX_STEPS = 2_000

export const noOverrides: IdOverrides = new Map()

/** Returns the cache key. It contains the space, since overrides also depend on the space's adopted head. */
const cacheKey = ({ doc }: SpaceRepository, commit: string): string => `${doc.id}:${commit}`

/**
 * Returns the commit that an import adopted as main. All IDs at and below it are the default ones. Null if nothing was
 * adopted, or if the adopted history states its IDs itself (for example a repository under a new space after its
 * documents were lost).
 */
async function adoptedHead(app: App, space: SpaceRepository): Promise<CommitId | null> {
  const adopted = space.repo.refs.head(ADOPTED)
  return !adopted || (await historyStatesIds(app, space, adopted)) ? null : adopted
}

/**
 * Returns the index of the first commit with default IDs; all later ones have them too. Each commit is the first parent
 * of the previous one.
 */
export async function firstWithDefaultIds(
  app: App,
  space: SpaceRepository,
  line: readonly CommitId[],
): Promise<number> {
  const adopted = await adoptedHead(app, space)
  if (!adopted) return line.length
  const at = line.indexOf(adopted)
  if (at >= 0) return at
  let [low, high] = [0, line.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (await space.repo.history.isAncestor(required(line[middle]), adopted)) high = middle
    else low = middle + 1
  }
  return low
}

/** Whether a commit on the first-parent line of `head` has the `page-ids` header, which only servers write. */
export async function historyStatesIds(app: App, space: SpaceRepository, head: CommitId): Promise<boolean> {
  const key = cacheKey(space, head)
  let stated = app.content.ownHistories.get(key)
  if (stated === undefined) {
    stated = (await newestStatement(space, head)) !== null
    app.content.ownHistories.set(key, stated)
  }
  return stated
}

/**
 * Finds the newest commit on the first-parent line of `head` with the `page-ids` header, which only servers write. Null
 * if there is none.
 */
export const newestStatement = ({ repo }: SpaceRepository, head: CommitId): Promise<CommitId | null> =>
  repo.history.findWithHeader(head, PAGE_IDS, MAX_STEPS)

/** Returns the overrides that `commit` has once it is the adopted head of a space that has none. */
export const overridesOnceAdopted = async (app: App, space: SpaceRepository, commit: CommitId): Promise<IdOverrides> =>
  (await historyStatesIds(app, space, commit)) ? overridesAt(app, space, commit) : noOverrides

/** Computations in progress. The computation for a later commit waits for them too. */
const pending = new SharedWork<IdOverrides>()

/** Walks down the first parents from `commit` to the nearest commit with known overrides. `unknown` is newest first. */
async function walkToKnown(
  app: App,
  space: SpaceRepository,
  commit: CommitId,
): Promise<{ unknown: CommitInfo[]; known: IdOverrides; from: CommitId | null }> {
  const { repo } = space
  const adopted = await adoptedHead(app, space)
  const unknown: CommitInfo[] = []
  if (adopted && (await repo.history.isAncestor(commit, adopted))) return { unknown, known: noOverrides, from: commit }
  let at: CommitId | undefined = commit
  while (at !== undefined) {
    const known =
      at === adopted
        ? noOverrides
        : (app.content.overrides.get(cacheKey(space, at)) ?? (await findPending(app, space, commit, at)))
    if (known) return { unknown, known, from: at }
    const info: CommitInfo = await repo.objects.commit(at)
    unknown.push(info)
    at = info.parents[0]
  }
  return { unknown, known: noOverrides, from: null }
}

/**
 * Waits for the overrides of a lower commit that are being computed. Undefined if there is no such computation or it
 * fails.
 */
const findPending = async (
  app: App,
  space: SpaceRepository,
  commit: CommitId,
  at: CommitId,
): Promise<IdOverrides | undefined> => (at === commit ? undefined : pending.find(app, cacheKey(space, at)))

/**
 * Returns the overrides at a commit. A header is relative to the nearest lower commit on the first-parent line with a
 * header, or to the adopted head, or to nothing. Commits without a header are resolved from their changes.
 */
export function overridesAt(app: App, space: SpaceRepository, commit: CommitId): Promise<IdOverrides> {
  return pending.run(app, cacheKey(space, commit), () => compute(app, space, commit))
}

async function compute(app: App, space: SpaceRepository, commit: CommitId): Promise<IdOverrides> {
  const { unknown, known, from } = await walkToKnown(app, space, commit)
  if (unknown.length === 0) return known
  let stated = await statedBelow(app, space, from)
  let current = known
  let previous = from
  const withoutHeader: CommitInfo[] = []
  const resolveWithoutHeader = async (): Promise<void> => {
    const steps = withoutHeader.length > MAX_STEPS ? withoutHeader.slice(-1) : withoutHeader
    for (const step of steps) {
      if (previous !== null)
        current =
          (await resolveMerge(app, space, step)) ??
          (await resolveChanges(app.texts.for(space.doc.id), space.repo, current, previous, step.id))
      previous = step.id
      rememberOverrides(app, space, step.id, current)
    }
    withoutHeader.length = 0
  }
  for (const info of unknown.reverse()) {
    const header = info.headers[PAGE_IDS]
    if (header === undefined) {
      withoutHeader.push(info)
      continue
    }
    // The header already covers earlier commits, so skip them.
    withoutHeader.length = 0
    current = composePageIds(stated, decodePageIds(header))
    stated = current
    previous = info.id
    rememberOverrides(app, space, info.id, current)
  }
  await resolveWithoutHeader()
  return current
}

/** Whether a commit states its page IDs, which only servers do. */
export const statesIds = async ({ repo }: SpaceRepository, commit: CommitId): Promise<boolean> =>
  (await repo.objects.commit(commit)).headers[PAGE_IDS] !== undefined

/**
 * Returns the three-way merged overrides of a merge commit that was made with plain Git. Null if `commit` is not such a
 * merge.
 */
async function resolveMerge(
  app: App,
  space: SpaceRepository,
  { id, parents, tree }: CommitInfo,
): Promise<IdOverrides | null> {
  const [ours, theirs] = parents
  if (!ours || !theirs) return null
  const bases = await space.repo.history.mergeBases(ours, theirs)
  if (bases.length === 0) return null
  const merged = await mergedOverrides(app, space, { bases, ours, theirs, tree })
  const sides = [ours, theirs].map(async (commit) => ({ commit, overrides: await overridesAt(app, space, commit) }))
  return withMovesOfMerge(app.texts.for(space.doc.id), space.repo, merged, id, await Promise.all(sides))
}

/**
 * Returns the overrides at the nearest commit at or below `commit` with a header. Higher headers are relative to them.
 */
async function statedBelow(app: App, space: SpaceRepository, commit: CommitId | null): Promise<IdOverrides> {
  const { repo } = space
  const adopted = await adoptedHead(app, space)
  if (adopted && commit && (await repo.history.isAncestor(commit, adopted))) return noOverrides
  for (let at: CommitId | undefined | null = commit; at; ) {
    if (at === adopted) return noOverrides
    const info: CommitInfo = await repo.objects.commit(at)
    if (info.headers[PAGE_IDS] !== undefined)
      return app.content.overrides.get(cacheKey(space, at)) ?? (await overridesAt(app, space, at))
    at = info.parents[0]
  }
  return noOverrides
}

/** Returns the header that gives a new commit on `parent` these overrides. */
export async function pageIdsHeader(
  app: App,
  space: SpaceRepository,
  parent: CommitId | undefined,
  overrides: IdOverrides,
): Promise<Record<string, string>> {
  const below = await statedBelow(app, space, parent ?? null)
  return { [PAGE_IDS]: differenceOfPageIds(below, overrides) }
}

/** Caches the overrides of a commit. */
export function rememberOverrides(app: App, space: SpaceRepository, commit: CommitId, overrides: IdOverrides): void {
  app.content.overrides.set(cacheKey(space, commit), overrides)
}

/** A merge of two commits and its tree. */
export interface MergedCommits {
  /** The merge bases. A criss-cross history has several. */
  bases: readonly CommitId[]
  ours: CommitId
  theirs: CommitId
  tree: TreeId
  /**
   * The side whose page keeps its ID if both sides added or restored the same page. It is main's side if one side is
   * main. The default is `ours`.
   */
  keeper?: 'ours' | 'theirs'
}

/** Returns the three-way merged overrides of a merge. No two entries of the merged tree share an ID. */
export async function mergedOverrides(app: App, space: SpaceRepository, merged: MergedCommits): Promise<IdOverrides> {
  const { bases, ours, theirs, tree, keeper = 'ours' } = merged
  const { repo } = space
  const work = app.texts.for(space.doc.id)
  const [b, mine, other] = await Promise.all([
    overridesOfBases(app, space, bases),
    overridesAt(app, space, ours),
    overridesAt(app, space, theirs),
  ])
  const [o, t] = await Promise.all([
    idsOfFollowers(work, repo, { head: ours, tree }, mine),
    idsOfFollowers(work, repo, { head: theirs, tree }, other),
  ])
  if (b.size + o.size + t.size === 0) return o
  const differing = [...new Set([...o.keys(), ...t.keys()])].filter((name) => o.get(name) !== t.get(name))
  const sides = [
    { commit: ours, overrides: o },
    { commit: theirs, overrides: t },
  ] as const
  const byFile = await sideOfFiles(work, repo, { ours, theirs, tree }, differing)
  const before = await Promise.all(
    bases.map(async (commit) => ({ commit, overrides: await overridesAt(app, space, commit) })),
  )
  const shared = await pagesOfBoth(work, repo, { bases: before, ours: sides[0], theirs: sides[1] })
  const sideOf: SideOf = (name) => (shared.has(name) ? keeper : byFile(name))
  const entries = await entriesOf(work, repo, tree)
  const kept = await idsKeptByDefault(
    work,
    repo,
    ...(keeper === 'ours' ? sides : ([sides[1], sides[0]] as const)),
    entries,
  )
  return inSlices(mergeOverridesInSteps({ base: b, ours: o, theirs: t }, { existing: entries, sideOf, reserved: kept }))
}

/** Merges the overrides of several merge bases into one, like their content. */
async function overridesOfBases(app: App, space: SpaceRepository, bases: readonly CommitId[]): Promise<IdOverrides> {
  const [first, ...more] = bases
  if (first === undefined) return noOverrides
  let joined = await overridesAt(app, space, first)
  for (const base of more) {
    const below = await space.repo.history.mergeBase(first, base)
    const under = below ? await overridesAt(app, space, below) : noOverrides
    joined = await inSlices(
      mergeOverridesInSteps({ base: under, ours: joined, theirs: await overridesAt(app, space, base) }),
    )
  }
  return joined
}

/**
 * Returns the overrides after the content of `taken` replaced that of `replaced` (a rollback or a forced import). There
 * is no merge. Unchanged files keep their IDs.
 */
export async function takenOverrides(
  app: App,
  space: SpaceRepository,
  taken: CommitId,
  replaced: CommitId,
): Promise<IdOverrides> {
  const { repo } = space
  const work = app.texts.for(space.doc.id)
  const [theirs, mine] = await Promise.all([overridesAt(app, space, taken), overridesAt(app, space, replaced)])
  const differing = [...new Set([...theirs.keys(), ...mine.keys()])].filter(
    (name) => theirs.get(name) !== mine.get(name),
  )
  const same = await unchangedFiles(work, repo, [taken, replaced], differing)
  const entries = await entriesOf(work, repo, (await repo.objects.commit(taken)).tree)
  return takeOverrides(keepIds(theirs, mine, same), mine, entries)
}
