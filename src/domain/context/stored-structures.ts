/** Stores the structures of large spaces across restarts, so that the first page does not wait for all of them. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { structureFromLines, structureLines } from '../../content/stored-structure.js'
import type { ContentStructure } from '../../content/types.js'
import type { FactsIndex } from '../../facts/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { inSlices } from '../../kernel/slices.js'

/** The only kind of value in the index. */
export const STRUCTURE_KIND = 'structure'
/** Number of entries below which a structure is not stored, because it is built quickly. */
const MIN_ENTRIES = 500
/** Maximum length of the lines of a stored structure, in characters. 10,000 pages take about two million. */
const MAX_CHARACTERS = 16 * 1024 * 1024
/** Number of characters per row. */
const ROW_CHARACTERS = 48_000
/** Delay of writing, in milliseconds, so that a series of changes is written once and no request waits. */
const DELAY_MS = 2_000
/** Maximum number of structures that wait to be written. Further ones are not stored. */
const MAX_WAITING = 16

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The first row of a space. */
interface Head {
  commit: CommitId
  /** The adopted head when the structure was read, because IDs depend on it. */
  adopted: CommitId | null
  /** Size of the structure in memory, in bytes. */
  bytes: number
  /** Number of the following rows. */
  rows: number
}

/** A structure, and the values on which it depends besides the files of its commit. */
export interface StructureToStore extends Omit<Head, 'rows'> {
  structure: ContentStructure
  /** Whether it is the structure of main when it is written. */
  isCurrent(): boolean
}

const keyOf = (space: string, row: number): string => `${space}:${row}`

/** The last structure of main for each space. Any of them may be missing, because it can be built again. */
export class StoredStructures {
  // bound: MAX_WAITING
  readonly #waiting = new Map<string, { space: string; found: StructureToStore }>()
  #timer: NodeJS.Timeout | null = null

  constructor(private readonly index: FactsIndex) {}

  /** Returns the commit of the stored structure and its adopted head. Null if none is stored. */
  find(space: string): Head | null {
    try {
      const { commit, adopted, bytes, rows }: Partial<Head> = JSON.parse(this.#row(space, 0) ?? '{}')
      if (typeof commit !== 'string' || adopted === undefined || typeof bytes !== 'number') return null
      return Number.isInteger(rows) ? { commit, adopted, bytes, rows: Number(rows) } : null
    } catch {
      return null
    }
  }

  /** Reads the structure that `find` returned. Null if it is missing or damaged. */
  async read(space: string, { commit, rows }: Head): Promise<ContentStructure | null> {
    try {
      const parts = Array.from({ length: rows }, (_, n) => this.#row(space, n + 1)?.split(' ') ?? [])
      if (parts.some(([of]) => of !== commit)) return null
      const bytes = Buffer.from(parts.map(([, part]) => part).join(''), 'base64')
      const lines = await decompress(bytes, { maxOutputLength: 4 * MAX_CHARACTERS })
      return await structureFromLines(lines.toString().split('\n'))
    } catch {
      return null
    }
  }

  #row(space: string, row: number): string | undefined {
    const key = keyOf(space, row)
    return this.index.get(STRUCTURE_KIND, [key]).get(key)
  }

  /** Stores a structure a little later, if it is large. */
  store(space: string, found: StructureToStore): void {
    if (found.structure.byId.size < MIN_ENTRIES) return
    if (this.#waiting.size >= MAX_WAITING) return
    this.#waiting.set(`${space} ${found.commit}`, { space, found })
    this.#timer ??= setTimeout(() => void this.#write(), DELAY_MS).unref()
  }

  async #write(): Promise<void> {
    this.#timer = null
    for (const [key, { space, found }] of this.#waiting) {
      this.#waiting.delete(key)
      const { structure, isCurrent, ...head } = found
      if (!isCurrent()) continue
      const lines = await inSlices(structureLines(structure, MAX_CHARACTERS))
      if (lines === null) continue
      const text = (await compress(lines.join('\n'), { level: 1 })).toString('base64')
      const rows = Math.ceil(text.length / ROW_CHARACTERS)
      const values = [JSON.stringify({ ...head, rows } satisfies Head)]
      for (let from = 0; from < text.length; from += ROW_CHARACTERS)
        values.push(`${head.commit} ${text.slice(from, from + ROW_CHARACTERS)}`)
      this.index.put(values.map((value, row) => ({ oid: keyOf(space, row), values: [value] })))
    }
  }
}
