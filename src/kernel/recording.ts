/** Records the reads that a response depends on, so that it can be sent again while none of them has changed. */

/** A value that is cheap to compare: the version of a document, the commit of a ref, whether a time has passed. */
export type Comparable = string | number | boolean | null

/** A source of values that only change together with its version. */
interface Source {
  readonly version: number
}

interface RecordedValue {
  readonly name: string
  readonly value: Comparable
  readonly now: () => Comparable
  readonly source: Source | null
}

/** All reads that a response depends on. */
export interface RecordedReads {
  /** Equal for recordings with the same values of the same reads. */
  readonly key: string
  /** Approximate memory, in bytes. */
  readonly bytes: number
  /** Whether all values are unchanged. Reads memory, and refs from the disk. It is synchronous. */
  areUnchanged(): boolean
  /** Returns the values that have changed. Reads the same sources as `areUnchanged`. */
  changes(): Changes
}

/** A changed value, by the name it was recorded under. */
export interface Change {
  readonly name: string
  readonly from: Comparable
  readonly to: Comparable
}

interface Changes {
  readonly changed: readonly Change[]
  /** Returns the same reads with the new values. */
  updatedReads(): RecordedReads
}

/**
 * Maximum number of recorded values. A comparison is synchronous, and each value takes up to three microseconds.
 */
const MAX_VALUES = 5_000
/** Memory of a recorded value: the object, its closure and the values it refers to. */
const RECORDED_VALUE_BYTES = 300

/**
 * The reads of one request. A read that cannot be compared later invalidates the whole recording. There are no lists by
 * hand:
 * the store, the repositories and the clock of the request record their reads.
 */
export class Recording {
  // bound: the reads of one request until its response's dependencies are known
  readonly #facts = new Map<string, RecordedValue>()
  #sealed = false
  #complete = true

  /**
   * Records a value that was read.
   * @param name what the value belongs to; equal only for the same thing
   * @param now reads it again
   * @param source its source, if that has a version: the value is read again only when the version changes
   */
  recordValue(name: string, value: Comparable, now: () => Comparable, source: Source | null = null): void {
    const known = this.#facts.get(name)
    // Two reads of the same thing returned different values. The response may mix them.
    if (known && known.value !== value) this.#complete = false
    if (!known && !this.#sealed) this.#facts.set(name, { name, value, now, source })
  }

  /** Records a read that cannot be compared later. */
  recordUnknown(): void {
    if (!this.#sealed) this.#complete = false
  }

  /** Stops the recording. A later read that contradicts a recorded value still invalidates it. */
  seal(): void {
    this.#sealed = true
  }

  /** Returns the recorded reads if all of them are comparable and unchanged, and not too many; else null. */
  finish(): RecordedReads | null {
    if (!this.#sealed || !this.#complete || this.#facts.size > MAX_VALUES) return null
    const facts = [...this.#facts.values()]
    const evidence = new ComparableReads(facts)
    return evidence.areUnchanged() ? evidence : null
  }
}

/** The values of one source, and its version at the last comparison. */
interface Group {
  readonly source: Source | null
  readonly facts: Pick<RecordedValue, 'value' | 'now'>[]
  compared: number | null
}

class ComparableReads implements RecordedReads {
  readonly key: string
  readonly bytes: number
  readonly #facts: readonly RecordedValue[]
  readonly #groups: readonly Group[]

  constructor(facts: readonly RecordedValue[]) {
    this.#facts = facts
    this.key = JSON.stringify(facts.map(({ name, value }) => [name, value]))
    this.bytes = facts.length * RECORDED_VALUE_BYTES + 2 * this.key.length
    const groups = new Map<Source | null, Group>()
    for (const { value, now, source } of facts) {
      const group = groups.get(source)
      if (group) group.facts.push({ value, now })
      else groups.set(source, { source, facts: [{ value, now }], compared: null })
    }
    this.#groups = [...groups.values()]
  }

  areUnchanged(): boolean {
    for (const group of this.#groups) {
      const version = group.source === null ? null : group.source.version
      if (version !== null && version === group.compared) continue
      for (const { value, now } of group.facts) if (now() !== value) return false
      group.compared = version
    }
    return true
  }

  changes(): Changes {
    const facts = this.#facts.map((fact) => ({ ...fact, from: fact.value, value: fact.now() }))
    const changed = facts.flatMap(({ name, from, value }) => (value === from ? [] : { name, from, to: value }))
    return { changed, updatedReads: () => new ComparableReads(facts) }
  }
}
