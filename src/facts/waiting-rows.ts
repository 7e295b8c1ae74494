/** Rows that are not written to the index yet. They are written when no request is waiting. */
import { Slices } from '../kernel/slices.js'
import { WRITTEN_AT_ONCE } from './database.js'
import type { FactRow } from './types.js'

/**
 * Time without new rows after which they are written, in milliseconds. A request that reads thousands of new pages
 * finishes first.
 */
const QUIET_MS = 300
/** Maximum number of pending characters. Beyond it, the oldest rows are written at once. */
const MAX_WAITING = 8 * 1024 * 1024

/** Rows in memory until they are passed to `write`. */
export class WaitingRows {
  // bound: MAX_WAITING
  readonly #rows = new Map<string, FactRow>()
  #characters = 0
  #timer: NodeJS.Timeout | null = null

  constructor(
    private readonly kinds: readonly string[],
    private readonly write: (rows: readonly FactRow[]) => void,
  ) {}

  /** Returns the values of one kind in the pending rows, by object ID. */
  get(kind: string, oids: readonly string[]): Map<string, string> {
    const found = new Map<string, string>()
    if (this.#rows.size === 0) return found
    const at = this.kinds.indexOf(kind)
    for (const oid of oids) {
      const value = this.#rows.get(oid)?.values[at]
      if (typeof value === 'string') found.set(oid, value)
    }
    return found
  }

  row(oid: string): FactRow | undefined {
    return this.#rows.get(oid)
  }

  add(rows: readonly FactRow[]): void {
    for (const row of rows) {
      this.#remove(row.oid)
      this.#rows.set(row.oid, row)
      this.#characters += lengthOf(row)
    }
    while (this.#characters > MAX_WAITING) this.#writeSome()
    clearTimeout(this.#timer ?? undefined)
    this.#timer = setTimeout(() => void this.#writeAll(), QUIET_MS).unref()
  }

  /** Writes all pending rows. */
  close(): void {
    clearTimeout(this.#timer ?? undefined)
    while (this.#rows.size > 0) this.#writeSome()
  }

  async #writeAll(): Promise<void> {
    const slices = new Slices()
    while (this.#rows.size > 0) {
      this.#writeSome()
      if (slices.due) await slices.rest()
    }
  }

  /** Writes the oldest rows. Rows that cannot be written are dropped, since they can be rebuilt. */
  #writeSome(): void {
    const some: FactRow[] = []
    for (const row of this.#rows.values()) {
      if (some.length === WRITTEN_AT_ONCE) break
      some.push(row)
    }
    for (const { oid } of some) this.#remove(oid)
    this.write(some)
  }

  #remove(oid: string): void {
    const row = this.#rows.get(oid)
    if (row === undefined) return
    this.#rows.delete(oid)
    this.#characters -= lengthOf(row)
  }
}

const lengthOf = ({ values }: FactRow): number => values.reduce((sum, value) => sum + (value?.length ?? 0), 100)
