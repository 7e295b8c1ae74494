// Identifies pages that were moved and edited in one commit, by comparing all changed pages.
import { required } from '../../kernel/defined.js'
import type { Slices } from '../../kernel/slices.js'
import { assign, type Edge } from './assign.js'

/** Minimum length of a fragment. Shorter ones (brackets, rules) occur on too many pages to identify one. */
const MIN_FRAGMENT_LENGTH = 3

/** Maximum number of characters at the start of a text that are used. They are enough to identify a page. */
const MAX_TEXT_LENGTH = 256 * 1024

/**
 * Returns the fragments that identify a text: its lines, split after sentences and trimmed. Each fragment occurs once.
 */
function fragmentsOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const line of text.slice(0, MAX_TEXT_LENGTH).split(/\r\n|\n|\r/))
    for (const sentence of line.split(/(?<=[.!?;:]) /)) {
      const trimmed = sentence.trim()
      if (trimmed.length >= MIN_FRAGMENT_LENGTH) found.add(trimmed)
    }
  return found
}

/** Returns the share (0 to 1, by length) of the first text's fragments that the second text also contains. */
function likeness(of: ReadonlySet<string>, within: ReadonlySet<string>): number {
  let [all, shared] = [0, 0]
  for (const fragment of of) {
    all += fragment.length
    if (within.has(fragment)) shared += fragment.length
  }
  return all === 0 ? 0 : shared / all
}

/** A page's file before or after a commit, with the values that identify the page. */
export interface PageVersion {
  path: string
  oid: string
  /** null if it was not read. */
  text: string | null
  /** The title in the table of contents; null if the page is not listed. */
  title: string | null
  /** The first H1; null if there is none. */
  heading: string | null
}

/** Scores for a match of an old page with a new path. The matching with the highest total over all pages wins. */
const POINTS = {
  /** The new file contains all text that is unique to this old page. */
  text: 1,
  /** The new file contains all of the page's text. */
  likeness: 0.1,
  /** The new file contains the page's H1, and no other page has it. */
  heading: 0.4,
  /** The file at the page's path still contains its H1. */
  headingKept: 0.2,
  /** The table of contents lists the page's title at the new path. */
  titleMoved: 0.4,
  titleStayed: 0.25,
  path: 0.2,
  /** The page's old path still exists and the new path is new, which is more often a copy than a move. */
  copied: -0.5,
  /** In addition, the new path is not listed, but the old one still is. */
  unlisted: -0.4,
}
/** Minimum share of common text. A smaller share is ignored. */
const MIN_TEXT = 0.25
/** Minimum score for matching a page whose path was removed with a new path. */
const MIN_RENAME = 0.5
/**
 * Maximum number of fragments of all pages together, because they are all in memory at the same time. If there are
 * more, no texts are compared.
 */
const MAX_FRAGMENTS = 500_000
/** Maximum number of unmatched pages that are compared with each other by their texts. */
const MAX_DISPLACED = 64

interface FragmentedPage extends PageVersion {
  fragments: ReadonlySet<string>
}

/**
 * Matches the pages that a manual commit changed, removed or added. Returns a map from old paths to new paths,
 * including unmoved pages. A page follows its text, its H1 and its title, even to the former path of another page
 * (swaps, rotations). If these give less evidence than the path, the page stays. Text that is unique to one old page
 * counts most, because nothing else distinguishes near-identical pages.
 */
export async function matchPages(
  before: readonly PageVersion[],
  after: readonly PageVersion[],
  slices: Slices,
): Promise<Map<string, string>> {
  const [old, now] = withinMemory(await withFragments(before, slices), await withFragments(after, slices))
  const edges = await edgesOf(old, now, slices)
  const chosen = assign(edges)
  const found = new Map([...chosen].map(([row, column]) => [required(old[row]).path, required(now[column]).path]))
  const taken = new Set(found.values())
  await matchDisplaced(
    old.filter((page) => !found.has(page.path)),
    now.filter((page) => !taken.has(page.path)),
    found,
    slices,
  )
  return found
}

async function withFragments(versions: readonly PageVersion[], slices: Slices): Promise<FragmentedPage[]> {
  const all: FragmentedPage[] = []
  let left = MAX_FRAGMENTS
  for (const version of versions) {
    const fragments = left < 0 ? new Set<string>() : fragmentsOf(version.text ?? '')
    left -= fragments.size
    all.push({ ...version, fragments })
    if (slices.due) await slices.rest()
  }
  return all
}

/**
 * Returns the pages unchanged, or all of them without fragments if there are too many. Fragments of only some pages
 * would be misleading.
 */
function withinMemory(old: FragmentedPage[], now: FragmentedPage[]): [FragmentedPage[], FragmentedPage[]] {
  const count = [...old, ...now].reduce((sum, page) => sum + page.fragments.size, 0)
  if (count <= MAX_FRAGMENTS) return [old, now]
  const bare = (pages: readonly FragmentedPage[]): FragmentedPage[] =>
    pages.map((page) => ({ ...page, fragments: new Set() }))
  return [bare(old), bare(now)]
}

async function edgesOf(
  old: readonly FragmentedPage[],
  now: readonly FragmentedPage[],
  slices: Slices,
): Promise<Edge[]> {
  const hints = new Hints(old, now)
  const text = await sharedText(old, now, slices)
  const edges: Edge[] = []
  for (const [row, page] of old.entries()) {
    const own = hints.here.get(page.path)
    const columns = new Set([...required(text[row]).keys(), ...hints.of(page), ...(own === undefined ? [] : [own])])
    for (const column of columns) {
      const score = scoreOf(page, required(now[column]), hints, required(text[row]).get(column) ?? 0)
      const least = hints.was.has(required(now[column]).path) || own !== undefined ? 0 : MIN_RENAME
      if (score > least) edges.push({ row, column, score })
    }
    if (slices.due) await slices.rest()
  }
  return dropAlternatives(edges, old, now)
}

