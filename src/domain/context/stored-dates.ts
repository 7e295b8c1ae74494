/** Stores the dates of files across restarts, so that a long history is not read again. */
import type { FactsIndex } from '../../facts/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { FileDates } from './content-cache.js'

/** The only kind of value in the index. */
export const DATES_KIND = 'dates'
/**
 * Version of the computation. Increase it if the same history yields other dates: an index of another version is
 * dropped.
 */
export const DATES_VERSION = 1
/** Maximum number of characters of paths per row. */
const MAX_ROW_CHARACTERS = 32_000

/** One row: the number of rows for the commit, and the dates of some files. */
interface Row {
  rows: number
  files: [path: string, created: number, updated: number][]
}

/** Returns the key of a row. The first row has no number, so one query finds all commits that have rows. */
const keyOf = (space: string, commit: CommitId, row: number): string =>
  row === 0 ? `${space}:${commit}` : `${space}:${commit}:${row}`

export class StoredDates {
  constructor(private readonly index: FactsIndex) {}

  /** Returns the first of the commits whose dates are stored, and its dates by path. Null if there is none. */
  find(space: string, commits: readonly CommitId[]): { commit: CommitId; dates: Map<string, FileDates> } | null {
    const first = this.#read(commits.map((commit) => keyOf(space, commit, 0)))
    for (const commit of commits) {
      const row = first.get(keyOf(space, commit, 0))
      const dates = row && this.#datesOf(space, commit, row)
      if (dates) return { commit, dates }
    }
    return null
  }

  /** Reads the dates of a commit. Null if one of the rows is missing. */
  #datesOf(space: string, commit: CommitId, first: Row): Map<string, FileDates> | null {
    const keys = Array.from({ length: first.rows - 1 }, (_, index) => keyOf(space, commit, index + 1))
    const others = this.#read(keys)
    if (others.size !== keys.length) return null
    return new Map(
      [first, ...others.values()].flatMap(({ files }) =>
        files.map(([path, created, updated]) => [path, { created, updated }]),
      ),
    )
  }

  #read(keys: readonly string[]): Map<string, Row> {
    const rows = new Map<string, Row>()
    for (const [key, text] of this.index.get(DATES_KIND, keys)) {
      const row = readRow(text)
      if (row) rows.set(key, row)
    }
    return rows
  }

  /** Stores the dates of all files of a commit. */
  async store(space: string, commit: CommitId, dates: ReadonlyMap<string, FileDates | null>): Promise<void> {
    const slices = new Slices()
    const groups: Row['files'][] = [[]]
    let characters = 0
    for (const [path, found] of dates) {
      if (found === null) continue
      characters += path.length + 30
      if (characters > MAX_ROW_CHARACTERS) {
        groups.push([])
        characters = 0
      }
      groups.at(-1)?.push([path, found.created, found.updated])
      if (slices.due) await slices.rest()
    }
    this.index.put(
      groups.map((files, row) => ({
        oid: keyOf(space, commit, row),
        values: [JSON.stringify({ rows: groups.length, files } satisfies Row)],
      })),
    )
  }
}

/** Parses a row. Null if it is damaged, so that it counts as missing. */
function readRow(text: string): Row | null {
  try {
    const { rows, files }: Partial<Row> = JSON.parse(text)
    return Number.isInteger(rows) && Array.isArray(files) ? { rows: rows as number, files } : null
  } catch {
    return null
  }
}
