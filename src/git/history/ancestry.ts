import type { CommitId } from '../../kernel/ids.js'
import { MissingObject } from '../errors.js'
import type { ObjectDatabase } from '../objects/database.js'
import type { Launcher } from '../process/launcher.js'

interface Known {
  parents: readonly string[]
  /** One more than the greatest of its parents': an ancestor's is always smaller. */
  generation: number
}
const LEFT = 1
const RIGHT = 2
const BOTH = 3
/** Unknown commits read one by one before `rev-list` is asked for the rest. */
const READ_AT_ONCE = 64

/**
 * The parents of a repository's commits, in memory. Whatever commit is known, all its ancestors are. Grows when a commit
 * is asked for: a few new ones are read, a long history comes from one `git rev-list --parents`.
 */
export class Ancestry {
  readonly #known = new Map<string, Known>()
  #growing: Promise<unknown> = Promise.resolve()

  constructor(
    readonly objects: ObjectDatabase,
    readonly launcher: Launcher,
  ) {}

  /** How many commits are known. */
  get size(): number {
    return this.#known.size
  }

  /** Notes a new commit when all that is before it is known. */
  note(id: string, parents: readonly string[]): void {
    if (parents.every((parent) => this.#known.has(parent))) this.#put(id, parents)
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    await this.#learn([ancestor, descendant])
    const least = this.#get(ancestor).generation
    const seen = new Set([descendant])
    for (const id of seen) {
      if (id === ancestor) return true
      for (const parent of this.#get(id).parents) if (this.#get(parent).generation >= least) seen.add(parent)
    }
    return false
  }

  /** A best common ancestor: one that no other common ancestor descends from. Of several, always the same. */
  async mergeBase(a: string, b: string): Promise<CommitId | null> {
    await this.#learn([a, b])
    for (const { id, marks } of this.#paint(a, b)) if (marks === BOTH) return id as CommitId
    return null
  }

  /** A commit and its first parents, newest first. */
  async firstParents(from: string): Promise<CommitId[]> {
    await this.#learn([from])
    const chain: CommitId[] = []
    for (let id: string | undefined = from; id !== undefined; id = this.#get(id).parents[0]) chain.push(id as CommitId)
    return chain
  }

  async aheadBehind(left: string, right: string): Promise<{ ahead: number; behind: number }> {
    await this.#learn([left, right])
    const counts = { ahead: 0, behind: 0 }
    for (const { marks } of this.#paint(left, right)) {
      if (marks === LEFT) counts.ahead++
      else if (marks === RIGHT) counts.behind++
    }
    return counts
  }

  /**
   * Visits the commits from two heads by falling generation, so that each is seen after all its descendants and its
   * marks are complete; stops where only common ones are left.
   */
  *#paint(left: string, right: string): Generator<{ id: string; marks: number }> {
    const marks = new Map<string, number>()
    const byGeneration = new Map<number, string[]>()
    let single = 0
    let top = 0
    const mark = (id: string, add: number) => {
      const old = marks.get(id) ?? 0
      const now = old | add
      if (now === old) return
      marks.set(id, now)
      single += Number(now !== BOTH) - Number(old !== 0 && old !== BOTH)
      if (old !== 0) return
      const { generation } = this.#get(id)
      const row = byGeneration.get(generation)
      if (row) row.push(id)
      else byGeneration.set(generation, [id])
      top = Math.max(top, generation)
    }
    mark(left, LEFT)
    mark(right, RIGHT)
    let met = false
    for (let generation = top; generation > 0 && (single > 0 || !met); generation--) {
      for (const id of (byGeneration.get(generation) ?? []).sort()) {
        const found = marks.get(id) as number
        if (found !== BOTH) single--
        met ||= found === BOTH
        yield { id, marks: found }
        for (const parent of this.#get(id).parents) mark(parent, found)
      }
    }
  }

  #get(id: string): Known {
    const known = this.#known.get(id)
    if (!known) throw new MissingObject(`there is no commit ${id}`)
    return known
  }

  #put(id: string, parents: readonly string[]): void {
    const generation = 1 + Math.max(0, ...parents.map((parent) => this.#get(parent).generation))
    this.#known.set(id, { parents, generation })
  }

  async #learn(ids: readonly string[]): Promise<void> {
    if (ids.every((id) => this.#known.has(id))) return
    const turn = this.#growing.then(() => this.#grow(ids.filter((id) => !this.#known.has(id))))
    this.#growing = turn.catch(() => {})
    await turn
  }

  async #grow(ids: readonly string[]): Promise<void> {
    const found = new Map<string, readonly string[]>()
    const wanted = new Set(ids)
    for (const id of wanted) {
      if (this.#known.has(id)) continue
      if (found.size >= READ_AT_ONCE) return this.#growByList(ids)
      const { parents } = await this.objects.commit(id)
      found.set(id, parents)
      for (const parent of parents) wanted.add(parent)
    }
    this.#putAll(found)
  }

  async #growByList(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.objects.commit(id)
    const heads = this.#heads().map((id) => `^${id}\n`)
    const input = [...ids.map((id) => `${id}\n`), ...heads].join('')
    // A head that is known here may be gone: a commit whose move was lost to another's is named by nothing, and pruned.
    const text = await this.launcher.mustRun(['rev-list', '--parents', '--ignore-missing', '--stdin'], {
      cwd: this.objects.repository,
      input,
      timeoutMs: 600_000,
    })
    const found = new Map<string, readonly string[]>()
    for (const line of text.toString('latin1').split('\n')) if (line !== '') found.set(line.slice(0, 40), line.slice(41).split(' ').filter(Boolean))
    this.#putAll(found)
  }

  /** Known commits that no known commit has as a parent. */
  #heads(): string[] {
    const inner = new Set<string>()
    for (const { parents } of this.#known.values()) for (const parent of parents) inner.add(parent)
    return [...this.#known.keys()].filter((id) => !inner.has(id))
  }

  /** Parents before children, without recursion: histories are deep. */
  #putAll(found: ReadonlyMap<string, readonly string[]>): void {
    const stack = [...found.keys()]
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const parents = found.get(id) ?? []
      const missing = this.#known.has(id) ? [] : parents.filter((parent) => !this.#known.has(parent))
      if (missing.length > 0) {
        stack.push(...missing)
        continue
      }
      stack.pop()
      if (!this.#known.has(id)) this.#put(id, parents)
    }
  }
}
