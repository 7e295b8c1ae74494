/** The form in which a structure is stored between two starts: lines of JSON, each of which is quick to parse. */
import { required } from '../kernel/defined.js'
import type { Diagnostic } from '../kernel/diagnostic.js'
import { Slices } from '../kernel/slices.js'
import { keyBelow } from './paths.js'
import type { ContentStructure, FileEntry, PageEntry, ReusableContentEntry } from './types.js'

/**
 * Increases if the same files yield another structure, or if this form changes. Structures of another version are
 * dropped.
 */
export const STRUCTURE_VERSION = 1

/** Number of entries in one line, which is parsed at once. */
const ENTRIES = 500

/** The first line: the values that do not grow with the number of files. */
interface Head extends Pick<ContentStructure, 'config' | 'listed' | 'variables' | 'tags'> {
  symlinks: [link: string, target: string | null][]
}

/** A page with the usual key. The majority of entries are such pages, and lists are parsed faster than maps. */
type PageRow = [
  depth: number,
  id: string,
  slug: string,
  title: string,
  gitPath: string,
  line: number | null,
  start: number | null,
]
/** Another entry, without its subpages and its path. */
type EntryRow = [depth: number, entry: Omit<PageEntry, 'pages' | 'path'>]

/** A further line: a list of one kind. */
interface Part {
  pages?: (PageRow | EntryRow)[]
  assets?: FileEntry[]
  reusableContents?: ReusableContentEntry[]
  diagnostics?: Diagnostic[]
}

/** Yields the rows of a page tree, depth first, which is the order in which its entries were added. */
function* rowsOf(root: string, pages: readonly PageEntry[], depth = 0): Generator<PageRow | EntryRow> {
  for (const page of pages) {
    const { pages: below, path: _, ...entry } = page
    if (page.type === 'document' && page.key === keyBelow(root, page.gitPath))
      yield [depth, page.id, page.slug, page.title, page.gitPath, page.line ?? null, page.start ?? null]
    else yield [depth, entry]
    yield* rowsOf(root, below, depth + 1)
  }
}

/** Encodes a structure; null if it takes more than `maxLength` characters. Yields once per entry. */
export function* structureLines(structure: ContentStructure, maxLength: number): Generator<void, string[] | null> {
  const { config, listed, variables, tags, symlinks, pages, assets, reusableContents, diagnostics } = structure
  const head: Head = { config, listed, variables, tags, symlinks: [...symlinks] }
  const lines = [JSON.stringify(head)]
  let length = 0
  for (const [kind, items] of Object.entries({
    pages: rowsOf(config.root, pages),
    assets,
    reusableContents,
    diagnostics,
  })) {
    let some: unknown[] = []
    const flush = (): void => {
      if (some.length > 0) length += required(lines[lines.push(JSON.stringify({ [kind]: some })) - 1]).length
      some = []
    }
    for (const item of items) {
      if (some.push(item) === ENTRIES) flush()
      if (length > maxLength) return null
      yield
    }
    flush()
  }
  return lines
}

/** Decodes the result of `structureLines`, in slices. Throws if it is damaged. */
export async function structureFromLines([first, ...lines]: readonly string[]): Promise<ContentStructure> {
  const head: Head = JSON.parse(required(first))
  const { assets, reusableContents, diagnostics, ...structure }: ContentStructure = {
    ...{ ...head, symlinks: new Map(head.symlinks) },
    ...{ pages: [], assets: [], reusableContents: [], diagnostics: [] },
    ...{ byId: new Map(), byGitPath: new Map(), byPath: new Map() },
  }
  /** The last entry at each depth. */
  const open: PageEntry[] = []
  const slices = new Slices()
  for (const line of lines) {
    if (slices.due) await slices.rest()
    const part: Part = JSON.parse(line)
    for (const row of part.pages ?? []) {
      const [depth] = row
      const above = depth === 0 ? null : required(open[depth - 1])
      const entry = entryOf(row, head.config.root, above === null ? '' : `${above.path}/`)
      const siblings = above === null ? structure.pages : above.pages
      siblings.push(entry)
      open[depth] = entry
      structure.byId.set(entry.id, entry)
      structure.byPath.set(entry.path, entry)
      if (entry.type === 'document') structure.byGitPath.set(entry.gitPath, entry)
    }
    assets.push(...(part.assets ?? []))
    reusableContents.push(...(part.reusableContents ?? []))
    diagnostics.push(...(part.diagnostics ?? []))
  }
  return { ...structure, assets, reusableContents, diagnostics }
}

function entryOf(row: PageRow | EntryRow, root: string, above: string): PageEntry {
  if (row.length === 2) {
    const [, entry] = row
    return { ...(entry as PageEntry), path: above + entry.slug, pages: [] }
  }
  const [, id, slug, title, gitPath, line, start] = row
  const place = { key: keyBelow(root, gitPath), path: above + slug }
  const page: PageEntry = { type: 'document', id, title, gitPath, slug, ...place, pages: [] }
  if (line !== null) page.line = line
  if (start !== null) page.start = start
  return page
}
