// Determines the ancestry of commits.
import { type CommitId, asOid } from '../../kernel/ids.js'
import { Sequence } from '../../kernel/turns.js'
import type { ObjectDatabase } from '../objects/database.js'
import type { Launcher } from '../process/launcher.js'
import { BOTH, bestCommon, get, headsOf, LEFT, paint, type CommitGraph, put, putAll, RIGHT } from './commit-graph.js'

/**
 * Maximum number of unknown commits that are read one by one. Beyond it, `rev-list` reads the rest: starting it costs
 * as much as a few hundred reads, but no time of this thread.
 */
const MAX_SINGLE_READS = 64

/**
 * Answers ancestry queries from the repository's commit graph, which is cached. The graph grows when a query contains
 * an unknown commit: a few commits are read one by one, a long history comes from one `git rev-list --parents`. A graph
 * may be evicted from the cache and started again while a query still uses the old one.
 */
export class Ancestry {
  readonly #growth = new Sequence()

  constructor(
    readonly objects: ObjectDatabase,
    readonly launcher: Launcher,
  ) {}

  /** Number of commits in the graph. */
  get size(): number {
    return this.#kept()?.size ?? 0
  }

  /** Adds a new commit to the graph if its parents are there. */
  note(id: string, parents: readonly string[]): void {
    const known = this.#kept()
    if (!known || !parents.every((parent) => known.has(parent))) return
    put(known, id, parents)
    this.#keep(known)
  }

  #kept(): CommitGraph | undefined {
    return this.objects.caches.graphs.get('')
  }

  /** Caches the graph. Also called after the graph grew, so that its size is estimated again. */
  #keep(known: CommitGraph): void {
    this.objects.caches.graphs.set('', known)
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    const known = await this.#learn([descendant])
    const least = known.get(ancestor)?.generation
    if (least === undefined) {
      // All ancestors of the descendant are in the graph, so this commit is none of them. Its own history does not
      // matter.
      await this.objects.commit(ancestor)
      return false
    }
    const seen = new Set([descendant])
    for (const id of seen) {
      if (id === ancestor) return true
      for (const parent of get(known, id).parents) if (get(known, parent).generation >= least) seen.add(parent)
    }
    return false
  }

  async mergeBase(a: string, b: string): Promise<CommitId | null> {
    const known = await this.#learn([a, b])
    for (const { id, marks } of paint(known, a, b)) if (marks === BOTH) return asOid(id)
    return null
  }

  async mergeBases(a: string, b: string): Promise<CommitId[]> {
    return bestCommon(await this.#learn([a, b]), a, b).map(asOid)
  }

  async firstParents(from: string): Promise<CommitId[]> {
    const known = await this.#learn([from])
    const chain: CommitId[] = []
    for (let id: string | undefined = from; id !== undefined; id = get(known, id).parents[0]) chain.push(asOid(id))
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

  /** Returns the unsorted commits that `one` has and none of `others` has; null if there are more than `max`. */
  async missingFrom(others: readonly string[], one: string, max: number): Promise<Set<string> | null> {
    const known = await this.#learn([one, ...others])
    const found = new Set<string>()
    for (const { id, marks } of paint(known, one, ...others)) {
      if (marks === LEFT) found.add(id)
      if (found.size > max) return null
    }
    return found
  }

  async #learn(ids: readonly string[]): Promise<CommitGraph> {
    const kept = this.#kept()
    if (kept && ids.every((id) => kept.has(id))) return kept
    return this.#growth.run(() => this.#grow(ids))
  }

  /** Returns the graph with these commits and all their ancestors. */
  async #grow(ids: readonly string[]): Promise<CommitGraph> {
    const known: CommitGraph = this.#kept() ?? new Map()
    const found = new Map<string, readonly string[]>()
    const wanted = new Set(ids)
    for (const id of wanted) {
      if (known.has(id)) continue
      if (found.size >= MAX_SINGLE_READS) {
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

  async #growByList(known: CommitGraph, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.objects.commit(id)
    const heads = headsOf(known).map((id) => `^${id}\n`)
    const input = [...ids.map((id) => `${id}\n`), ...heads].join('')
    // --ignore-missing, because a head of the graph may have been pruned: no ref names a commit that lost a race
    // between two moves.
    const text = await this.launcher.mustRun(['rev-list', '--parents', '--ignore-missing', '--stdin'], {
      cwd: this.objects.repository,
      input,
      timeoutMs: 600_000,
    })
    const found = new Map<string, readonly string[]>()
    for (const line of text.toString('latin1').split('\n'))
      if (line !== '') found.set(line.slice(0, 40), line.slice(41).split(' ').filter(Boolean))
    putAll(known, found)
    this.#keep(known)
  }
}
