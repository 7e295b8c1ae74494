/** What somebody did to one register: a line, or the path, title or line ends of a page. null = it is gone. */
export type Value = string | null

export interface Act {
  id: number
  value: Value
  /** The acts on the same register that its author knew of, and by that overrode. */
  over: ReadonlySet<number>
  /** Who did it, and in which step. */
  why: string
  /** Whether the service could not know of it (story.md: "What nobody can know"): it may count or not. */
  soft: boolean
  /** Whether it was taken over in a commit whose origin nothing in Git shows. */
  again?: boolean
  /** Whether a squash left it as its branch had it: nothing in Git shows whether its author knew of the other value. */
  left?: boolean
  /** The branch of the remote that was forced by it. */
  forced?: string
  /** Whether it came by another branch than the one that was forced, whose history may not tell of it. */
  untold?: boolean
  /** Of an act that deletes a page: the acts on its lines that were known. */
  saw?: ReadonlySet<number>
}

let acts = 0
const linesByPage = new Map<string, Set<string>>()
/** Registers of all lines that ever stood on a page of the present world. */
export const linesOfPage = (page: string): Iterable<string> => linesByPage.get(page) ?? []

/** What all sides of a world share: its acts are counted, and its lines noted by page. */
interface Ledger {
  acts: number
  lines: ReadonlyMap<string, Set<string>>
}
export const ledger = (): Ledger => ({ acts, lines: linesByPage })

/** Another world begins, or goes on: its pages have the names that those of the last one had. */
export function openLedger({ acts: count, lines }: Ledger = { acts: 0, lines: new Map() }): void {
  acts = count
  linesByPage.clear()
  for (const [page, keys] of lines) linesByPage.set(page, keys)
}

/** The acts of `all` that no other of them overrides. */
export const newest = (all: readonly Act[]): Act[] =>
  all.filter((one) => !all.some((other) => other !== one && other.over.has(one.id)))
const distinct = (all: readonly Act[]): Value[] => [...new Set(all.map((act) => act.value))]

/**
 * All that one side (main here, a branch, a branch of the remote) knows. A merge takes over all that the other side knows; what then
 * must be in a register follows from the acts that no known act overrides. Where these disagree, several outcomes are right.
 */
export class Knowledge {
  #registers: Map<string, readonly Act[]>
  /** Other paths to which the last merge may have put a page, in addition to where it is. */
  readonly alsoAt = new Map<string, Value[]>()

  constructor(registers: Iterable<readonly [string, readonly Act[]]> = []) {
    this.#registers = new Map(registers)
  }

  copy(): Knowledge {
    return new Knowledge(this.#registers)
  }

  /** All that it knows, to be saved. */
  get registers(): ReadonlyMap<string, readonly Act[]> {
    return this.#registers
  }

  /** The same, but that some acts may not be told to who hears of it. */
  untelling(isUntold: (key: string, act: Act) => boolean): Knowledge {
    const untold = new Knowledge(this.#registers)
    untold.untell(isUntold)
    return untold
  }

  /** Some acts may not count where this side meets another one. */
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

  /** Forgets what was not told after all. */
  forgetUntold(key: string): void {
    this.#registers.set(
      key,
      this.acts(key).filter((act) => !act.untold),
    )
  }

  /** Whether this side has heard of an act. */
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

  /** What the side itself has there: every act counts. */
  own(key: string): Value[] {
    return distinct(this.deciding(key))
  }

  /** The acts that may decide a register: each of the soft ones counts or does not, whatever the others do. */
  mayDecide(key: string): Act[] {
    const known = this.#registers.get(key) ?? []
    const definite = known.filter((act) => !act.soft)
    return known.filter((act) => !definite.some((other) => other !== act && other.over.has(act.id)))
  }

  /** What may be there. */
  values(key: string): Value[] {
    return distinct(this.mayDecide(key))
  }

  acts(key: string): readonly Act[] {
    return this.#registers.get(key) ?? []
  }

  /** Registers of which this side knows something that the other does not. */
  news(than: Knowledge): string[] {
    return [...this.#registers]
      .filter(([key, ours]) => ours.some((act) => !than.acts(key).some((one) => one.id === act.id)))
      .map(([key]) => key)
  }

  /** The story of a register, for a complaint. */
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
/** That a page's text was put together by hand: it says nothing of its lines, but is a change of the text. */
export const handOf = (page: string): string => `hand ${page}`
export const lineOf = (line: string): string => `line ${line}`
/** The page of a register. */
export const pageOf = (key: string): string => (key.split(' ')[1] as string).split('-')[0] as string
