import type { Diagnostic } from '../kernel/diagnostic.js'
import { SlugSet } from './slug.js'
import type { DocumentEntry, EntryKind, IdOf, PageEntry } from './types.js'

/** Deepest nesting of pages; what lies deeper is attached to the last ancestor allowed. Keeps paths, answers and recursion bounded. */
export const MAX_DEPTH = 64

/** Where an entry is put: the list, and what its siblings share. */
export interface TreeLevel {
  list: PageEntry[]
  path: string
  /** Key of the parent that links and computed pages hang on. */
  parentKey: string
  /** Chain of group slugs. */
  groupKey: string
  depth: number
  slugs: SlugSet
}

export const rootLevel = (list: PageEntry[]): TreeLevel => ({ list, path: '', parentKey: '', groupKey: '', depth: 0, slugs: new SlugSet() })

/** The place below `entry`; at the greatest depth, `place` itself. */
export function levelBelow(entry: PageEntry, place: TreeLevel): TreeLevel {
  if (place.depth + 1 >= MAX_DEPTH) return place
  const groupKey = entry.type === 'group' ? entry.key : place.groupKey
  return { list: entry.pages, path: entry.path, parentKey: entry.key, groupKey, depth: place.depth + 1, slugs: new SlugSet() }
}

/** What all entries have that the builder fills in. */
type Bare<T> = T extends PageEntry ? Omit<T, 'id' | 'path' | 'pages' | 'slug' | 'key'> : never

/** Puts entries into the tree: unique keys, unique slugs among siblings, IDs, indexes. */
export class TreeBuilder {
  readonly pages: PageEntry[] = []
  readonly byId = new Map<string, PageEntry>()
  readonly byGitPath = new Map<string, DocumentEntry>()
  readonly byPath = new Map<string, PageEntry>()
  readonly #keys = new Map<string, number>()

  constructor(
    private readonly idOf: IdOf,
    private readonly file: string | null,
    private readonly diagnostics: Diagnostic[],
  ) {}

  /** `key`, or where it is taken (the same link twice below one parent) the key with a number. */
  #claim(kind: EntryKind, key: string): string {
    const name = `${kind}\0${key}`
    const count = this.#keys.get(name) ?? 0
    this.#keys.set(name, count + 1)
    return count === 0 ? key : this.#claim(kind, `${key}\0${count}`)
  }

  /** Adds an entry at the end of `place`; `key` is made unique, and for groups follows from the slug. */
  add(place: TreeLevel, bare: Bare<PageEntry>, wantedSlug: string, wantedKey?: string): PageEntry {
    const slug = place.slugs.take(wantedSlug)
    if (slug !== wantedSlug) this.#reportSlug(wantedSlug, slug, bare)
    const kind: EntryKind = bare.type === 'document' ? 'page' : bare.type
    const key = this.#claim(kind, wantedKey ?? (place.groupKey === '' ? slug : `${place.groupKey}/${slug}`))
    const path = place.path === '' ? slug : `${place.path}/${slug}`
    const entry = { ...bare, id: this.idOf(kind, key), key, slug, path, pages: [] } as PageEntry
    place.list.push(entry)
    this.byId.set(entry.id, entry)
    this.byPath.set(path, entry)
    if (entry.type === 'document') this.byGitPath.set(entry.gitPath, entry)
    return entry
  }

  #reportSlug(wanted: string, slug: string, bare: Bare<PageEntry>): void {
    const message = `${JSON.stringify(bare.title)} has the same slug as a page beside it (${wanted}), so its own becomes ${slug}. Rename one of the two.`
    const file = this.file ?? (bare.type === 'document' ? bare.gitPath : null)
    this.diagnostics.push({ code: 'duplicate-slug', message, ...(file === null ? {} : { file }), ...(bare.line === undefined ? {} : { line: bare.line }) })
  }
}
