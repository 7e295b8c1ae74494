/** Looks up the facts of markdown files: in memory, in the index, or by parsing them in threads. */
import type { Outline, Section } from '../../content/outline/outline.js'
import type { Reference } from '../../content/reference.js'
import type { FactsIndex } from '../../facts/index.js'
import { eachInSlices, Slices } from '../../kernel/slices.js'
import type { ContentCache, KnownPage } from './content-cache.js'
import { FactMaker, type Files, type Kind, type IndexedFacts, weightOf } from './make-facts.js'
import type { Texts } from './texts.js'
import { isRecord } from '../../kernel/guards.js'

/** Number of rows read from the index between two checks of the time slice. */
const ROWS = 200

interface Cache<T> {
  get(oid: string): T | undefined
  set(oid: string, value: T, bytes?: number): void
}

/**
 * Facts of files by the object IDs of their blobs. Every method may throw 503 (too many texts wait), and the errors of
 * `files`.
 */
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

  /** Returns page facts by object ID. The thread time is charged to `owner`, a space. */
  pages(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, KnownPage>> {
    return this.#all(owner, files, oids, 'page', this.content.pages)
  }

  /** Returns the references in pages, by object ID. A page that is too costly to parse has none. */
  references(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, readonly Reference[]>> {
    return this.#all(owner, files, oids, 'references', this.content.references)
  }

  /** Returns the outlines of pages, by object ID. The outline of a page that is too costly to parse has no headings. */
  outlines(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, Outline>> {
    return this.#all(owner, files, oids, 'outline', this.content.outlines)
  }

  /**
   * Returns the texts of pages by section, by object ID. A page that is too costly to parse has none. The texts are not
   * kept in memory, so callers with many pages ask for a few at a time.
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
    await eachInSlices(new Set(oids), (oid) => {
      const known = cache?.get(oid)
      if (known === undefined) missing.push(oid)
      else found.set(oid, known)
    })
    if (missing.length === 0) return found
    const absent = await this.#fromIndex(missing, kind, (oid, value, bytes) => {
      cache?.set(oid, value, bytes)
      found.set(oid, value)
    })
    await this.#maker.make(owner, files, absent, (oid, facts) => {
      // A reader of a page that has just arrived needs these two next.
      const [page, references, wanted] = [facts.of('page'), facts.of('references'), facts.of(kind)]
      this.content.pages.set(oid, page.value, page.bytes)
      this.content.references.set(oid, references.value, references.bytes)
      if (kind === 'outline') cache?.set(oid, wanted.value, wanted.bytes)
      found.set(oid, wanted.value)
    })
    return found
  }

  /** Reads values from the index and returns the object IDs that it lacks. */
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
        const value = row === undefined ? null : (parseRow(kind, row) as IndexedFacts[K] | null)
        if (row === undefined || value === null) absent.push(oid)
        else use(oid, value, weightOf(row))
        if (slices.due) await slices.rest()
      }
    }
    return absent
  }
}

/** Parses the value of a row. Null if it is damaged, so that it counts as missing. */
function parseRow(kind: Kind, row: string): unknown {
  try {
    const value: unknown = JSON.parse(row)
    if (kind === 'references' || kind === 'sections') return Array.isArray(value) ? value : null
    if (kind === 'outline') return isOutline(value) ? value : null
    const { attributes, bodyStart, diagnostics, limit } = isRecord(value) ? value : {}
    return isRecord(attributes) && Number.isInteger(bodyStart) && Array.isArray(diagnostics) && limit !== undefined
      ? value
      : null
  } catch {
    return null
  }
}

const isOutline = (value: unknown): boolean => {
  const { title, headings, anchors } = isRecord(value) ? value : {}
  return typeof title === 'string' && Array.isArray(headings) && Array.isArray(anchors)
}
