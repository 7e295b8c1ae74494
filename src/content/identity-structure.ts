/** Matches groups, links and computed pages of two structures. (Pages and files are matched by their files.) */
import { inSlices } from '../kernel/slices.js'
import type { EntryChanges } from './identity-changes.js'
import type { ContentStructure, EntryKind, PageEntry } from './types.js'

function* entries(pages: readonly PageEntry[]): Generator<PageEntry> {
  for (const page of pages) {
    yield page
    yield* entries(page.pages)
  }
}

const kinds: Record<PageEntry['type'], EntryKind> = {
  document: 'page',
  group: 'group',
  link: 'link',
  computed: 'computed',
  generated: 'computed',
}

/** Returns the `kind\0key` of every entry of a structure. */
export const structureKeys = (structure: ContentStructure): Promise<Set<string>> => inSlices(keysInSteps(structure))

function* keysInSteps(structure: ContentStructure): Generator<void, Set<string>> {
  const keys = new Set<string>()
  for (const entry of entries(structure.pages)) {
    yield
    keys.add(`${kinds[entry.type]}\0${entry.key}`)
  }
  return keys
}

/**
 * Yields the marks that identify an entry apart from its key: a link's target, a computed page's operation, a group's
 * title and children.
 */
function* marks(entry: PageEntry): Generator<string> {
  if (entry.type === 'link') yield* [`href ${entry.href} ${entry.title}`, `href ${entry.href}`]
  else if (entry.type === 'computed') yield `computed ${JSON.stringify(entry.computed)}`
  else {
    yield `title ${entry.title}`
    for (const child of entry.pages) yield `child ${child.type === 'document' ? child.gitPath : child.title}`
  }
}

/** The kinds of entries that have no file and are matched here. */
const FILELESS = ['group', 'link', 'computed'] as const
type Fileless = (typeof FILELESS)[number]
type ByKey = ReadonlyMap<string, PageEntry>

/** Returns the entries without a file, by kind and key. */
function* byKey(structure: ContentStructure): Generator<void, Record<Fileless, ByKey>> {
  const found = {
    group: new Map<string, PageEntry>(),
    link: new Map<string, PageEntry>(),
    computed: new Map<string, PageEntry>(),
  }
  for (const entry of entries(structure.pages)) {
    yield
    if (entry.type === 'group' || entry.type === 'link' || entry.type === 'computed')
      found[entry.type].set(entry.key, entry)
  }
  return found
}

/** Returns the entries whose keys are not in `others`. */
function* lacking(entries: ByKey, others: ByKey): Generator<void, PageEntry[]> {
  const found: PageEntry[] = []
  for (const [key, entry] of entries) {
    yield
    if (!others.has(key)) found.push(entry)
  }
  return found
}

/**
 * Matches the groups, links and computed pages of two structures. An entry whose key still exists is the same entry. A
 * removed entry was renamed to a new one if they share a mark that no other new entry has (a group is identified by its
 * children).
 * @param sameLines no line of the table of contents was added or removed, so that a line also identifies an entry
 */
export async function matchStructures(
  before: ContentStructure,
  after: ContentStructure,
  sameLines = false,
): Promise<EntryChanges> {
  const [old, now] = [await inSlices(byKey(before)), await inSlices(byKey(after))]
  const parts: EntryChanges[] = []
  for (const kind of FILELESS) parts.push(await inSlices(matchKind(kind, old[kind], now[kind], sameLines)))
  return {
    added: parts.flatMap((part) => part.added),
    deleted: parts.flatMap((part) => part.deleted),
    renamed: parts.flatMap((part) => part.renamed),
  }
}

function* matchKind(kind: Fileless, old: ByKey, now: ByKey, sameLines: boolean): Generator<void, EntryChanges> {
  const marksOf = function* (entry: PageEntry): Generator<string> {
    if (sameLines && entry.line !== undefined) yield `line ${entry.line}`
    yield* marks(entry)
  }
  const removed = yield* lacking(old, now)
  const came = yield* lacking(now, old)
  const renamed: Array<{ kind: EntryKind; from: string; to: string }> = []
  const taken = new Set<string>()
  const byMark = new Map<string, Set<PageEntry>>()
  for (const entry of came)
    for (const mark of marksOf(entry)) {
      yield
      const known = byMark.get(mark)
      if (known) known.add(entry)
      else byMark.set(mark, new Set([entry]))
    }
  for (const entry of removed) {
    let match: PageEntry | undefined
    for (const mark of marksOf(entry)) {
      yield
      const known = byMark.get(mark)
      if (known?.size === 1) [match] = known
      if (match) break
    }
    if (!match) continue
    taken.add(match.key)
    for (const mark of marksOf(match)) {
      yield
      byMark.get(mark)?.delete(match)
    }
    renamed.push({ kind, from: entry.key, to: match.key })
  }
  const moved = new Set(renamed.map((move) => move.from))
  return {
    added: came.filter((entry) => !taken.has(entry.key)).map((entry) => ({ kind, key: entry.key })),
    deleted: removed.filter((entry) => !moved.has(entry.key)).map((entry) => ({ kind, key: entry.key })),
    renamed,
  }
}
