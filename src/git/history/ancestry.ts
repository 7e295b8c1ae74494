import type { CommitId } from '../../kernel/ids.js'
import type { ObjectDatabase } from '../objects/database.js'
import type { Launcher } from '../process/launcher.js'
import { BOTH, bestCommon, get, headsOf, LEFT, paint, type Parents, put, putAll, RIGHT } from './parents.js'

/** Unknown commits read one by one before `rev-list` is asked for the rest. */
const READ_AT_ONCE = 64

/**
 * The parents of a repository's commits, in memory as long as there is room. Whatever commit is known, all its ancestors are.
 * Grows when a commit is asked for: a few new ones are read, a long history comes from one `git rev-list --parents`. Who asks
 * holds the map that he was given to the end of his question: it may be let go meanwhile, and begun anew.
 */
export class Ancestry {
  #growing: Promise<unknown> = Promise.resolve()

  constructor(
    readonly objects: ObjectDatabase,
    readonly launcher: Launcher,
  ) {}

  /** How many commits are known. */
  get size(): number {
    return this.#kept()?.size ?? 0
  }

  /** Notes a new commit when all that is before it is known. */
  note(id: string, parents: readonly string[]): void {
    const known = this.#kept()
    if (!known || !parents.every((parent) => known.has(parent))) return
    put(known, id, parents)
    this.#keep(known)
  }

  #kept(): Parents | undefined {
    return this.objects.caches.parents.get(this.objects.cacheKey)
  }

  /** Also after it grew, so that it is weighed again. */
  #keep(known: Parents): void {
    this.objects.caches.parents.set(this.objects.cacheKey, known)
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    const known = await this.#learn([ancestor, descendant])
    const least = get(known, ancestor).generation
    const seen = new Set([descendant])
    for (const id of seen) {
      if (id === ancestor) return true
      for (const parent of get(known, id).parents) if (get(known, parent).generation >= least) seen.add(parent)
    }
    return false
  }

  /** A best common ancestor: one that no other common ancestor descends from. Of several, always the same. */
  async mergeBase(a: string, b: string): Promise<CommitId | null> {
    const known = await this.#learn([a, b])
    for (const { id, marks } of paint(known, a, b)) if (marks === BOTH) return id as CommitId
    return null
  }

  /** All best common ancestors, always in the same order. */
  async mergeBases(a: string, b: string): Promise<CommitId[]> {
    return bestCommon(await this.#learn([a, b]), a, b) as CommitId[]
  }

  /** A commit and its first parents, newest first. */
  async firstParents(from: string): Promise<CommitId[]> {
    const known = await this.#learn([from])
    const chain: CommitId[] = []
    for (let id: string | undefined = from; id !== undefined; id = get(known, id).parents[0]) chain.push(id as CommitId)
    return chain
  }

  async aheadBehind(left: string, right: string): Promise<{ ahead: number; behind: number }> {
    const known = await this.#learn([left, right])
    const counts = { ahead: 0, behind: 0 }
    for (const { marks } of paint(known, left, right)) {
      if (marks === LEFT) counts.ahead++
      else if (marks === RIGHT) counts.behind++
    }
    return counts
  }

  /** The commits that one has and another has not, in no order; null if there are more than `most`. */
  async missingFrom(other: string, one: string, most: number): Promise<Set<string> | null> {
    const known = await this.#learn([one, other])
    const found = new Set<string>()
    for (const { id, marks } of paint(known, one, other)) {
      if (marks === LEFT) found.add(id)
      if (found.size > most) return null
    }
    return found
  }

  async #learn(ids: readonly string[]): Promise<Parents> {
    const kept = this.#kept()
    if (kept && ids.every((id) => kept.has(id))) return kept
    const turn = this.#growing.then(() => this.#grow(ids))
    this.#growing = turn.catch(() => {})
    return turn
  }

  /** What is known, with these commits and all before them. */
  async #grow(ids: readonly string[]): Promise<Parents> {
    const known: Parents = this.#kept() ?? new Map()
    const found = new Map<string, readonly string[]>()
    const wanted = new Set(ids)
    for (const id of wanted) {
      if (known.has(id)) continue
      if (found.size >= READ_AT_ONCE) {
        await this.#growByList(known, ids)
        return known
      }
      const { parents } = await this.objects.commit(id)
      found.set(id, parents)
      for (const parent of parents) wanted.add(parent)
    }
    putAll(known, found)
    this.#keep(known)
    return known
  }

  async #growByList(known: Parents, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.objects.commit(id)
    const heads = headsOf(known).map((id) => `^${id}\n`)
    const input = [...ids.map((id) => `${id}\n`), ...heads].join('')
    // A head that is known here may be gone: a commit whose move was lost to another's is named by nothing, and pruned.
    const text = await this.launcher.mustRun(['rev-list', '--parents', '--ignore-missing', '--stdin'], {
      cwd: this.objects.repository,
      input,
      timeoutMs: 600_000,
    })
    const found = new Map<string, readonly string[]>()
    for (const line of text.toString('latin1').split('\n')) if (line !== '') found.set(line.slice(0, 40), line.slice(41).split(' ').filter(Boolean))
    putAll(known, found)
    this.#keep(known)
  }
}
