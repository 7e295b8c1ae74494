/** What is known of markdown files: from memory, from the index, or made by threads. */
import type { Outline, Section } from '../../content/outline/outline.js'
import type { Reference } from '../../content/reference.js'
import type { FactsIndex } from '../../facts/index.js'
import { Slices } from '../../kernel/slices.js'
import type { ContentCache, KnownPage } from './content-cache.js'
import { FactMaker, type Files, type Kind, type IndexedFacts, weightOf } from './make-facts.js'
import type { Texts } from './texts.js'

/** Rows that are asked of the index between two looks at the time. */
const ROWS = 200

interface Cache<T> {
  get(oid: string): T | undefined
  set(oid: string, value: T, bytes?: number): void
}

/** Knows files by the object IDs of their blobs. Every method may throw 503 (too many texts wait), and what `files` throws. */
export class PageIndex {
  readonly #maker: FactMaker

  constructor(
    texts: Texts,
    private readonly index: FactsIndex,
    private readonly content: Pick<ContentCache, 'pages' | 'references' | 'outlines'>,
  ) {
    this.#maker = new FactMaker(texts, index)
    texts.outlinesBy((owner, files, oids) => this.outlines(owner, files, oids))
  }

  /** What is known of pages, by object ID. The work of the threads is charged to `owner`, a space. */
  pages(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, KnownPage>> {
    return this.#all(owner, files, oids, 'page', this.content.pages)
  }

  /** The references in pages, by object ID. A page that is too costly to parse has none. */
  references(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, readonly Reference[]>> {
    return this.#all(owner, files, oids, 'references', this.content.references)
  }

  /** The outlines of pages, by object ID. That of a page that is too costly to parse has no headings. */
  outlines(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, Outline>> {
    return this.#all(owner, files, oids, 'outline', this.content.outlines)
  }

  /**
   * The texts of pages by section, by object ID. A page that is too costly to parse has none. They are not kept in memory: whoever asks
   * for many asks for some at a time.
   */
  sections(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, readonly Section[]>> {
    return this.#all(owner, files, oids, 'sections', null)
  }

  async #all<K extends Kind>(
    owner: string,
    files: Files,
    oids: Iterable<string>,
    kind: K,
    cache: Cache<IndexedFacts[K]> | null,
  ): Promise<Map<string, IndexedFacts[K]>> {
    const found = new Map<string, IndexedFacts[K]>()
    const missing: string[] = []
    for (const oid of new Set(oids)) {
      const known = cache?.get(oid)
      if (known === undefined) missing.push(oid)
      else found.set(oid, known)
    }
    if (missing.length === 0) return found
    const absent = await this.#fromIndex(missing, kind, (oid, value, bytes) => {
      cache?.set(oid, value, bytes)
      found.set(oid, value)
    })
    await this.#maker.make(owner, files, absent, (oid, made) => {
      // Whoever reads a page that has just arrived asks for these two next.
      this.content.pages.set(oid, made.of('page'), made.weight('page'))
      this.content.references.set(oid, made.of('references'), made.weight('references'))
      if (kind === 'outline') cache?.set(oid, made.of(kind), made.weight(kind))
      found.set(oid, made.of(kind))
    })
    return found
  }

  /** Reads from the index; returns the object IDs that it does not have. */
  async #fromIndex<K extends Kind>(
    oids: readonly string[],
    kind: K,
    use: (oid: string, value: IndexedFacts[K], bytes: number) => void,
  ): Promise<string[]> {
    const absent: string[] = []
    const slices = new Slices()
    for (let from = 0; from < oids.length; from += ROWS) {
      const some = oids.slice(from, from + ROWS)
      const rows = this.index.get(kind, some)
      for (const oid of some) {
        const row = rows.get(oid)
        const value = row === undefined ? null : (findValue(kind, row) as IndexedFacts[K] | null)
        if (row === undefined || value === null) absent.push(oid)
        else use(oid, value, weightOf(row))
        if (slices.due) await slices.rest()
      }
    }
    return absent
  }
}

/** The value of a row; null if it is damaged, so that it counts as missing. */
function findValue(kind: Kind, row: string): unknown {
  try {
    const value: unknown = JSON.parse(row)
    if (kind === 'references' || kind === 'sections') return Array.isArray(value) ? value : null
    if (kind === 'outline') return isOutline(value) ? value : null
    const { attributes, bodyStart, diagnostics, limit } = value as Partial<KnownPage>
    return isObject(attributes) && Number.isInteger(bodyStart) && Array.isArray(diagnostics) && limit !== undefined
      ? value
      : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const isOutline = (value: unknown): boolean => {
  const { title, headings, anchors } = (isObject(value) ? value : {}) as Partial<Outline>
  return typeof title === 'string' && Array.isArray(headings) && Array.isArray(anchors)
}
