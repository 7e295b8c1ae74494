import type { Slices } from '../../kernel/slices.js'
import { assign, type Edge } from './assign.js'
import { fragmentsOf, likeness } from './fragments.js'

/** What can be seen of a page's file before or after a commit. */
export interface PageVersion {
  path: string
  oid: string
  /** null: not read. */
  text: string | null
  /** Its title in the table of contents; null where it is not listed. */
  title: string | null
  /** Its first H1; null where there is none. */
  heading: string | null
}

/** What speaks for a page of before being the one at a path after; the sum over all pages decides. */
const POINTS = {
  /** All that the text alone of the old pages has stands there. */
  text: 1,
  /** All of its text does. */
  likeness: 0.1,
  /** Its H1 does, and nowhere else. */
  heading: 0.4,
  /** The path kept its H1. */
  headingKept: 0.2,
  /** Its title in the table of contents went there. */
  titleMoved: 0.4,
  titleStayed: 0.25,
  path: 0.2,
  /** It leaves a path that is still there for one that was not: a copy, more often than a move. */
  copied: -0.5,
  /** And that path is not listed, while the old one still is. */
  unlisted: -0.4,
}
/** Less of a text says nothing. */
const LEAST_TEXT = 0.25
/** What a page that is gone and one that is new need in common. */
const LEAST_RENAME = 0.5
/** Of all pages together; of more, no text is compared: they are held in memory at once. */
const MAX_FRAGMENTS = 500_000
/** So many pages without a place are compared with each other, text by text. */
const MAX_LEFT = 64

interface Seen extends PageVersion {
  fragments: ReadonlySet<string>
}

/**
 * Which page of before is at which path after a commit that somebody made by hand, of the pages that it changed, removed and
 * added: paths of before → paths after, those that stay too. A page goes with its text, its H1 and its title, also to a path
 * that was and is another page's (rotations, swaps); where these do not say more than the path does, it stays. What only
 * one of the old texts has counts: of near-identical pages that is all there is to tell them apart.
 */
export async function matchPages(before: readonly PageVersion[], after: readonly PageVersion[], slices: Slices): Promise<Map<string, string>> {
  const [old, now] = withinMemory(await seen(before, slices), await seen(after, slices))
  const edges = await edgesOf(old, now, slices)
  const chosen = assign(edges)
  const found = new Map([...chosen].map(([row, column]) => [old[row]!.path, now[column]!.path]))
  const taken = new Set(found.values())
  await matchLeft(
    old.filter((page) => !found.has(page.path)),
    now.filter((page) => !taken.has(page.path)),
    found,
    slices,
  )
  return found
}

async function seen(sights: readonly PageVersion[], slices: Slices): Promise<Seen[]> {
  const all: Seen[] = []
  let left = MAX_FRAGMENTS
  for (const sight of sights) {
    const fragments = left < 0 ? new Set<string>() : fragmentsOf(sight.text ?? '')
    left -= fragments.size
    all.push({ ...sight, fragments })
    if (slices.due) await slices.rest()
  }
  return all
}

/** The pages as they are, or without their fragments where these are too many together: some pages' alone would mislead. */
function withinMemory(old: Seen[], now: Seen[]): [Seen[], Seen[]] {
  const count = [...old, ...now].reduce((sum, page) => sum + page.fragments.size, 0)
  if (count <= MAX_FRAGMENTS) return [old, now]
  const bare = (pages: readonly Seen[]): Seen[] => pages.map((page) => ({ ...page, fragments: new Set() }))
  return [bare(old), bare(now)]
}

async function edgesOf(old: readonly Seen[], now: readonly Seen[], slices: Slices): Promise<Edge[]> {
  const hints = new Hints(old, now)
  const text = await sharedText(old, now, slices)
  const edges: Edge[] = []
  for (const [row, page] of old.entries()) {
    const own = hints.here.get(page.path)
    const columns = new Set([...text[row]!.keys(), ...hints.of(page), ...(own === undefined ? [] : [own])])
    for (const column of columns) {
      const score = scoreOf(page, now[column]!, hints, text[row]!.get(column) ?? 0)
      const least = hints.was.has(now[column]!.path) || own !== undefined ? 0 : LEAST_RENAME
      if (score > least) edges.push({ row, column, score })
    }
    if (slices.due) await slices.rest()
  }
  return withoutSettled(edges, old, now)
}

/** Where titles, headings and bytes that only one page has stood before and stand now. */
class Hints {
  readonly here: Map<string, number>
  readonly was: Set<string>
  readonly #columns: ReadonlyArray<readonly [what: keyof PageVersion, of: Map<string, number>]>
  readonly #once: ReadonlyMap<keyof PageVersion, ReadonlySet<string>>

  constructor(
    old: readonly Seen[],
    readonly now: readonly Seen[],
  ) {
    this.here = new Map(now.map((page, column) => [page.path, column]))
    this.was = new Set(old.map((page) => page.path))
    const names = ['title', 'heading', 'oid'] as const
    this.#columns = names.map((what) => [what, onlyOnes(now, what)])
    this.#once = new Map(names.map((what) => [what, new Set(onlyOnes(old, what).keys())]))
  }

