/**
 * The graph of a folder's mapped commits. Every merge in the history needs an ancestor check, so a check must not walk
 * the whole history.
 */
import { required } from '../../kernel/defined.js'
import { MissingObject } from '../errors.js'
import { type CommitGraph, get, put } from '../history/commit-graph.js'

/** A number greater than the number of commits in any line. */
const LINE = 1_000_000

/**
 * Groups commits into lines. A commit extends the line of its first parent if the parent is the last commit of that
 * line. Otherwise, it starts a new line. Lines answer most checks alone. Of two commits in one line, the earlier one is
 * the ancestor. If no other line builds on a commit or a later commit of its line, it is not an ancestor of any commit
 * in another line. The remaining checks search the graph.
 */
export class MappedGraph {
  /** The commits and their parents. */
  readonly commits: CommitGraph = new Map()
  /** The line and the position in it: line × LINE + position. */
  // bound: one per commit
  readonly #places = new Map<string, number>()
  /** The last commit of each line, and the last position in it on which a commit of another line builds. */
  readonly #lines: { last: string; left: number }[] = []
  /** Number of commits visited in searches. */
  searched = 0

  has(id: string): boolean {
    return this.commits.has(id)
  }

  /** Adds a commit. Its parents must have been added. */
  add(id: string, parents: readonly string[]): void {
    put(this.commits, id, parents)
    const [first] = parents
    const before = first === undefined ? undefined : this.#place(first)
    const goesOn = before !== undefined && this.#lines[before.line]?.last === first
    const line = goesOn ? before.line : this.#lines.push({ last: id, left: -1 }) - 1
    const at = goesOn ? before.at + 1 : 0
    this.#places.set(id, line * LINE + at)
    const own = required(this.#lines[line])
    own.last = id
    for (const parent of parents) {
      const from = this.#place(parent)
      const other = required(this.#lines[from.line])
      if (from.line !== line) other.left = Math.max(other.left, from.at)
    }
  }

  /**
   * Returns whether a commit is the same as another one, or its ancestor.
   * @param pause called between the steps of a search; may throw
   */
  async isAncestor(ancestor: string, descendant: string, pause: () => Promise<void>): Promise<boolean> {
    const [one, other] = [this.#place(ancestor), this.#place(descendant)]
    if (one.line === other.line) return one.at <= other.at
    if (one.at > (this.#lines[one.line]?.left ?? -1)) return false
    const least = get(this.commits, ancestor).generation
    if (get(this.commits, descendant).generation <= least) return false
    const seen = new Set([descendant])
    for (const id of seen) {
      this.searched++
      await pause()
      const here = this.#place(id)
      if (here.line === one.line) {
        if (here.at >= one.at) return true
        continue
      }
      for (const parent of get(this.commits, id).parents)
        if (get(this.commits, parent).generation >= least) seen.add(parent)
    }
    return false
  }

  #place(id: string): { line: number; at: number } {
    const place = this.#places.get(id)
    if (place === undefined) throw new MissingObject(`there is no commit ${id}`)
    return { line: Math.floor(place / LINE), at: place % LINE }
  }
}
