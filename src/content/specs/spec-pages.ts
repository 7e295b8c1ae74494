/** Lists the pages that an entry of the type `builtin:openapi` generates. */
import type { IndexedOperation, PartIndex, PartPlace } from '../../model/index.js'
import type { ComputedEntry, ShownParts } from '../types.js'

/** The type of entries that generate pages of a specification. */
export const OPENAPI_TYPE = 'builtin:openapi'
/** Maximum number and size of the parts that one page shows. The others are only named. */
const MAX_PARTS = 100
const MAX_BYTES = 1024 * 1024

/** A page to generate. */
export interface SpecPageEntry {
  /** The stable name from which, with the entry's ID, the page ID is derived. It is the same in every version. */
  name: string
  title: string
  /** The text from which the page's slug is derived. */
  slug: string
  description?: string
  props: Record<string, unknown>
  shown: Omit<ShownParts, 'spec' | 'file'>
  pages: SpecPageEntry[]
}

/** Returns the slug of the specification that an entry refers to; null if it refers to none. */
export function specOf({ computed }: Pick<ComputedEntry, 'computed'>): string | null {
  const { spec }: { spec?: { ref?: { spec?: unknown } | null } | null } = computed.dependencies
  const slug = typeof spec === 'object' && spec !== null ? spec.ref?.spec : null
  return typeof slug === 'string' && slug !== '' ? slug : null
}

/**
 * Returns the pages of a specification, according to the `props` of the entry. Linear in the number of its operations
 * and schemas.
 */
export function specPages(index: PartIndex, props: Record<string, unknown>): SpecPageEntry[] {
  const byOperation = props['grouping'] === 'by-operation'
  const byTag = new Map<number, IndexedOperation[]>()
  for (const one of index.operations) {
    const tag = one.tag ?? index.tags.length
    const group = byTag.get(tag)
    if (group) group.push(one)
    else byTag.set(tag, [one])
  }
  const names = new NameSet()
  const pages = [...byTag]
    .sort(([a], [b]) => a - b)
    .map(([tag, operations]) => {
      const { name, description } = index.tags[tag] ?? { name: null, description: undefined }
      return tagPage(name, description, operations, byOperation ? names : null)
    })
  return props['models'] === true && index.schemas.length > 0 ? [...pages, modelsPage(index)] : pages
}

/** @param names names for operations that have separate pages; null if they are shown on this page */
function tagPage(
  tag: string | null,
  description: string | undefined,
  operations: readonly IndexedOperation[],
  names: NameSet | null,
): SpecPageEntry {
  const shown = names ? [] : operations
  return {
    name: tag === null ? 'operations' : `tag ${tag}`,
    title: tag ?? 'Operations',
    slug: tag ?? 'Operations',
    props: { doc: 'tag', ...(tag === null ? {} : { tag }) },
    shown: { ...aboutOf(description), ...partsOf(shown, ({ title }) => title), headed: true },
    pages: names ? operations.map((one) => operationPage(one, names)) : [],
  }
}

const aboutOf = (about: string | undefined): { about?: string } => (about === undefined ? {} : { about })

function partsOf<P extends PartPlace>(
  all: readonly P[],
  titleOf: (part: P) => string,
): { parts: PartPlace[]; rest: string[] } {
  let bytes = 0
  const beyond = all.findIndex(({ length }, at) => at >= MAX_PARTS || (bytes += length) > MAX_BYTES)
  return beyond < 0
    ? { parts: [...all], rest: [] }
    : { parts: all.slice(0, beyond), rest: all.slice(beyond).map(titleOf) }
}

function operationPage(one: IndexedOperation, names: NameSet): SpecPageEntry {
  const { method, path, id, title } = one
  return {
    name: names.take(method, path),
    title,
    slug: id ?? `${method} ${path}`,
    props: { doc: 'operation', method: method.toLowerCase(), path },
    shown: { parts: [one], rest: [], headed: false },
    pages: [],
  }
}

const modelsPage = ({ schemas }: PartIndex): SpecPageEntry => ({
  name: 'models',
  title: 'Models',
  slug: 'Models',
  props: { doc: 'models' },
  shown: { ...partsOf(schemas, ({ name }) => name), headed: true },
  pages: [],
})

/**
 * Names operations by method and path without the names of its parameters, unless two operations differ only in these.
 */
class NameSet {
  readonly #taken = new Set<string>()

  take(method: string, path: string): string {
    const name = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`
    const free = this.#taken.has(name) ? `${method} ${path}` : name
    this.#taken.add(free)
    return free
  }
}
