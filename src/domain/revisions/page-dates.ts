// When each file was created and last changed, by commit. Each commit's dates are a map of what it changed, on top of the map of the commit
// before it: a chain, which is flattened into one map when it gets long.
import { readConfig } from '../../content/config.js'
import { type IdOverrides, idOf } from '../../content/identity.js'
import { isMarkdown, keyBelow } from '../../content/paths.js'
import type { CommitInfo, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { PageDates, FileDates } from '../context/content-cache.js'
import type { SpaceRepository } from '../context/loaded.js'
import { overridesAt } from './identity.js'
import { SharedWork } from './shared-work.js'

/** Longest chain: a lookup walks at most this many maps. */
const MAX_DEPTH = 32

/** The dates of one file, by its path from the repository's root. */
export function datesOf(dates: PageDates, path: string): FileDates | undefined {
  for (let link: PageDates | null = dates; link; link = link.base) {
    const found = link.own.get(path)
    if (found !== undefined) return found ?? undefined
  }
  return undefined
}

/** The dates at a commit above wait for those that are being worked out, too. */
const making = new SharedWork<PageDates>()

/**
 * The dates at a commit, built on the nearest commit below it that is cached: each step costs only what one commit changed. A file that moved
 * keeps its creation date.
 */
export function datesAt(app: App, space: SpaceRepository, commit: CommitId): Promise<PageDates> {
  return making.run(app, `${space.doc.id}:${commit}`, () => workOut(app, space, commit))
}

async function workOut(app: App, space: SpaceRepository, commit: CommitId): Promise<PageDates> {
  const unknown: CommitInfo[] = []
  let dates: PageDates = { own: new Map(), base: null, depth: 0 }
  for (let at: CommitId | undefined = commit; at !== undefined; ) {
    const key = `${space.doc.id}:${at}`
    const known = app.content.dates.get(key) ?? (at === commit ? undefined : await making.find(app, key))
    if (known) {
      dates = known
      break
    }
    const info: CommitInfo = await space.repo.commit(at)
    unknown.push(info)
    at = info.parents[0]
  }
  // If many commits are read at once, only the newest get a map of their own and are cached; the older ones go into one flat map.
  let growing = unknown.length > MAX_DEPTH ? flatten(dates) : dates
  for (const [index, info] of unknown.reverse().entries()) {
    const own = await datesChangedBy(app, space, growing, info)
    const keep = index >= unknown.length - MAX_DEPTH
    if (!keep) for (const [path, value] of own) growing.own.set(path, value)
    else growing = growing.depth >= MAX_DEPTH ? flatten({ own, base: growing, depth: 0 }) : { own, base: growing, depth: growing.depth + 1 }
    if (keep) app.content.dates.set(`${space.doc.id}:${info.id}`, growing)
  }
  return growing
}

function flatten(dates: PageDates): PageDates {
  const own = new Map<string, FileDates | null>()
  for (let link: PageDates | null = dates; link; link = link.base) for (const [path, value] of link.own) if (!own.has(path)) own.set(path, value)
  for (const [path, value] of own) if (value === null) own.delete(path)
  return { own, base: null, depth: 0 }
}

/** The dates of the files that a commit changed (null = deleted), given the dates before it. */
async function datesChangedBy(app: App, space: SpaceRepository, before: PageDates, info: CommitInfo): Promise<Map<string, FileDates | null>> {
  const own = new Map<string, FileDates | null>()
  const parent = info.parents[0]
  const changes = await space.repo.diff(parent ?? null, info.id)
  const when = info.committer.seconds
  for (const change of changes) {
    if (change.status === 'deleted') own.set(change.path, null)
    else own.set(change.path, { created: (change.status === 'modified' ? datesOf(before, change.path)?.created : undefined) ?? when, updated: when })
  }
  const mayHaveMoved = changes.length > 1 && changes.some((change) => isMarkdown(change.path))
  if (parent && mayHaveMoved) await carryCreationDates(app, space, { parent, commit: info.id, changes, before, own })
  return own
}

/** A commit's changes, the dates before it, and its own dates so far. */
interface DatedCommit {
  parent: CommitId
  commit: CommitId
  changes: readonly TreeChange[]
  before: PageDates
  own: Map<string, FileDates | null>
}

/** Moves creation dates along with files that were moved or swapped: these are at a path that another one had with the same page ID. */
async function carryCreationDates(app: App, space: SpaceRepository, { parent, commit, changes, before, own }: DatedCommit): Promise<void> {
  const { repo, doc } = space
  const [old, now] = await Promise.all([overridesAt(app, space, parent), overridesAt(app, space, commit)])
  if (old === now) return
  const rootOf = async (id: CommitId): Promise<string> => (await readConfig(await repo.at(id), app.texts.for(doc.id))).config.root
  const [oldRoot, root] = await Promise.all([rootOf(parent), rootOf(commit)])
  const idIn = (overrides: IdOverrides, below: string, path: string): string => idOf(overrides)('page', keyBelow(below, path))
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
