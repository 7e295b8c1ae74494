/** Inserts the pages that computed entries generate into a tree: the structure that readers get. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { defaultId } from './identity.js'
import { entrySlug, SlugSet } from './slug.js'
import type { SpecPageEntry } from './specs/spec-pages.js'
import type { ComputedEntry, ContentStructure, GeneratedEntry, PageEntry } from './types.js'

/** The pages that a computed entry generates. */
export interface GeneratedPages {
  pages: readonly SpecPageEntry[]
  /** The slug of the specification, and the file that contains its parts. */
  spec: string
  file: string
}

/** Whether an entry has no title. If so, its pages replace it. */
const isUntitled = ({ title, computed }: ComputedEntry): boolean => title === computed.type

/**
 * Returns the structure with generated pages. They are placed under entries that have a title and replace other
 * entries, which stay in `byId`. Yields once per page. The given structure is not changed.
 * @param yields generated pages by entry ID; an entry without pages stays unchanged
 */
export function* withGenerated(
  structure: ContentStructure,
  yields: ReadonlyMap<string, GeneratedPages>,
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
  yields: ReadonlyMap<string, GeneratedPages>
}

/**
 * Returns the siblings with their generated pages. Returns the same list if no entry in it or below it generates pages.
 */
function* expanded(list: PageEntry[], path: string, around: Expansion): Generator<void, PageEntry[]> {
  const out: PageEntry[] = []
  let same = true
  for (const entry of list) {
    yield
    const below = yield* expanded(entry.pages, entry.path, around)
    const generatedPages = entry.type === 'computed' ? around.yields.get(entry.id) : undefined
    if (entry.type === 'computed' && generatedPages) {
      const spliced = isUntitled(entry)
      const siblings = spliced ? list.filter((one) => one !== entry) : below
      const generated = yield* generate(
        entry,
        generatedPages,
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
  generatedPages: GeneratedPages,
  { parent, slugs }: { parent: string; slugs: SlugSet },
  around: Expansion,
): Generator<void, GeneratedEntry[]> {
  const found: GeneratedEntry[] = []
  for (const page of generatedPages.pages) {
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
      shown: { ...page.shown, spec: generatedPages.spec, file: generatedPages.file },
    }
    next.pages = yield* generate(
      entry,
      { ...generatedPages, pages: page.pages },
      { parent: next.path, slugs: new SlugSet() },
      around,
    )
    around.byId.set(next.id, next)
    if (!around.byPath.has(next.path)) around.byPath.set(next.path, next)
    found.push(next)
  }
  return found
}
