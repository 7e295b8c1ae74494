/** Puts the pages that computed entries yield into a tree: the structure that readers get. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { defaultId } from './identity.js'
import { entrySlug, SlugSet } from './slug.js'
import type { SpecPageEntry } from './specs/spec-pages.js'
import type { ComputedEntry, ContentStructure, GeneratedEntry, PageEntry } from './types.js'

/** What a computed entry yields. */
export interface Yield {
  pages: readonly SpecPageEntry[]
  /** The slug and the file of parts of the specification. */
  spec: string
  file: string
}

/** Whether an entry has no title of its own, so that its pages take its place. */
const isUntitled = ({ title, computed }: ComputedEntry): boolean => title === computed.type

/**
 * The structure with generated pages: under entries that have a title, in the place of others, which stay in `byId`. Yields once per page.
 * The given structure is not changed.
 * @param yields what entries yield, by ID; an entry without pages stays as it is
 */
export function* withGenerated(
  structure: ContentStructure,
  yields: ReadonlyMap<string, Yield>,
  diagnostics: readonly Diagnostic[],
): Generator<void, ContentStructure> {
  const byId = new Map(structure.byId)
  const byPath = new Map(structure.byPath)
  const pages = yield* expanded(structure.pages, '', { byId, byPath, yields })
  return { ...structure, pages, byId, byPath, diagnostics: [...structure.diagnostics, ...diagnostics] }
}

interface Expansion {
  byId: Map<string, PageEntry>
  byPath: Map<string, PageEntry>
  yields: ReadonlyMap<string, Yield>
}

/** The list of siblings with what they yield; the same list if nothing in it or below it does. */
function* expanded(list: PageEntry[], path: string, around: Expansion): Generator<void, PageEntry[]> {
  const out: PageEntry[] = []
  let same = true
  for (const entry of list) {
    yield
    const below = yield* expanded(entry.pages, entry.path, around)
    const made = entry.type === 'computed' ? around.yields.get(entry.id) : undefined
    if (entry.type === 'computed' && made) {
      const spliced = isUntitled(entry)
      const siblings = spliced ? list.filter((one) => one !== entry) : below
      const generated = yield* generate(
        entry,
        made,
        { parent: spliced ? path : entry.path, slugs: slugsOf(siblings, spliced ? out : []) },
        around,
      )
      const next = replaced(entry, spliced ? below : [...generated, ...below], around)
      out.push(...(spliced ? [...generated, ...below] : [next]))
      same = false
    } else if (below !== entry.pages) {
      out.push(replaced(entry, below, around))
      same = false
    } else out.push(entry)
  }
  return same ? list : out
}

function slugsOf(...lists: readonly (readonly PageEntry[])[]): SlugSet {
  const slugs = new SlugSet()
  for (const slug of new Set(lists.flatMap((list) => list.map((one) => one.slug)))) slugs.take(slug)
  return slugs
}

function replaced(entry: PageEntry, pages: PageEntry[], { byId, byPath }: Expansion): PageEntry {
  const next = { ...entry, pages }
  byId.set(entry.id, next)
  if (byPath.get(entry.path) === entry) byPath.set(entry.path, next)
  return next
}

function* generate(
  entry: ComputedEntry,
  made: Yield,
  { parent, slugs }: { parent: string; slugs: SlugSet },
  around: Expansion,
): Generator<void, GeneratedEntry[]> {
  const found: GeneratedEntry[] = []
  for (const page of made.pages) {
    yield
    const slug = slugs.take(entrySlug(page.slug))
    const key = `${entry.id}\0${page.name}`
    const { type, dependencies } = entry.computed
    const next: GeneratedEntry = {
      type: 'generated',
      id: defaultId('computed', key),
      key,
      title: page.title,
      slug,
      path: parent === '' ? slug : `${parent}/${slug}`,
      pages: [],
      ...(entry.line === undefined ? {} : { line: entry.line, start: entry.start }),
      computed: { type, props: page.props, dependencies },
      shown: { ...page.shown, spec: made.spec, file: made.file },
    }
    next.pages = yield* generate(
      entry,
      { ...made, pages: page.pages },
      { parent: next.path, slugs: new SlugSet() },
      around,
    )
    around.byId.set(next.id, next)
    if (!around.byPath.has(next.path)) around.byPath.set(next.path, next)
    found.push(next)
  }
  return found
}
