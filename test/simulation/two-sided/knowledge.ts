/** An act on one register: a line, or the path, title or line ends of a page. Null means deleted. */
export type Value = string | null

export interface Act {
  id: number
  value: Value
  /** Acts on the same register that its author knew and therefore overrode. */
  over: ReadonlySet<number>
  /** The author and the step. */
  why: string
  /** Whether the service could not know of it (story.md: "What nobody can know"). It may count or not. */
  soft: boolean
  /** Whether it was taken over in a commit whose origin Git does not show. */
  again?: boolean
  /** Whether a squash left it as its branch had it. Git does not show whether its author knew the other value. */
  left?: boolean
  /** The branch of the remote that was forced by it. */
  forced?: string
  /** Whether it arrived through a branch other than the forced one, whose history may not show it. */
  untold?: boolean
  /** For the deletion of a page: the acts on its lines that were known. */
  saw?: ReadonlySet<number>
}

let acts = 0
const linesByPage = new Map<string, Set<string>>()
/** Registers of all lines that ever existed on a page of the present world. */
export const linesOfPage = (page: string): Iterable<string> => linesByPage.get(page) ?? []

/** Shared data of all sides of a world: the count of acts, and the lines by page. */
interface Ledger {
  acts: number
  lines: ReadonlyMap<string, Set<string>>
}
export const ledger = (): Ledger => ({ acts, lines: linesByPage })

/** Starts or resumes another world. Its pages have the same names as those of the previous one. */
export function openLedger({ acts: count, lines }: Ledger = { acts: 0, lines: new Map() }): void {
  acts = count
  linesByPage.clear()
  for (const [page, keys] of lines) linesByPage.set(page, keys)
}

/** The acts of `all` that no other act in it overrides. */
export const newest = (all: readonly Act[]): Act[] =>
  all.filter((one) => !all.some((other) => other !== one && other.over.has(one.id)))
const distinct = (all: readonly Act[]): Value[] => [...new Set(all.map((act) => act.value))]

/**
 * All acts that one side (main here, a branch, a branch of the remote) knows. A merge adds the acts of the other side.
 * The expected value of a register follows from the acts that no known act overrides. If these disagree, several
 * outcomes are right.
 */
export class Knowledge {
  #registers: Map<string, readonly Act[]>
  /** Other paths to which the last merge may have moved a page, besides its present one. */
  readonly alsoAt = new Map<string, Value[]>()

  constructor(registers: Iterable<readonly [string, readonly Act[]]> = []) {
    this.#registers = new Map(registers)
  }

  copy(): Knowledge {
    return new Knowledge(this.#registers)
  }

  /** All known acts, in a form that can be saved. */
  get registers(): ReadonlyMap<string, readonly Act[]> {
    return this.#registers
  }

  /** The same acts, but some may remain hidden from the side that receives them. */
  untelling(isUntold: (key: string, act: Act) => boolean): Knowledge {
    const untold = new Knowledge(this.#registers)
    untold.untell(isUntold)
    return untold
  }

  /** Some acts may not count where this side is merged with another one. */
  untell(isUntold: (key: string, act: Act) => boolean): void {
    for (const [key, acts] of this.#registers)
      if (acts.some((act) => isUntold(key, act)))
        this.#registers.set(
          key,
          acts.map((act) => (isUntold(key, act) ? { ...act, soft: true, untold: true } : act)),
        )
  }

  /** The same, without some registers. */
  without(keys: ReadonlySet<string>): Knowledge {
    return new Knowledge([...this.#registers].filter(([key]) => !keys.has(key)))
  }

  /** Forgets acts that turned out to be hidden. */
  forgetUntold(key: string): void {
    this.#registers.set(
      key,
      this.acts(key).filter((act) => !act.untold),
    )
  }

  /** Whether this side knows an act. */
  knows(key: string, { id }: Act): boolean {
    return this.acts(key).some((act) => act.id === id)
  }

  keys(): Iterable<string> {
    return this.#registers.keys()
  }

  take(other: Knowledge): void {
    for (const [key, theirs] of other.#registers) {
      const ours = this.#registers.get(key)
      if (ours === theirs) continue
      if (!ours) this.#registers.set(key, theirs)
      else {
        const known = new Set(ours.map((act) => act.id))
        const news = theirs.filter((act) => !known.has(act.id))
        if (news.length > 0) this.#registers.set(key, [...ours, ...news])
      }
    }
  }

  set(
    key: string,
    value: Value,
    why: string,
    { soft = false, ...more }: Partial<Pick<Act, 'soft' | 'saw' | 'forced' | 'again' | 'left'>> = {},
  ): void {
    const known = this.#registers.get(key) ?? []
    if (key.startsWith('line ')) {
      const page = pageOf(key)
      linesByPage.set(page, (linesByPage.get(page) ?? new Set()).add(key))
    }
    const act: Act = { id: ++acts, value, over: new Set(known.map((one) => one.id)), why, soft, ...more }
    this.#registers.set(key, [...known, act])
  }

  /** The acts that decide a register. */
  deciding(key: string): Act[] {
    return newest(this.#registers.get(key) ?? [])
  }

  /** The value on the side itself: every act counts. */
  own(key: string): Value[] {
    return distinct(this.deciding(key))
  }

  /** The acts that may decide a register. Each soft act counts or does not, independently of the others. */
  mayDecide(key: string): Act[] {
    const known = this.#registers.get(key) ?? []
    const definite = known.filter((act) => !act.soft)
    return known.filter((act) => !definite.some((other) => other !== act && other.over.has(act.id)))
  }

  /** The allowed values. */
  values(key: string): Value[] {
    return distinct(this.mayDecide(key))
  }

  acts(key: string): readonly Act[] {
    return this.#registers.get(key) ?? []
  }

  /** Registers in which this side has acts that the other does not know. */
  news(than: Knowledge): string[] {
    return [...this.#registers]
      .filter(([key, ours]) => ours.some((act) => !than.acts(key).some((one) => one.id === act.id)))
      .map(([key]) => key)
  }

  /** The history of a register, for a fault message. */
  tell(key: string): string {
    const decide = new Set(this.deciding(key))
    return this.acts(key)
      .map(
        (act) =>
          `${decide.has(act) ? '→ ' : ''}${act.value === null ? 'gone' : act.value} by ${act.why}${act.soft ? ' (perhaps)' : ''}`,
      )
      .join('; ')
  }
}

export const pathOf = (page: string): string => `path ${page}`
export const titleOf = (page: string): string => `title ${page}`
export const endsOf = (page: string): string => `ends ${page}`
/** Marks that a page's text was merged by hand. This does not affect its lines, but counts as a change of the text. */
export const handOf = (page: string): string => `hand ${page}`
export const lineOf = (line: string): string => `line ${line}`
/** The page of a register. */
export const pageOf = (key: string): string => (key.split(' ')[1] as string).split('-')[0] as string
