// Estimates the memory of cached values in bytes. The figures are for V8 with 8-byte pointers, measured over many
// values of each kind. `test/kernel/estimates.test.ts` checks each against the growth of the heap, within a factor of
// two.
import type { CommentTarget } from '../../content/blocks/comment-targets.js'
import type { IdOverrides } from '../../content/identity.js'
import type { LfsPointer } from '../../content/lfs-pointer.js'
import type { LinkGraph } from '../../content/links/link-graph.js'
import type { OutwardLinks } from '../../content/links/outward-links.js'
import type { Outline } from '../../content/outline/outline.js'
import type { Reference } from '../../content/reference.js'
import type { ContentStructure } from '../../content/types.js'
import type { Signature } from '../../git/index.js'
import type {
  Deletions,
  Dimensions,
  GatedPages,
  PageDates,
  PageRevision,
  KnownPage,
  PresentedTree,
  VisiblePages,
} from '../context/content-cache.js'

/** Returns the size of a string. One character beyond Latin-1 makes every character take two bytes. */
export const ofText = (text: string): number => 24 + text.length * (isWide(text) ? 2 : 1)

const WIDE = /[^\0-\xff]/
const isWide = (text: string): boolean => WIDE.test(text)

/** Size of an entry of a map or set, with its share of unused slots. */
const SLOT = 48
const OBJECT = 64

export function ofOverrides(overrides: IdOverrides): number {
  let bytes = 200
  for (const [key, id] of overrides) bytes += SLOT + ofText(key) + ofText(id)
  return bytes
}

/** Size of a page's entry: its members, its list of subpages, and its slots in three maps. */
const PAGE = 400

/** Estimates a structure. Yields once per entry, so that weighing a large structure can be interrupted. */
export function* ofStructure(structure: ContentStructure): Generator<void, number> {
  let bytes = 2_000
  const work = [...structure.pages]
  for (let page = work.pop(); page; page = work.pop()) {
    yield
    bytes += PAGE + ofText(page.id) + ofText(page.key) + ofText(page.title) + ofText(page.slug) + ofText(page.path)
    if (page.type === 'document') bytes += ofText(page.gitPath)
    if (page.type === 'link') bytes += ofText(page.href) + OBJECT
    if (page.type === 'generated')
      bytes +=
        OBJECT +
        4 * JSON.stringify(page.computed).length +
        16 * page.shown.parts.length +
        ofText(page.shown.about ?? '')
    if (page.type === 'computed') bytes += 4 * JSON.stringify(page.computed).length
    for (const below of page.pages) work.push(below)
  }
  for (const file of [...structure.assets, ...structure.reusableContents]) bytes += OBJECT + 3 * ofText(file.gitPath)
  for (const diagnostic of structure.diagnostics) {
    yield
    bytes += 4 * JSON.stringify(diagnostic).length
  }
  return bytes + 4 * JSON.stringify([structure.config, structure.variables, structure.tags]).length
}

/** Estimates the attributes and diagnostics of a page. */
export const ofPage = ({ attributes, diagnostics, limit }: KnownPage): number =>
  300 + 4 * JSON.stringify([attributes, diagnostics, limit]).length

/** Size of a page in the maps of the visitor gate: two slots, its part, its condition, and its object ID. */
const GATED = 2 * SLOT + 4 * OBJECT

/** Estimates the pages for the visitor gate, without their entries and facts, which are in other caches. */
export const ofGatedPages = ({ pages, conditions }: GatedPages): number =>
  200 + pages.size * GATED + conditions.reduce((sum, condition) => sum + ofText(condition), 0)

/** Size of a page that a visitor may see: a copy of its entry, its list of subpages, and its slots. */
const VISIBLE = 2 * SLOT + 5 * OBJECT

/** Estimates the pages for visitors with one gate decision. */
export const ofVisiblePages = ({ readable }: VisiblePages): number => 200 + readable.size * VISIBLE

export function ofReferences(references: readonly Reference[]): number {
  let bytes = 32
  for (const { target, raw } of references) bytes += 88 + ofText(target) + (raw === target ? 0 : ofText(raw))
  return bytes
}

/** Size of a link, its target, and its slots in the lists and maps of the graph. */
const LINK = 420

/** Estimates a link graph. Yields once per link, since a large space has a hundred thousand. */
export function* ofLinks({ links }: LinkGraph): Generator<void, number> {
  let bytes = 1_000
  for (const { target, like } of links) {
    yield
    bytes += LINK + ofText(target) + (like === undefined ? 0 : ofText(like))
  }
  return bytes
}

export function ofAddresses(addresses: OutwardLinks): number {
  let bytes = 200
  for (const [origin, links] of addresses) {
    bytes += 3 * SLOT + ofText(origin)
    for (const { target } of links) bytes += OBJECT + ofText(target)
  }
  return bytes
}

export function ofOutline({ title, headings, anchors }: Outline): number {
  let bytes = 250 + ofText(title)
  for (const one of headings) bytes += 56 + ofText(one.title) + ofText(one.anchor)
  for (const anchor of anchors) bytes += 8 + ofText(anchor)
  return bytes
}

export function ofPlaces(places: readonly CommentTarget[]): number {
  let bytes = 32
  for (const { node, preview } of places) bytes += 320 + 2 * (ofText(node) + ofText(preview))
  return bytes
}

export const ofPointer = (pointer: LfsPointer | 'none'): number => (pointer === 'none' ? 0 : 64 + ofText(pointer.oid))

/** Yields once per page, as `ofStructure` does. */
export function* ofTree({ pages }: PresentedTree): Generator<void, number> {
  let bytes = 400
  for (const [id, { before, after, costly }] of pages) {
    yield
    bytes += SLOT + OBJECT + ofText(id) + ofText(before) + ofText(after) + 40 * costly.length
  }
  return bytes
}

/** Estimates the map of this commit only. The lower maps of the chain are separate cached values. */
export function ofDates({ own }: PageDates): number {
  let bytes = 200
  for (const path of own.keys()) bytes += SLOT + 48 + ofText(path)
  return bytes
}

export const ofDimensions = (dimensions: Dimensions): number => (dimensions === 'none' ? 0 : 32)

export function ofPaths(paths: Iterable<string>): number {
  let bytes = 200
  for (const path of paths) bytes += SLOT + ofText(path)
  return bytes
}

export function ofPageHistory(revisions: readonly PageRevision[]): number {
  let bytes = 32
  for (const { id, path } of revisions) bytes += 48 + ofText(id) + ofText(path)
  return bytes
}

export function ofDeletions(deletions: Deletions): number {
  let bytes = 200
  for (const [page, list] of deletions) {
    bytes += SLOT + 48 + ofText(page)
    for (const { commit, parent, path } of list) bytes += 48 + ofText(commit) + ofText(parent) + ofText(path)
  }
  return bytes
}

export function ofWriters(writers: readonly Signature[]): number {
  let bytes = 32
  for (const { name, email } of writers) bytes += 80 + ofText(name) + ofText(email)
  return bytes
}
