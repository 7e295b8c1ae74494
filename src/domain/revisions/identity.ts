import type { IdOverrides } from '../../content/identity.js'
import { mergeOverridesInSteps, takeOverrides } from '../../content/merge-identity.js'
import { composePageIds, decodePageIds, differenceOfPageIds } from '../../content/identity-header.js'
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { inSlices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import { entriesOf, keptByDefault, resolveChanges, sideOfFiles } from './identity-changes.js'
import { ADOPTED } from '../context/refs.js'

/** The commit header that carries page identity: see ARCHITECTURE.md, "Page identity". */
export const PAGE_IDS = 'page-ids'

/** Longest run of commits without the header that is resolved one by one; a longer one is resolved as one difference. */
const MAX_STEPS = 2_000

export const noOverrides: IdOverrides = new Map()

/** A key of the cache: IDs depend on the space (its adopted head) and the commit. */
const cacheKey = (space: string, commit: string): string => `${space}:${commit}`

/**
 * The adopted head, at and below which IDs are the default ones; null where there is none, or where a server wrote that
 * history: a repository put under a new space (its documents were lost) says its IDs itself.
 */
async function adoptedHead(app: App, space: string, repo: Repository): Promise<CommitId | null> {
  const adopted = repo.head(ADOPTED)
  return !adopted || (await saysItsIds(app, space, repo, adopted)) ? null : adopted
}

/** Whether a server wrote in the history of an adopted head, or of another commit of a remote. */
export async function saysItsIds(app: App, space: string, repo: Repository, adopted: CommitId): Promise<boolean> {
  const key = cacheKey(space, adopted)
  let ours = app.content.ownHistories.get(key)
  if (ours === undefined) {
    ours = (await repo.history({ from: adopted, firstParent: true, limit: MAX_STEPS })).some((info) => info.headers[PAGE_IDS] !== undefined)
    app.content.ownHistories.set(key, ours)
  }
  return ours
}

/** The IDs that `commit` will have once it is the adopted head of a space that has none. */
export const overridesOnceAdopted = async (app: App, space: string, repo: Repository, commit: CommitId): Promise<IdOverrides> =>
  (await saysItsIds(app, space, repo, commit)) ? overridesAt(app, space, repo, commit) : noOverrides

/** First-parent commits from `commit` down to the nearest one whose IDs are known, newest first, and those IDs. */
async function walkToKnown(
  app: App,
  space: string,
  repo: Repository,
  commit: CommitId,
): Promise<{ unknown: CommitInfo[]; known: IdOverrides; from: CommitId | null }> {
  const adopted = await adoptedHead(app, space, repo)
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
export async function overridesAt(app: App, space: string, repo: Repository, commit: CommitId): Promise<IdOverrides> {
  const { unknown, known, from } = await walkToKnown(app, space, repo, commit)
  let frozen = await frozenBelow(app, space, repo, from)
  let current = known
  let previous = from
  const plain: CommitInfo[] = []
  const flush = async (): Promise<void> => {
    const steps = plain.length > MAX_STEPS ? plain.slice(-1) : plain
    for (const step of steps) {
      if (previous !== null)
        current = (await resolveMerge(app, space, repo, step)) ?? (await resolveChanges(app.texts.for(space), repo, current, previous, step.id))
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
    current = composePageIds(frozen, decodePageIds(header))
    frozen = current
    previous = info.id
    app.content.overrides.set(cacheKey(space, info.id), current)
  }
  await flush()
  return current
}

/** IDs after a merge that a Git user made, three-way like those of the server; null where it is none. */
async function resolveMerge(app: App, space: string, repo: Repository, { parents, tree }: CommitInfo): Promise<IdOverrides | null> {
  const [ours, theirs] = parents
  if (!ours || !theirs) return null
  const bases = await repo.mergeBases(ours, theirs)
  return bases.length === 0 ? null : mergedOverrides(app, space, repo, { bases, ours, theirs, tree })
}

/** IDs at the nearest commit at or below `commit` that carries the header: what headers above it are relative to. */
async function frozenBelow(app: App, space: string, repo: Repository, commit: CommitId | null): Promise<IdOverrides> {
  const adopted = await adoptedHead(app, space, repo)
  if (adopted && commit && (await repo.isAncestor(commit, adopted))) return noOverrides
  for (let at: CommitId | undefined | null = commit; at; ) {
    if (at === adopted) return noOverrides
    const info: CommitInfo = await repo.commit(at)
    if (info.headers[PAGE_IDS] !== undefined) return app.content.overrides.get(cacheKey(space, at)) ?? (await overridesAt(app, space, repo, at))
    at = info.parents[0]
  }
  return noOverrides
}

/** The header of a commit to be made on `parent` whose IDs are to be `overrides`. */
export async function pageIdsHeader(
  app: App,
  space: string,
  repo: Repository,
  parent: CommitId | undefined,
  overrides: IdOverrides,
): Promise<Record<string, string>> {
  const below = await frozenBelow(app, space, repo, parent ?? null)
  return { [PAGE_IDS]: differenceOfPageIds(below, overrides) }
}

/** Remembers the IDs of a commit just made, so that nothing has to be read back. */
export function rememberOverrides(app: App, space: string, commit: CommitId, overrides: IdOverrides): void {
  app.content.overrides.set(cacheKey(space, commit), overrides)
}

/** A merge of two commits, and what came of it. */
export interface MergedCommits {
  /** The newest common commits; of histories that crossed there are several. */
  bases: readonly CommitId[]
  ours: CommitId
  theirs: CommitId
  tree: TreeId
  /** The side whose pages keep their IDs where something else on the other side has one of these: main, where one of them is; `ours` if absent. */
  keeper?: 'ours' | 'theirs'
}

/** IDs after a merge, three-way; no two entries of the merged tree share one. */
export async function mergedOverrides(app: App, space: string, repo: Repository, merged: MergedCommits): Promise<IdOverrides> {
  const { bases, ours, theirs, tree, keeper = 'ours' } = merged
  const [b, o, t] = await Promise.all([overridesOfBases(app, space, repo, bases), overridesAt(app, space, repo, ours), overridesAt(app, space, repo, theirs)])
  if (b.size + o.size + t.size === 0) return o
  const work = app.texts.for(space)
  const differing = [...new Set([...o.keys(), ...t.keys()])].filter((name) => o.get(name) !== t.get(name))
  const sideOf = await sideOfFiles(work, repo, { ours, theirs, tree }, differing)
  const entries = await entriesOf(work, repo, tree)
  const sides = [
    { commit: ours, overrides: o },
    { commit: theirs, overrides: t },
  ] as const
  const kept = await keptByDefault(work, repo, ...(keeper === 'ours' ? sides : ([sides[1], sides[0]] as const)), entries)
  return inSlices(mergeOverridesInSteps({ base: b, ours: o, theirs: t }, { existing: entries, sideOf, reserved: kept }))
}

/** IDs of what several commits have in common: merged, as their content is. */
async function overridesOfBases(app: App, space: string, repo: Repository, bases: readonly CommitId[]): Promise<IdOverrides> {
  const [first, ...more] = bases
  if (first === undefined) return noOverrides
  let joined = await overridesAt(app, space, repo, first)
  for (const base of more) {
    const below = await repo.mergeBase(first, base)
    const under = below ? await overridesAt(app, space, repo, below) : noOverrides
    joined = await inSlices(mergeOverridesInSteps({ base: under, ours: joined, theirs: await overridesAt(app, space, repo, base) }))
  }
  return joined
}

/** IDs after `taken` has replaced the content of `left` as a whole: what one side alone had moved is no merge's to weigh. */
export const takenOverrides = async (app: App, space: string, repo: Repository, taken: CommitId, left: CommitId): Promise<IdOverrides> =>
  takeOverrides(
    await overridesAt(app, space, repo, taken),
    await overridesAt(app, space, repo, left),
    await entriesOf(app.texts.for(space), repo, (await repo.commit(taken)).tree),
  )
