/** The account of a story: the acts of people on lines, and the acts that each side knows. */

/** A person writes a line or a page (`present`), or removes it. */
export interface Act {
  key: string
  present: boolean
  /** Acts on the same key that its author knew. */
  over: readonly number[]
  /** The place where its author worked. */
  from: 'here' | 'there'
  /** The number and kind of the step, for people who read a fault. */
  why: string
  /**
   * A removal counts only if both sides had the removed line. A claimed line counts also against a removal whose author
   * did not know it.
   */
  firm: boolean
  /**
   * False if it reverts a removal on the remote that main here had not imported. For a merge, nothing happened there.
   */
  seen: boolean
}

/**
 * The value of a key for a side. `either`: two acts whose authors did not know each other, or a removal that was not
 * visible to the service.
 */
export type Value = 'present' | 'absent' | 'either'

/** The acts that a side knows, as a set of bits. */
export class Side {
  #words: Uint32Array

  constructor(words = new Uint32Array(4)) {
    this.#words = words
  }

  has(act: number): boolean {
    return ((this.#words[act >>> 5] ?? 0) & (1 << (act & 31))) !== 0
  }

  add(act: number): void {
    this.#grow((act >>> 5) + 1)
    this.#words[act >>> 5] = (this.#words[act >>> 5] as number) | (1 << (act & 31))
  }

  take(other: Side): void {
    this.#grow(other.#words.length)
    for (const [at, word] of other.#words.entries()) this.#words[at] = (this.#words[at] as number) | word
  }

  copy(): Side {
    return new Side(this.#words.slice())
  }

  #grow(length: number): void {
    if (length <= this.#words.length) return
    const grown = new Uint32Array(Math.max(length, this.#words.length * 2))
    grown.set(this.#words)
    this.#words = grown
  }
}

export class Account {
  readonly acts: Act[] = []
  readonly #byKey = new Map<string, number[]>()
  /** The lines that both sides had when they were last up to date. */
  inStep = new Side()
  /** The acts that main here knows. */
  here = new Side()

  keys(): Iterable<string> {
    return this.#byKey.keys()
  }

  /** The acts on a key that a side knows. */
  known(side: Side, key: string): number[] {
    return (this.#byKey.get(key) ?? []).filter((act) => side.has(act))
  }

  /** The known acts that no other known act overrides. */
  live(side: Side, key: string): Act[] {
    const known = this.known(side, key)
    const over = new Set(known.flatMap((act) => this.acts[act]?.over ?? []))
    return known.filter((act) => !over.has(act)).map((act) => this.acts[act] as Act)
  }

  value(side: Side, key: string): Value {
    const live = this.live(side, key)
    const [present, absent] = [live.filter((act) => act.present), live.filter((act) => !act.present)]
    if (present.length === 0) return absent.every((act) => act.firm) ? 'absent' : 'either'
    if (!present.some((act) => act.seen)) return 'either'
    return absent.length === 0 || present.some((act) => act.firm) ? 'present' : 'either'
  }

  /** The number of people who wrote the line, as far as a side knows. */
  writers(side: Side, key: string): number {
    return this.known(side, key).filter((act) => this.acts[act]?.present).length
  }

  /** Records an act and adds it to a side. Without `over`, it overrides every act on the key that the side knows. */
  record(
    side: Side,
    act: Pick<Act, 'key' | 'present' | 'from' | 'why'> & { over?: readonly number[]; claimed?: boolean },
  ): void {
    const over = act.over ?? this.known(side, act.key)
    const firm = act.present ? act.claimed === true : over.every((other) => this.inStep.has(other))
    const { key, present, from, why } = act
    const isHidden = (other: number): boolean =>
      this.acts[other]?.present === false && this.acts[other]?.from === 'there' && !this.here.has(other)
    const seen = from === 'here' || !over.some(isHidden)
    const number = this.acts.push({ key, present, over, from, why, firm, seen }) - 1
    const all = this.#byKey.get(key)
    if (all) all.push(number)
    else this.#byKey.set(key, [number])
    side.add(number)
  }

  /** The acts on a key, in words. */
  story(key: string): string {
    return (this.#byKey.get(key) ?? [])
      .map((at) => {
        const { present, over, from, why } = this.acts[at] as Act
        return `  #${at} ${present ? 'written' : 'removed'} ${from} (${why})${over.length > 0 ? ` over ${over.map((one) => `#${one}`)}` : ''}`
      })
      .join('\n')
  }
}
