/**
 * The navigation of a page: the part of the page tree that is open around it. Its size and its cost have a limit that
 * does not depend on the size of the site.
 */
import type { PageEntry } from '../content/types.js'
import type { ShownSiteSpace } from '../domain/sites/view.js'
import type { VisitorPages } from '../domain/sites/visitor-pages.js'
import { encodedPath, pathOfSiteSpace, pathsOfPages } from '../domain/sites/visitor-paths.js'
import { iconName } from './look/icons.js'
import { type PageTree, pageTree } from '../domain/revisions/page-tree.js'
import type { Visit } from './visit.js'
import { defined, required } from '../kernel/defined.js'

/**
 * Maximum weight of a navigation: about the number of bytes of its texts and addresses after compression, which
 * leaves little more than the texts.
 */
const MAX_WEIGHT = 9_000
/** Estimated size in bytes of the markup of an entry after compression. */
const ENTRY_WEIGHT = 16
const ICON_WEIGHT = 10
/** Maximum number of levels above a page. Higher levels are behind one link. */
const MAX_LEVELS = 8
/** Maximum length of a title in characters. */
const MAX_TITLE = 120
/** Maximum number of entries that are searched for the page behind a cut. */
const MAX_NEIGHBORS = 50

/** Maximum number of different icons in a navigation. */
const MAX_ICONS = 24

/** Entries of one level. `before` and `after` are the addresses of pages beyond a cut. */
export interface NavigationLevel {
  items: NavigationItem[]
  before?: string
  after?: string
}

/** An entry of the navigation. */
export interface NavigationItem {
  id: string
  title: string
  emoji: string | undefined
  /** The Font Awesome name of its icon. */
  icon: string | undefined
  /** Undefined for groups, which are headings. */
  href: string | undefined
  /** Whether the address is on another site. */
  isExternal: boolean
  isCurrent: boolean
  /** Whether the previewed change request changes the page. */
  isChanged: boolean
  /** Whether it has subpages that are not in `below`. They can be loaded. */
  isClosed: boolean
  below: NavigationLevel | undefined
}

/** The navigation of a page. */
export interface Navigation extends NavigationLevel {
  /** The address below which the subpages of a closed entry are loaded by its ID. */
  source: string
}

/** Returns the navigation of a page, with the branch that contains the page open; without a page, the top level. */
export async function navigationOf(visit: Visit, space: OpenSpace, current?: PageEntry): Promise<Navigation> {
  const tree = await pageTree(space.pages.listed)
  const path = current === undefined ? [] : [...tree.above(current.id), current]
  const shown = path.slice(-MAX_LEVELS - 1)
  const cutter = new Cutter(visit, space, tree, shown)
  const higher = path.at(-MAX_LEVELS - 2)
  const first = higher?.pages ?? space.pages.listed
  const level = cutter.cut(first)
  const up = higher && cutter.addressOf(higher)
  return { ...level, ...defined({ before: level.before ?? up }), source: sourceOf(visit, space.siteSpace) }
}

/** Returns the subpages of a page that the visitor sees in lists; null if there is none. */
export async function subpagesOf(visit: Visit, space: OpenSpace, id: string): Promise<NavigationLevel | null> {
  const tree = await pageTree(space.pages.listed)
  const entry = tree.find(id)
  return entry ? new Cutter(visit, space, tree, []).cut(entry.pages) : null
}

/** The pages of a space that a visitor sees. */
export interface OpenSpace {
  siteSpace: ShownSiteSpace
  pages: VisitorPages
}

const sourceOf = ({ base }: Visit, siteSpace: ShownSiteSpace): string => `${base}${pathOfSiteSpace(siteSpace)}/~nav/`

/** Returns the address of an entry of the page tree in links; undefined for groups without pages. */
export const addressOfEntry = (visit: Visit, space: OpenSpace, entry: PageEntry): string | undefined =>
  addressWithin(visit, space, pathsOfPages(space.siteSpace, space.pages), entry)

function addressWithin(
  { base }: Visit,
  { pages }: OpenSpace,
  pathOf: (entry: PageEntry) => string,
  entry: PageEntry,
): string | undefined {
  if (entry.type === 'link') {
    const target = entry.target && pages.revision.structure.byGitPath.get(entry.target.gitPath)
    if (!target) return /^(?:https?:|mailto:)/i.test(entry.href) ? entry.href : undefined
    const anchor = entry.target?.anchor === undefined ? '' : `#${encodeURIComponent(entry.target.anchor)}`
    return (`${base}${pathOf(target)}` || '/') + anchor
  }
  return entry.type === 'group' ? undefined : `${base}${pathOf(entry)}` || '/'
}

export const shortTitle = (title: string): string =>
  title.length > MAX_TITLE ? `${[...title.slice(0, MAX_TITLE)].slice(0, -1).join('')}…` : title