  /** The column that alone has the page's title (heading, bytes), where the page alone had it. */
  find(page: Seen, what: keyof PageVersion): number | undefined {
    const value = page[what]
    const columns = this.#columns.find(([name]) => name === what)?.[1]
    return value !== null && this.#once.get(what)?.has(value) ? columns?.get(value) : undefined
  }

  /** What stands at a path after. */
  at(path: string): Seen | undefined {
    const column = this.here.get(path)
    return column === undefined ? undefined : this.now[column]
  }

  of(page: Seen): number[] {
    return this.#columns.flatMap(([what]) => this.find(page, what) ?? [])
  }
}

function onlyOnes(pages: readonly Seen[], what: keyof PageVersion): Map<string, number> {
  const found = new Map<string, number | null>()
  for (const [index, page] of pages.entries()) {
    const value = page[what]
    if (value !== null && value !== '') found.set(value, found.has(value) ? null : index)
  }
  return new Map([...found].flatMap(([value, index]) => (index === null ? [] : [[value, index] as const])))
}

function scoreOf(page: Seen, there: Seen, hints: Hints, text: number): number {
  const column = hints.here.get(there.path)
  const stays = page.path === there.path
  const same = page.oid === there.oid && hints.find(page, 'oid') === column
  let score = POINTS.text * (same ? 1 : text) + POINTS.likeness * (same ? 1 : likeness(page.fragments, there.fragments))
  if (page.heading !== null && hints.find(page, 'heading') === column) score += POINTS.heading
  else if (stays && page.heading !== null && page.heading === there.heading) score += POINTS.headingKept
  if (page.title !== null && page.title === there.title) {
    if (stays) score += POINTS.titleStayed
    else if (hints.find(page, 'title') === column) score += POINTS.titleMoved
  }
  if (stays) score += POINTS.path
  else if (hints.here.has(page.path) && !hints.was.has(there.path)) {
    score += POINTS.copied
    if (there.title === null && hints.at(page.path)?.title != null) score += POINTS.unlisted
  }
  return score
}

/** For every old page the columns that hold some of what it alone had: how much of that, 0 to 1. */
async function sharedText(old: readonly Seen[], now: readonly Seen[], slices: Slices): Promise<Map<number, number>[]> {
  const owner = new Map<string, number>()
  for (const [row, page] of old.entries()) {
    for (const piece of page.fragments) owner.set(piece, owner.has(piece) ? -1 : row)
    if (slices.due) await slices.rest()
  }
  const whole = new Float64Array(old.length)
  for (const [piece, row] of owner) if (row >= 0) whole[row]! += piece.length
  const shared = old.map(() => new Map<number, number>())
  for (const [column, page] of now.entries()) {
    for (const piece of page.fragments) {
      const row = owner.get(piece) ?? -1
      if (row >= 0) shared[row]!.set(column, (shared[row]!.get(column) ?? 0) + piece.length / whole[row]!)
    }
    if (slices.due) await slices.rest()
  }
  for (const columns of shared) for (const [column, part] of columns) if (part < LEAST_TEXT) columns.delete(column)
  return shared
}

/** Pages for whose path more speaks than for all else together stay there: only what is in doubt is left to be weighed. */
function withoutSettled(edges: readonly Edge[], old: readonly Seen[], now: readonly Seen[]): Edge[] {
  const isOwn = ({ row, column }: Edge): boolean => old[row]!.path === now[column]!.path
  const best = new Map<string, number>()
  for (const edge of edges) if (!isOwn(edge)) for (const name of [`r${edge.row}`, `c${edge.column}`]) best.set(name, Math.max(best.get(name) ?? 0, edge.score))
  const settled = edges.filter((edge) => isOwn(edge) && edge.score >= (best.get(`r${edge.row}`) ?? 0) + (best.get(`c${edge.column}`) ?? 0))
  const [rows, columns] = [new Set(settled.map((edge) => edge.row)), new Set(settled.map((edge) => edge.column))]
  return [...settled, ...edges.filter((edge) => !rows.has(edge.row) && !columns.has(edge.column))]
}

/** Pages that were driven from their paths, and paths that were left by others: they belong together where the texts do at all. */
async function matchLeft(old: readonly Seen[], now: readonly Seen[], found: Map<string, string>, slices: Slices): Promise<void> {
  const driven = old.filter((page) => now.length > 0 && page.text !== null).slice(0, MAX_LEFT)
  const left = now.filter((page) => found.has(page.path) && page.text !== null).slice(0, MAX_LEFT)
  const edges: Edge[] = []
  for (const [row, page] of driven.entries())
    for (const [column, there] of left.entries()) {
      edges.push({ row, column, score: likeness(page.fragments, there.fragments) })
      if (slices.due) await slices.rest()
    }
  for (const [row, column] of assign(edges.filter((edge) => edge.score >= LEAST_TEXT))) found.set(driven[row]!.path, left[column]!.path)
}
