/** An in-memory graph of commits and their parents, and the search for the merge bases of two commits. */
import { required } from '../../kernel/defined.js'
import { MissingObject } from '../errors.js'

interface GraphNode {
  parents: readonly string[]
  /** One more than the greatest generation of its parents, so an ancestor's generation is always smaller. */
  generation: number
}

/** Commits of a repository by ID. All ancestors of each commit are included. */
export type CommitGraph = Map<string, GraphNode>

export const LEFT = 1
export const RIGHT = 2
export const BOTH = 3

/** Returns a commit of the graph. Throws `MissingObject` if it is not there. */
export function get(of: CommitGraph, id: string): GraphNode {
  const known = of.get(id)
  if (!known) throw new MissingObject(`there is no commit ${id}`)
  return known
}

/** Adds a commit whose parents are in the graph. */
export function put(to: CommitGraph, id: string, parents: readonly string[]): void {
  const generation = 1 + Math.max(0, ...parents.map((parent) => get(to, parent).generation))
  to.set(id, { parents, generation })
}

/** Adds commits, parents before children. Not recursive, since histories are deep. */
export function putAll(to: CommitGraph, found: ReadonlyMap<string, readonly string[]>): void {
  const stack = [...found.keys()]
  for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
    const parents = found.get(id) ?? []
    const missing = to.has(id) ? [] : parents.filter((parent) => !to.has(parent))
    if (missing.length > 0) {
      stack.push(...missing)
      continue
    }
    stack.pop()
    if (!to.has(id)) put(to, id, parents)
  }
}

/** Returns the commits that are not the parent of any other. */
export function headsOf(known: CommitGraph): string[] {
  const inner = new Set<string>()
  for (const { parents } of known.values()) for (const parent of parents) inner.add(parent)
  return [...known.keys()].filter((id) => !inner.has(id))
}

/**
 * Visits the ancestors of two commits, or of one and several others, by descending generation. Each is visited after
 * all its descendants, so its marks (the sides of which it is an ancestor) are complete. Stops when only common
 * ancestors are left.
 */
export function* paint(
  known: CommitGraph,
  left: string,
  ...right: readonly string[]
): Generator<{ id: string; marks: number }> {
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
    const { generation } = get(known, id)
    const row = byGeneration.get(generation)
    if (row) row.push(id)
    else byGeneration.set(generation, [id])
    top = Math.max(top, generation)
  }
  mark(left, LEFT)
  for (const id of right) mark(id, RIGHT)
  let met = false
  for (let generation = top; generation > 0 && (single > 0 || !met); generation--) {
    for (const id of (byGeneration.get(generation) ?? []).sort()) {
      const found = required(marks.get(id))
      if (found !== BOTH) single--
      met ||= found === BOTH
      yield { id, marks: found }
      for (const parent of get(known, id).parents) mark(parent, found)
    }
  }
}

/** Returns the common ancestors from which no other common ancestor descends, highest generation first. */
export function bestCommon(known: CommitGraph, left: string, right: string): string[] {
  const single = new Set<string>()
  for (const { id, marks } of paint(known, left, right)) if (marks !== BOTH) single.add(id)
  const candidates = new Set([left, right].filter((id) => !single.has(id)))
  for (const id of single) for (const parent of get(known, id).parents) if (!single.has(parent)) candidates.add(parent)
  const least = [...candidates].reduce(
    (lowest, id) => Math.min(lowest, get(known, id).generation),
    Number.POSITIVE_INFINITY,
  )
  const inferior = new Set<string>()
  const addParents = (id: string): void => {
    for (const parent of get(known, id).parents) if (get(known, parent).generation >= least) inferior.add(parent)
  }
  for (const id of candidates) addParents(id)
  for (const id of inferior) addParents(id)
  return [...candidates]
    .filter((id) => !inferior.has(id))
    .sort((a, b) => get(known, b).generation - get(known, a).generation || (a < b ? -1 : 1))
}
