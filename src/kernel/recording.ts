/** Records the reads that a response depends on, so that it can be sent again while none of them has changed. */

/** A value that is cheap to compare: the version of a document, the commit of a ref, whether a time has passed. */
export type Noted = string | number | boolean | null

/** A source of values that only change together with its version. */
interface Source {
  readonly version: number
}

interface Fact {
  readonly name: string
  readonly value: Noted
  readonly now: () => Noted
  readonly source: Source | null
}

/** All reads that a response depends on. */
export interface Evidence {
  /** Equal for recordings with the same values of the same reads. */
  readonly key: string
  /** Approximate memory, in bytes. */
  readonly bytes: number
  /** Whether all values are unchanged. Reads memory, and refs from the disk. It is synchronous. */
  holds(): boolean
  /** Returns the values that have changed. Reads the same sources as `holds`. */
  changes(): Changes
}

/** A changed value, by the name it was recorded under. */
export interface Change {
  readonly name: string
  readonly from: Noted
  readonly to: Noted
}

interface Changes {
  readonly changed: readonly Change[]
  /** Returns the same reads with the new values. */
  evidence(): Evidence
}

/** Memory of a recorded value: the object, its closure and the values it refers to. */
const FACT_BYTES = 300

/**
 * The reads of one request. A read that cannot be compared later invalidates the whole recording. There are no lists by
 * hand:
 * the store, the repositories and the clock of the request record their reads.
 */
export class Recording {
  // bound: the reads of one request until its response's dependencies are known
  readonly #facts = new Map<string, Fact>()
  #sealed = false
  #complete = true

  /**
   * Records a value that was read.
   * @param name what the value belongs to; equal only for the same thing
   * @param now reads it again
   * @param source its source, if that has a version: the value is read again only when the version changes
   */
  note(name: string, value: Noted, now: () => Noted, source: Source | null = null): void {
    const known = this.#facts.get(name)
    // Two reads of the same thing returned different values. The response may mix them.
    if (known && known.value !== value) this.#complete = false
    if (!known && !this.#sealed) this.#facts.set(name, { name, value, now, source })
  }

  /** Records a read that cannot be compared later. */
  unknown(): void {
    if (!this.#sealed) this.#complete = false
  }

  /** Stops the recording. A later read that contradicts a recorded value still invalidates it. */
  seal(): void {
    this.#sealed = true
  }

  /** Returns the recorded reads if all of them are comparable and unchanged; else null. */
  evidence(): Evidence | null {
    if (!this.#sealed || !this.#complete) return null
    const facts = [...this.#facts.values()]
    const evidence = new RecordedReads(facts)
    return evidence.holds() ? evidence : null
  }
}

/** The values of one source, and its version at the last comparison. */
interface Group {
  readonly source: Source | null
  readonly facts: Pick<Fact, 'value' | 'now'>[]
  compared: number | null
}

class RecordedReads implements Evidence {
  readonly key: string
  readonly bytes: number
  readonly #facts: readonly Fact[]
  readonly #groups: readonly Group[]

  constructor(facts: readonly Fact[]) {
    this.#facts = facts
    this.key = JSON.stringify(facts.map(({ name, value }) => [name, value]))
    this.bytes = facts.length * FACT_BYTES + 2 * this.key.length
    const groups = new Map<Source | null, Group>()
    for (const { value, now, source } of facts) {
      const group = groups.get(source)
      if (group) group.facts.push({ value, now })
      else groups.set(source, { source, facts: [{ value, now }], compared: null })
    }
    this.#groups = [...groups.values()]
  }

  holds(): boolean {
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
    return { changed, evidence: () => new RecordedReads(facts) }
  }
}
