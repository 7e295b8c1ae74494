// Determines when each file was created and last changed, by commit. Each commit has a map of its changes on top of the
// map of the previous commit. Long chains are flattened into one map.
import { required } from '../../kernel/defined.js'
import { readConfig } from '../../content/config.js'
import { type IdOverrides, idOf } from '../../content/identity.js'
import { isMarkdown, keyBelow } from '../../content/paths.js'
import type { CommitPaths, CommitStep } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { eachInSlices, Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { PageDates, FileDates } from '../context/content-cache.js'
import type { SpaceRepository } from '../context/loaded.js'
import { firstWithDefaultIds, overridesAt } from './identity.js'
import { SharedWork } from './shared-work.js'

/** Maximum length of a chain. A lookup visits at most this many maps. */
const MAX_DEPTH = 32
/**
 * Number of commits that are compared without a Git process. They include all staged commits that are not yet on the
 * disk.
 */
const SINGLE_STEPS = 2 * MAX_DEPTH
/** Number of commits whose stored dates are looked up together. */
const LOOKUP_BATCH = 200
/** Number of commits that one Git process compares with their parents. */
const READ_BATCH = 1_000
/** Number of commits after which dates are stored for the next start of the service. */
const STORE_AFTER = 256

/** Returns the dates of one file, by its path from the repository's root. */
export function datesOf(dates: PageDates, path: string): FileDates | undefined {
  for (let link: PageDates | null = dates; link; link = link.base) {
    const found = link.own.get(path)
    if (found !== undefined) return found ?? undefined
  }
  return undefined
}

/** Computations in progress. Requests for dates at later commits wait for them. */
const pending = new SharedWork<PageDates>()

/**
 * Returns the dates at a commit. They build on the nearest commit on its first-parent line whose dates are cached or
 * stored. Each step costs only the changes of one commit, and Git reads a long line in one pass. A moved file keeps its
 * creation date.
 */
export function datesAt(app: App, space: SpaceRepository, commit: CommitId): Promise<PageDates> {
  return pending.run(app, `${space.doc.id}:${commit}`, () => compute(app, space, commit))
}

async function compute(app: App, space: SpaceRepository, commit: CommitId): Promise<PageDates> {
  const line: Line = { steps: [], base: { own: new Map(), base: null, depth: 0, sinceStored: 0 } }
  await extendLine(app, space, line, commit)
  const { steps } = line
  const single = steps.splice(0, SINGLE_STEPS).reverse()
  let growing = steps.length > 0 ? await addLongLine(app, space, await flatten(line.base), steps) : line.base
  // Only the newest commits get a separate, cached map. Older ones go into one flat map.
  if (single.length > MAX_DEPTH) growing = await flatten(growing)
  for (const [index, step] of single.entries()) {
    const changed = {
      ...step,
      seconds: (await space.repo.objects.commit(step.commit)).committer.seconds,
      changes: await space.repo.trees.diff(step.parent, step.commit),
    }
    const own = await datesChangedBy(app, space, growing, changed)
    const sinceStored = growing.sinceStored + 1
    if (index < single.length - MAX_DEPTH) {
      for (const [path, value] of own) growing.own.set(path, value)
      growing.sinceStored = sinceStored
      continue
    }
    growing = { own, base: growing, depth: growing.depth + 1, sinceStored: sinceStored }
    if (growing.depth > MAX_DEPTH) growing = await flatten(growing)
    app.content.dates.set(`${space.doc.id}:${step.commit}`, growing)
  }
  if (growing.sinceStored >= STORE_AFTER) {
    growing.sinceStored = 0
    await app.storedDates.store(space.doc.id, commit, (await flatten(growing)).own)
  }
  return growing
}

/** Commits whose dates are unknown, newest first, and the dates before them. */
interface Line {
  steps: CommitStep[]
  base: PageDates
}

/** Finds dates in memory or waits for their computation. */
const findCached = async (app: App, key: string, isAsked: boolean): Promise<PageDates | undefined> =>
  app.content.dates.get(key) ?? (isAsked ? undefined : await pending.find(app, key))

/** Walks down the first parents to the nearest commit with known dates. */
async function extendLine(app: App, space: SpaceRepository, line: Line, commit: CommitId): Promise<void> {
  for (let at: CommitId | null = commit; at !== null; ) {
    const known = await findCached(app, `${space.doc.id}:${at}`, at === commit)
    if (known) {
      line.base = known
      return
    }
    if (line.steps.length === SINGLE_STEPS) return extendLongLine(app, space, line, at)
    const parent: CommitId | null = (await space.repo.objects.commit(at)).parents[0] ?? null
    line.steps.push({ commit: at, parent })
    at = parent
  }
}

/** Continues a walk of any length. It also checks the dates that were stored before the last restart. */
async function extendLongLine(app: App, space: SpaceRepository, line: Line, from: CommitId): Promise<void> {
  const rest = await space.repo.history.firstParents(from)
  const steps = [...line.steps, ...rest.map((commit, index) => ({ commit, parent: rest[index + 1] ?? null }))]
  const slices = new Slices()
  for (let at = 0; at < steps.length; at += LOOKUP_BATCH) {
    if (slices.due) await slices.rest()
    const some = steps.slice(at, at + LOOKUP_BATCH)
    const stored = await app.storedDates.find(
      space.doc.id,
      some.map(({ commit }) => commit),
    )
    for (const [index, { commit }] of some.entries()) {
      const known = at + index < SINGLE_STEPS ? undefined : await findCached(app, `${space.doc.id}:${commit}`, false)
      if (!known && stored?.commit !== commit) continue
      line.steps = steps.slice(0, at + index)
      line.base = known ?? { own: stored?.dates ?? new Map(), base: null, depth: 0, sinceStored: 0 }
      return
    }
  }
  line.steps = steps
}

/**
 * Adds the dates of a long line of commits, newest first, to a flat map. Git reads their changes a thousand commits at
 * a time.
 */
async function addLongLine(
  app: App,
  space: SpaceRepository,
  dates: PageDates,
  steps: readonly CommitStep[],
): Promise<PageDates> {
  const defaults = await firstWithDefaultIds(
    app,
    space,
    steps.map(({ commit }) => commit),
  )
  const slices = new Slices()
  for (let end = steps.length; end > 0; end -= READ_BATCH) {
    const some = steps.slice(Math.max(0, end - READ_BATCH), end).reverse()
    for (const [index, changed] of (await space.repo.history.changedPaths(some)).entries()) {
      const { parent } = required(some[index])
      const moves = end - 1 - index < defaults
      for (const [path, value] of await datesChangedBy(app, space, dates, { ...changed, parent }, moves)) {
        dates.own.set(path, value)
        if (slices.due) await slices.rest()
      }
    }
  }
  return { ...dates, sinceStored: dates.sinceStored + steps.length }
}

/** Returns one map of the dates in a chain, made in slices. */
async function flatten(dates: PageDates): Promise<PageDates> {
  const all = new Map<string, FileDates | null>()
  for (let link: PageDates | null = dates; link; link = link.base)
    await eachInSlices(link.own, ([path, value]) => {
      if (!all.has(path)) all.set(path, value)
    })
  await eachInSlices(all, ([path, value]) => {
    if (value === null) all.delete(path)
  })
  return { own: all, base: null, depth: 0, sinceStored: dates.sinceStored }
}

/**
 * Returns the dates of the files that a commit changed (null = deleted), given the previous dates. Without `moves`, no
 * page ID has changed.
 */
async function datesChangedBy(
  app: App,
  space: SpaceRepository,
  before: PageDates,
  { commit, parent, seconds, changes }: CommitPaths & CommitStep,
  moves = true,
): Promise<Map<string, FileDates | null>> {
  const own = new Map<string, FileDates | null>()
  await eachInSlices(changes, ({ status, path }) => {
    const created = status === 'modified' ? datesOf(before, path)?.created : undefined
    own.set(path, status === 'deleted' ? null : { created: created ?? seconds, updated: seconds, commit })
  })
  const mayHaveMoved = moves && changes.length > 1 && changes.some((change) => isMarkdown(change.path))
  if (parent && mayHaveMoved) await carryCreationDates(app, space, { parent, commit, changes, before, own })
  return own
}

/** A commit's changes, the previous dates, and its own dates so far. */
interface DatedCommit {
  parent: CommitId
  commit: CommitId
  changes: CommitPaths['changes']
  before: PageDates
  own: Map<string, FileDates | null>
}

/**
 * Copies creation dates to files that were moved or swapped. These are at a path where the parent had another page ID,
 * which it had at another path.
 */
async function carryCreationDates(
  app: App,
  space: SpaceRepository,
  { parent, commit, changes, before, own }: DatedCommit,
): Promise<void> {
  const { repo, doc } = space
  const [old, now] = await Promise.all([overridesAt(app, space, parent), overridesAt(app, space, commit)])
  if (old === now) return
  const rootOf = async (id: CommitId): Promise<string> =>
    (await readConfig(await repo.objects.snapshot(id), app.texts.for(doc.id))).config.root
  const [oldRoot, root] = await Promise.all([rootOf(parent), rootOf(commit)])
  const idIn = (overrides: IdOverrides, below: string, path: string): string =>
    idOf(overrides)('page', keyBelow(below, path))
  const slices = new Slices()
  const source = new Map<string, string>()
  for (const { status, path } of changes) {
    if (slices.due) await slices.rest()
    if (status !== 'added') source.set(idIn(old, oldRoot, path), path)
  }
  for (const change of changes) {
    if (slices.due) await slices.rest()
    if (change.status === 'deleted') continue
    const from = source.get(idIn(now, root, change.path))
    const dates = from === undefined || from === change.path ? undefined : datesOf(before, from)
    const mine = own.get(change.path)
    if (dates && mine) own.set(change.path, { ...mine, created: dates.created })
  }
}
