// Builds the page tree from the entries of a table of contents, or from folders.
import type { Diagnostic } from '../kernel/diagnostic.js'
import { SlugSet } from './slug.js'
import type { DocumentEntry, EntryKind, GeneratedEntry, IdOf, PageEntry } from './types.js'
import { defined } from '../kernel/defined.js'

/**
 * Maximum nesting of pages. Deeper pages become children of the deepest level's parent, so that paths, responses and
 * recursion stay bounded.
 */
export const MAX_DEPTH = 64

/** A list of siblings in the tree, with the values that they share. */
export interface TreeLevel {
  list: PageEntry[]
  path: string
  /** The parent's key, which is part of the keys of links and computed pages. */
  parentKey: string
  /** The chain of group slugs. */
  groupKey: string
  depth: number
  slugs: SlugSet
}

export const rootLevel = (list: PageEntry[]): TreeLevel => ({
  list,
  path: '',
  parentKey: '',
  groupKey: '',
  depth: 0,
  slugs: new SlugSet(),
})

/** Returns the level for the children of `entry`, which is on `level`; at `MAX_DEPTH`, returns `level` itself. */
export function levelBelow(entry: PageEntry, level: TreeLevel): TreeLevel {
  if (level.depth + 1 >= MAX_DEPTH) return level
  const groupKey = entry.type === 'group' ? entry.key : level.groupKey
  return {
    list: entry.pages,
    path: entry.path,
    parentKey: entry.key,
    groupKey,
    depth: level.depth + 1,
    slugs: new SlugSet(),
  }
}

/** An entry without the members that the builder fills in. */
type Bare<T> = T extends Exclude<PageEntry, GeneratedEntry> ? Omit<T, 'id' | 'path' | 'pages' | 'slug' | 'key'> : never

/** Adds entries to the tree: unique keys, unique slugs among siblings, IDs, indexes. */
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

  /** Makes a key unique. If it is taken (the same link twice below one parent), a number is appended. */
  #claim(kind: EntryKind, key: string): string {
    const name = `${kind}\0${key}`
    const count = this.#keys.get(name) ?? 0
    this.#keys.set(name, count + 1)
    return count === 0 ? key : this.#claim(kind, `${key}\0${count}`)
  }

  /** Appends an entry to `level`. Its key is made unique; a group's key is derived from its slug. */
  add(level: TreeLevel, bare: Bare<PageEntry>, wantedSlug: string, wantedKey?: string): PageEntry {
    const slug = level.slugs.take(wantedSlug)
    if (slug !== wantedSlug) this.#reportSlug(wantedSlug, slug, bare)
    const kind: EntryKind = bare.type === 'document' ? 'page' : bare.type
    const key = this.#claim(kind, wantedKey ?? (level.groupKey === '' ? slug : `${level.groupKey}/${slug}`))
    const path = level.path === '' ? slug : `${level.path}/${slug}`
    const entry = { ...bare, id: this.idOf(kind, key), key, slug, path, pages: [] }
    level.list.push(entry)
    this.byId.set(entry.id, entry)
    this.byPath.set(path, entry)
    if (entry.type === 'document') this.byGitPath.set(entry.gitPath, entry)
    return entry
  }

  #reportSlug(wanted: string, slug: string, bare: Bare<PageEntry>): void {
    const message = `${JSON.stringify(bare.title)} has the same slug as one of its siblings (${wanted}), so its slug becomes ${slug}. Rename one of the two.`
    const file = this.file ?? (bare.type === 'document' ? bare.gitPath : null)
    this.diagnostics.push({
      code: 'duplicate-slug',
      message,
      ...(file === null ? {} : { file }),
      ...defined({ line: bare.line }),
    })
  }
}
