/** Notes what a response is made from, so that it can be sent again for as long as nothing of that has changed. */

/** What can be compared cheaply: a number that changes with a document, the commit of a ref, whether a time has passed. */
export type Noted = string | number | boolean | null

/** Where values come from that can only change together with its version. */
interface Source {
  readonly version: number
}

interface Fact {
  readonly name: string
  readonly value: Noted
  readonly now: () => Noted
  readonly source: Source | null
}

/** Everything that a response was made from. */
export interface Evidence {
  /** Equal for all that was made from the same values of the same things. */
  readonly key: string
  /** About how much memory it takes, in bytes. */
  readonly bytes: number
  /** Whether all of it is still as it was. Reads memory, and refs from the disk; never waits. */
  holds(): boolean
  /** What is no longer as it was. Reads what `holds` reads. */
  changes(): Changes
}

/** A value that is no longer what a response was made from, by the name it was noted under. */
export interface Change {
  readonly name: string
  readonly from: Noted
  readonly to: Noted
}

interface Changes {
  readonly changed: readonly Change[]
  /** The same evidence with the new values. */
  evidence(): Evidence
}

/** Memory of a fact: the object, its closure and what that refers to. */
const FACT_BYTES = 300

/**
 * What one request has read. A read that cannot be compared later makes the whole recording worthless. Nothing is listed by
 * hand: the store, the repositories and the clock that the request is given note what they are asked.
 */
export class Recording {
  // bound: what one request reads before it knows what its response depends on
  readonly #facts = new Map<string, Fact>()
  #sealed = false
  #complete = true

  /**
   * Notes a value that was read.
   * @param name what it is the value of; equal only for the same thing
   * @param now reads it again
   * @param source where it comes from, if that has a version: the value is read again only when that is another one
   */
  note(name: string, value: Noted, now: () => Noted, source: Source | null = null): void {
    const known = this.#facts.get(name)
    // Two reads of the same thing saw different values: the response may mix them.
    if (known && known.value !== value) this.#complete = false
    if (!known && !this.#sealed) this.#facts.set(name, { name, value, now, source })
  }

  /** Notes that something was read that cannot be compared later. */
  unknown(): void {
    if (!this.#sealed) this.#complete = false
  }

  /** From now on nothing is added, but a value that contradicts what was noted still counts. */
  seal(): void {
    this.#sealed = true
  }

  /** What was read, if all of it is known and still as it was; else null. */
  evidence(): Evidence | null {
    if (!this.#sealed || !this.#complete) return null
    const facts = [...this.#facts.values()]
    const evidence = new RecordedReads(facts)
    return evidence.holds() ? evidence : null
  }
}

/** The facts of one source, and its version when they were last compared. */
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
