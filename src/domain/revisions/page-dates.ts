import { readConfig } from '../../content/config.js'
import { type IdOverrides, idOf } from '../../content/identity.js'
import { isMarkdown, keyBelow } from '../../content/paths.js'
import type { CommitInfo, Repository, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { PageDates, FileDates } from '../context/content-cache.js'
import { overridesAt } from './identity.js'

/** Links of a chain before it is flattened: a look-up walks at most this many maps. */
const MAX_DEPTH = 32

/** The dates of one file, by its path from the repository's root. */
export function datesOf(dates: PageDates, path: string): FileDates | undefined {
  for (let link: PageDates | null = dates; link; link = link.base) {
    const found = link.own.get(path)
    if (found !== undefined) return found ?? undefined
  }
  return undefined
}

/**
 * The dates at a commit, grown from the nearest commit below it that is known: each step costs what the commit changed.
 * A file that moved keeps the date it was created on.
 */
export async function datesAt(app: App, space: string, repo: Repository, commit: CommitId): Promise<PageDates> {
  const unknown: CommitInfo[] = []
  let dates: PageDates = { own: new Map(), base: null, depth: 0 }
  for (let at: CommitId | undefined = commit; at !== undefined; ) {
    const known = app.content.dates.get(`${space}:${at}`)
    if (known) {
      dates = known
      break
    }
    const info: CommitInfo = await repo.commit(at)
    unknown.push(info)
    at = info.parents[0]
  }
  // A long first reading is one flat map; after that every commit adds a link of its own.
  let growing = unknown.length > MAX_DEPTH ? flatten(dates) : dates
  for (const [index, info] of unknown.reverse().entries()) {
    const own = await step(app, space, repo, growing, info)
    const keep = index >= unknown.length - MAX_DEPTH
    if (!keep) for (const [path, value] of own) growing.own.set(path, value)
    else growing = growing.depth >= MAX_DEPTH ? flatten({ own, base: growing, depth: 0 }) : { own, base: growing, depth: growing.depth + 1 }
    if (keep) app.content.dates.set(`${space}:${info.id}`, growing)
  }
  return growing
}

function flatten(dates: PageDates): PageDates {
  const own = new Map<string, FileDates | null>()
  for (let link: PageDates | null = dates; link; link = link.base) for (const [path, value] of link.own) if (!own.has(path)) own.set(path, value)
  for (const [path, value] of own) if (value === null) own.delete(path)
  return { own, base: null, depth: 0 }
}

async function step(app: App, space: string, repo: Repository, before: PageDates, info: CommitInfo): Promise<Map<string, FileDates | null>> {
  const own = new Map<string, FileDates | null>()
  const parent = info.parents[0]
  const changes = await repo.diff(parent ?? null, info.id)
  const when = info.committer.seconds
  for (const change of changes) {
    if (change.status === 'deleted') own.set(change.path, null)
    else own.set(change.path, { created: (change.status === 'modified' ? datesOf(before, change.path)?.created : undefined) ?? when, updated: when })
  }
  if (parent && changes.length > 1 && changes.some((change) => isMarkdown(change.path))) await carry(app, space, repo, before, parent, info.id, changes, own)
  return own
}

/** A path that carries the identity of another one was moved (or both were swapped): the date of creation goes with it. */
async function carry(
  app: App,
  space: string,
  repo: Repository,
  before: PageDates,
  parent: CommitId,
  commit: CommitId,
  changes: readonly TreeChange[],
  own: Map<string, FileDates | null>,
): Promise<void> {
  const [old, now] = await Promise.all([overridesAt(app, space, repo, parent), overridesAt(app, space, repo, commit)])
  if (old === now) return
  const rootOf = async (id: CommitId): Promise<string> => (await readConfig(await repo.at(id), app.texts.for(space))).config.root
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
