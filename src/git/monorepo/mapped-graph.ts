/** The mapped commits of a folder, and which of them contain which: asked for each merge of a history, so it must not walk through that history each time. */
import { MissingObject } from '../errors.js'
import { type CommitGraph, get, put } from '../history/commit-graph.js'

/** More than the commits of a line can be. */
const LINE = 1_000_000

/**
 * Commits are in lines: a commit goes on with the line of its first parent, if that is the last one of it, else it begins a line. Most questions are answered
 * by lines alone: of two commits of one line, the earlier one is the ancestor; and a commit of a line that nothing beside the line builds on from there is no ancestor of any
 * commit elsewhere. What is left is searched for.
 */
export class MappedGraph {
  /** The commits, and their parents. */
  readonly commits: CommitGraph = new Map()
  /** Line and place in it: line × LINE + place. */
  // bound: one for each commit
  readonly #places = new Map<string, number>()
  /** The last commit of each line, and the last place in it on which a commit of another line stands. */
  readonly #lines: { last: string; left: number }[] = []
  /** Commits that were looked at in searches. */
  searched = 0

  has(id: string): boolean {
    return this.commits.has(id)
  }

  /** Adds a commit whose parents are there. */
  add(id: string, parents: readonly string[]): void {
    put(this.commits, id, parents)
    const [first] = parents
    const before = first === undefined ? undefined : this.#place(first)
    const goesOn = before !== undefined && this.#lines[before.line]?.last === first
    const line = goesOn ? before.line : this.#lines.push({ last: id, left: -1 }) - 1
    const at = goesOn ? before.at + 1 : 0
    this.#places.set(id, line * LINE + at)
    const own = this.#lines[line] as { last: string; left: number }
    own.last = id
    for (const parent of parents) {
      const from = this.#place(parent)
      const other = this.#lines[from.line] as { left: number }
      if (from.line !== line) other.left = Math.max(other.left, from.at)
    }
  }

  /**
   * Whether a commit is another one, or an ancestor of it.
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