/** Looks up titles, headings and blobs that exactly one page had before and exactly one page has now. */
class Hints {
  readonly here: Map<string, number>
  readonly was: Set<string>
  readonly #columns: ReadonlyArray<readonly [what: keyof PageVersion, of: Map<string, number>]>
  readonly #once: ReadonlyMap<keyof PageVersion, ReadonlySet<string>>

  constructor(
    old: readonly FragmentedPage[],
    readonly now: readonly FragmentedPage[],
  ) {
    this.here = new Map(now.map((page, column) => [page.path, column]))
    this.was = new Set(old.map((page) => page.path))
    const names = ['title', 'heading', 'oid'] as const
    this.#columns = names.map((what) => [what, uniqueValues(now, what)])
    this.#once = new Map(names.map((what) => [what, new Set(uniqueValues(old, what).keys())]))
  }

  /** Returns the only column with the page's title (or heading, or blob), if no other page had it before. */
  find(page: FragmentedPage, what: keyof PageVersion): number | undefined {
    const value = page[what]
    const columns = this.#columns.find(([name]) => name === what)?.[1]
    return value !== null && this.#once.get(what)?.has(value) ? columns?.get(value) : undefined
  }

  /** Returns the page at a path after the commit. */
  at(path: string): FragmentedPage | undefined {
    const column = this.here.get(path)
    return column === undefined ? undefined : this.now[column]
  }

  of(page: FragmentedPage): number[] {
    return this.#columns.flatMap(([what]) => this.find(page, what) ?? [])
  }
}

function uniqueValues(pages: readonly FragmentedPage[], what: keyof PageVersion): Map<string, number> {
  const found = new Map<string, number | null>()
  for (const [index, page] of pages.entries()) {
    const value = page[what]
    if (value !== null && value !== '') found.set(value, found.has(value) ? null : index)
  }
  return new Map([...found].flatMap(([value, index]) => (index === null ? [] : [[value, index] as const])))
}

function scoreOf(page: FragmentedPage, there: FragmentedPage, hints: Hints, text: number): number {
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

/** Returns, for every old page, the share (0 to 1) of its unique text, by the column that contains it now. */
async function sharedText(
  old: readonly FragmentedPage[],
  now: readonly FragmentedPage[],
  slices: Slices,
): Promise<Map<number, number>[]> {
  const owner = new Map<string, number>()
  for (const [row, page] of old.entries()) {
    for (const fragment of page.fragments) owner.set(fragment, owner.has(fragment) ? -1 : row)
    if (slices.due) await slices.rest()
  }
  const whole = new Float64Array(old.length)
  for (const [fragment, row] of owner) if (row >= 0) whole[row]! += fragment.length
  const shared = old.map(() => new Map<number, number>())
  for (const [column, page] of now.entries()) {
    for (const fragment of page.fragments) {
      const row = owner.get(fragment) ?? -1
      if (row >= 0)
        required(shared[row]).set(
          column,
          (required(shared[row]).get(column) ?? 0) + fragment.length / required(whole[row]),
        )
    }
    if (slices.due) await slices.rest()
  }
  for (const columns of shared) for (const [column, part] of columns) if (part < MIN_TEXT) columns.delete(column)
  return shared
}

/**
 * Drops the alternatives of a page whose own path scores at least as much as the best other edges of its row and column
 * together.
 */
function dropAlternatives(
  edges: readonly Edge[],
  old: readonly FragmentedPage[],
  now: readonly FragmentedPage[],
): Edge[] {
  const isOwn = ({ row, column }: Edge): boolean => required(old[row]).path === required(now[column]).path
  const best = new Map<string, number>()
  for (const edge of edges)
    if (!isOwn(edge))
      for (const name of [`r${edge.row}`, `c${edge.column}`]) best.set(name, Math.max(best.get(name) ?? 0, edge.score))
  const settled = edges.filter(
    (edge) => isOwn(edge) && edge.score >= (best.get(`r${edge.row}`) ?? 0) + (best.get(`c${edge.column}`) ?? 0),
  )
  const [rows, columns] = [new Set(settled.map((edge) => edge.row)), new Set(settled.map((edge) => edge.column))]
  return [...settled, ...edges.filter((edge) => !rows.has(edge.row) && !columns.has(edge.column))]
}

/**
 * Matches pages that were displaced from their paths by other pages with the paths that other pages left, if their
 * texts are similar.
 */
async function matchDisplaced(
  old: readonly FragmentedPage[],
  now: readonly FragmentedPage[],
  found: Map<string, string>,
  slices: Slices,
): Promise<void> {
  const displaced = old.filter((page) => now.length > 0 && page.text !== null).slice(0, MAX_DISPLACED)
  const left = now.filter((page) => found.has(page.path) && page.text !== null).slice(0, MAX_DISPLACED)
  const edges: Edge[] = []
  for (const [row, page] of displaced.entries())
    for (const [column, there] of left.entries()) {
      edges.push({ row, column, score: likeness(page.fragments, there.fragments) })
      if (slices.due) await slices.rest()
    }
  for (const [row, column] of assign(edges.filter((edge) => edge.score >= MIN_TEXT)))
    found.set(required(displaced[row]).path, required(left[column]).path)
}