/** A level that is being filled: the entries from `from` to `to` are shown. */
interface Window {
  entries: readonly PageEntry[]
  from: number
  to: number
}

/**
 * Selects the entries of a navigation. All open levels grow alternately around the page, until the maximum weight is
 * reached.
 */
class Cutter {
  readonly #windows = new Map<readonly PageEntry[], Window>()
  #left = MAX_WEIGHT
  readonly #icons = new Set<string>()
  // bound: the entries of one navigation
  readonly #addresses = new Map<PageEntry, string | undefined>()
  readonly #pathOf: (entry: PageEntry) => string

  constructor(
    private readonly visit: Visit,
    private readonly space: OpenSpace,
    private readonly tree: PageTree,
    /** The page and the entries above it, from the top. */
    private readonly path: readonly PageEntry[],
  ) {
    this.#pathOf = pathsOfPages(space.siteSpace, space.pages)
  }

  cut(entries: readonly PageEntry[]): NavigationLevel {
    this.#open(entries)
    while (this.#left > 0) {
      const before = this.#left
      for (const window of [...this.#windows.values()]) this.#grow(window)
      if (this.#left === before) break
    }
    return this.#levelOf(entries)
  }

  readonly addressOf = (entry: PageEntry): string | undefined => {
    const known = this.#addresses.get(entry) ?? addressWithin(this.visit, this.space, this.#pathOf, entry)
    this.#addresses.set(entry, known)
    return known
  }

  #open(entries: readonly PageEntry[]): void {
    if (entries.length === 0 || this.#windows.has(entries)) return
    const focus = Math.max(
      0,
      entries.findIndex(({ id }) => this.path.some((one) => one.id === id)),
    )
    this.#windows.set(entries, { entries, from: focus, to: focus })
    this.#add(required(entries[focus]))
  }

  #grow(window: Window): void {
    const { entries } = window
    if (window.to + 1 < entries.length && this.#left > 0) this.#add(required(entries[++window.to]))
    if (window.from > 0 && this.#left > 0) this.#add(required(entries[--window.from]))
  }

  #add(entry: PageEntry): void {
    const address = this.addressOf(entry) ?? ''
    const own = entry.type === 'link' ? address.length : encodedPath(entry.slug).length
    const isLoaded = entry.type !== 'group' && entry.pages.length > 0
    const icon = this.#attributesOf(entry).icon === undefined ? 0 : ICON_WEIGHT
    this.#left -=
      ENTRY_WEIGHT + icon + Buffer.byteLength(shortTitle(entry.title)) + own + address.length / 16 + (isLoaded ? 20 : 0)
    if (entry.type === 'group' || this.#isOpen(entry)) this.#open(entry.pages)
  }

  #isOpen = ({ id }: PageEntry): boolean => this.path.some((one) => one.id === id)

  #levelOf(entries: readonly PageEntry[]): NavigationLevel {
    const window = this.#windows.get(entries)
    if (!window) return { items: [] }
    const { from, to } = window
    return {
      items: entries.slice(from, to + 1).map((entry) => this.#itemOf(entry)),
      ...defined({ before: this.#neighbor(entries, from, -1), after: this.#neighbor(entries, to, 1) }),
    }
  }

  /** Returns the address of the nearest page beyond a cut. */
  #neighbor(entries: readonly PageEntry[], at: number, step: 1 | -1): string | undefined {
    for (let next = at + step; Math.abs(next - at) <= MAX_NEIGHBORS; next += step) {
      const entry = entries[next]
      if (!entry) return undefined
      const page = this.tree.firstWithin(entry)
      if (page) return this.addressOf(page)
    }
    return undefined
  }

  #attributesOf = (entry: PageEntry): { emoji?: string; icon?: string } =>
    entry.type === 'document' ? (this.space.pages.known.get(entry.gitPath)?.page.attributes ?? {}) : {}

  /** Returns the name of an icon if the navigation may show it. A symbol is much larger than an entry. */
  #iconOf(written: string | undefined): string | undefined {
    const name = iconName(written)
    if (name !== undefined && this.#icons.size < MAX_ICONS) this.#icons.add(name)
    return name !== undefined && this.#icons.has(name) ? name : undefined
  }

  #itemOf(entry: PageEntry): NavigationItem {
    const href = this.addressOf(entry)
    const { id, pages } = entry
    const isOpened = this.#windows.has(pages)
    const { emoji, icon } = this.#attributesOf(entry)
    return {
      id,
      title: shortTitle(entry.title),
      href,
      emoji,
      icon: emoji === undefined ? this.#iconOf(icon) : undefined,
      isExternal: entry.type === 'link' && !entry.target,
      isCurrent: id === this.path.at(-1)?.id,
      isChanged: this.visit.preview?.changed.has(id) ?? false,
      isClosed: !isOpened && pages.length > 0,
      below: isOpened ? this.#levelOf(pages) : undefined,
    }
  }
}
