/** Stores the dates of files across restarts, so that a long history is not read again. */
import type { FactsIndex } from '../../facts/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { mapInSlices, Slices } from '../../kernel/slices.js'
import type { FileDates } from './content-cache.js'
import { required } from '../../kernel/defined.js'

/** The only kind of value in the index. */
export const DATES_KIND = 'dates'
/**
 * Version of the computation. Increase it if the same history yields other dates: an index of another version is
 * dropped.
 */
export const DATES_VERSION = 2
/** Maximum number of characters of paths per row. */
const MAX_ROW_CHARACTERS = 32_000

/** Number of rows that are read in one call, which takes about a millisecond. */
const ROWS_AT_ONCE = 4

/** One row: the number of rows for the commit, and the dates of some files. Files refer to `commits` by position. */
interface Row {
  rows: number
  commits: CommitId[]
  files: [path: string, created: number, updated: number, commit: number][]
}

/** Returns the key of a row. The first row has no number, so one query finds all commits that have rows. */
const keyOf = (space: string, commit: CommitId, row: number): string =>
  row === 0 ? `${space}:${commit}` : `${space}:${commit}:${row}`

export class StoredDates {
  constructor(private readonly index: FactsIndex) {}

  /** Returns the first of the commits whose dates are stored, and its dates by path. Null if there is none. */
  async find(
    space: string,
    commits: readonly CommitId[],
  ): Promise<{ commit: CommitId; dates: Map<string, FileDates> } | null> {
    const first = this.#read(commits.map((commit) => keyOf(space, commit, 0)))
    for (const commit of commits) {
      const row = first.get(keyOf(space, commit, 0))
      const dates = row && (await this.#datesOf(space, commit, row))
      if (dates) return { commit, dates }
    }
    return null
  }

  /** Reads the dates of a commit in slices. Null if one of the rows is missing. */
  async #datesOf(space: string, commit: CommitId, first: Row): Promise<Map<string, FileDates> | null> {
    const keys = Array.from({ length: first.rows - 1 }, (_, index) => keyOf(space, commit, index + 1))
    const dates = new Map<string, FileDates>()
    const add = ({ files, commits }: Row): void => {
      for (const [path, created, updated, at] of files)
        dates.set(path, { created, updated, commit: required(commits[at]) })
    }
    add(first)
    const slices = new Slices()
    for (let at = 0; at < keys.length; at += ROWS_AT_ONCE) {
      const some = keys.slice(at, at + ROWS_AT_ONCE)
      const rows = this.#read(some)
      if (rows.size !== some.length) return null
      for (const row of rows.values()) add(row)
      if (slices.due) await slices.rest()
    }
    return dates
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
    const groups: Omit<Row, 'rows'>[] = []
    let places = new Map<CommitId, number>()
    let characters = MAX_ROW_CHARACTERS
    for (const [path, found] of dates) {
      if (found === null) continue
      characters += path.length + 80
      if (characters > MAX_ROW_CHARACTERS) {
        groups.push({ commits: [], files: [] })
        places = new Map()
        characters = 0
      }
      const { commits, files } = required(groups.at(-1))
      const place = places.get(found.commit) ?? commits.push(found.commit) - 1
      places.set(found.commit, place)
      files.push([path, found.created, found.updated, place])
      if (slices.due) await slices.rest()
    }
    let next = 0
    const rows = await mapInSlices(groups, (group) => ({
      oid: keyOf(space, commit, next++),
      values: [JSON.stringify({ rows: groups.length, ...group } satisfies Row)],
    }))
    this.index.put(rows)
  }
}

/** Parses a row. Null if it is damaged, so that it counts as missing. */
function readRow(text: string): Row | null {
  try {
    const { rows, commits, files }: Partial<Row> = JSON.parse(text)
    return typeof rows === 'number' && Number.isInteger(rows) && Array.isArray(commits) && Array.isArray(files)
      ? { rows, commits, files }
      : null
  } catch {
    return null
  }
}
