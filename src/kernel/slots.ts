/**
 * Slots for concurrent tasks, shared fairly among organizations.
 * An organization holds at most its share, so that slots stay free for others, and free slots go to the organization
 * that holds the fewest.
 * A task that only waits for a remote server returns its slot. It keeps running, counts again as soon as bytes arrive,
 * and may
 * then exceed the share of its organization, but never takes a slot from others.
 */
import { RemoteWatch, watchRemote } from './remote-wait.js'

export interface SlotRules {
  slots: number
  /** Maximum number of slots for one organization. */
  share: number
  /**
   * Maximum number of stalled tasks that run without a slot, in total and for one organization. Absent: tasks keep
   * their slots.
   */
  stalled?: { total: number; share: number }
}

interface Holder {
  organization: string
  watch: RemoteWatch
  isStalled: boolean
}

/** Work that waits for a slot. All work without an organization counts as one organization. */
interface Candidate {
  organization?: string
  createdAt: string
}

const TICK_MS = 1_000
/** Number of organizations whose last turn is remembered. */
const MAX_TURNS = 10_000

const ownerOf = ({ organization = '' }: Pick<Candidate, 'organization'>): string => organization

export class Slots {
  // bound: `slots` and `stalled.total`
  readonly #holders = new Set<Holder>()
  /** The number of the last turn of each organization, oldest first. */
  // bound: MAX_TURNS
  readonly #turns = new Map<string, number>()
  #turn = 0
  #ticker: NodeJS.Timeout | undefined

  /**
   * @param freed called when a stalled task returns its slot
   * @param tickMs interval between checks of the tasks
   */
  constructor(
    readonly rules: SlotRules,
    private readonly freed: () => void,
    private readonly tickMs = TICK_MS,
  ) {}

  /** Number of tasks that hold a slot. */
  get usedSlots(): number {
    return this.#count((one) => !one.isStalled)
  }

  /** Returns the candidate that may start now, or null if none may. The oldest of an organization comes first. */
  next<C extends Candidate>(waiting: readonly C[]): C | null {
    if (!this.#hasRoom()) return null
    let best: C | null = null
    for (const one of waiting)
      if (this.#activeOf(ownerOf(one)) < this.rules.share && (best === null || this.#isBefore(one, best))) best = one
    return best
  }

  /** Runs a task in a slot. `next` must have returned it. */
  async run<T>({ organization = '' }: Pick<Candidate, 'organization'>, task: () => Promise<T>): Promise<T> {
    const holder: Holder = { organization, watch: new RemoteWatch(), isStalled: false }
    this.#holders.add(holder)
    this.#turns.delete(organization)
    this.#turns.set(organization, ++this.#turn)
    for (const oldest of this.#turns.keys()) {
      if (this.#turns.size <= MAX_TURNS) break
      this.#turns.delete(oldest)
    }
    if (this.rules.stalled) this.#ticker ??= setInterval(() => this.#tick(), this.tickMs).unref()
    try {
      return await (this.rules.stalled ? watchRemote(holder.watch, task) : task())
    } finally {
      this.#holders.delete(holder)
      if (this.#holders.size === 0) {
        clearInterval(this.#ticker)
        this.#ticker = undefined
      }
    }
  }

  #count(which: (holder: Holder) => boolean): number {
    let count = 0
    for (const one of this.#holders) if (which(one)) count++
    return count
  }

  readonly #activeOf = (organization: string): number =>
    this.#count((one) => !one.isStalled && one.organization === organization)

  /** Tasks that resumed beyond the share of their organization take no slot from others. */
  #hasRoom(): boolean {
    let taken = 0
    for (const organization of new Set([...this.#holders].map((one) => one.organization)))
      taken += Math.min(this.#activeOf(organization), this.rules.share)
    return taken < this.rules.slots && this.#holders.size < this.rules.slots + (this.rules.stalled?.total ?? 0)
  }

  #isBefore(one: Candidate, other: Candidate): boolean {
    const [a, b] = [ownerOf(one), ownerOf(other)]
    const byHeld = this.#activeOf(a) - this.#activeOf(b)
    if (byHeld !== 0) return byHeld < 0
    const byTurn = (this.#turns.get(a) ?? 0) - (this.#turns.get(b) ?? 0)
    return byTurn === 0 ? one.createdAt < other.createdAt : byTurn < 0
  }

  #tick(): void {
    let hasFreed = false
    for (const holder of this.#holders) {
      const isQuiet = holder.watch.tick()
      const mayStall = holder.isStalled || this.#hasRoomForStalled(holder.organization)
      if (isQuiet && mayStall && !holder.isStalled) hasFreed = true
      holder.isStalled = isQuiet && mayStall
    }
    if (hasFreed) this.freed()
  }

  #hasRoomForStalled(organization: string): boolean {
    const { total, share } = this.rules.stalled ?? { total: 0, share: 0 }
    return (
      this.#count((one) => one.isStalled) < total &&
      this.#count((one) => one.isStalled && one.organization === organization) < share
    )
  }
}
