/** A possible pair of a row and a column, with its score. */
import { required } from '../../kernel/defined.js'
export interface Edge {
  row: number
  column: number
  score: number
}

/**
 * Maximum number of rows in a connected group that is matched exactly, which takes cubic time. Larger groups are
 * matched greedily.
 */
const MAX_EXACT = 48

/**
 * Pairs rows with columns so that the sum of scores is highest. A row or column may stay unpaired. The result is exact
 * within each connected group of edges of up to `MAX_EXACT` rows. Returns the column of each paired row.
 */
export function assign(edges: readonly Edge[]): Map<number, number> {
  const chosen = new Map<number, number>()
  for (const group of groupsOf(edges)) {
    const found =
      group.length === 1
        ? group
        : new Set(group.map((edge) => edge.row)).size > MAX_EXACT
          ? greedy(group)
          : exact(group)
    for (const { row, column } of found) chosen.set(row, column)
  }
  return chosen
}

/** Groups the edges by connected component. */
function groupsOf(edges: readonly Edge[]): Edge[][] {
  const parent = new Map<string, string>()
  const rootOf = (name: string): string => {
    let root = name
    for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) root = up
    for (let at = name; at !== root; ) {
      const up = parent.get(at) ?? root
      parent.set(at, root)
      at = up
    }
    return root
  }
  for (const { row, column } of edges) {
    const [a, b] = [`r${row}`, `c${column}`]
    for (const one of [a, b]) if (!parent.has(one)) parent.set(one, one)
    parent.set(rootOf(a), rootOf(b))
  }
  const groups = new Map<string, Edge[]>()
  for (const edge of edges) {
    const root = rootOf(`r${edge.row}`)
    const group = groups.get(root)
    if (group) group.push(edge)
    else groups.set(root, [edge])
  }
  return [...groups.values()]
}

function greedy(edges: readonly Edge[]): Edge[] {
  const [rows, columns] = [new Set<number>(), new Set<number>()]
  return [...edges]
    .sort((a, b) => b.score - a.score || a.row - b.row || a.column - b.column)
    .filter(({ row, column }) => {
      if (rows.has(row) || columns.has(column)) return false
      rows.add(row)
      columns.add(column)
      return true
    })
}

/** Matches with the Hungarian method. Each row gets an extra column of cost 0, which means unpaired. */
function exact(edges: readonly Edge[]): Edge[] {
  const rows = [...new Set(edges.map((edge) => edge.row))].sort((a, b) => a - b)
  const columns = [...new Set(edges.map((edge) => edge.column))].sort((a, b) => a - b)
  const rowAt = new Map(rows.map((row, i) => [row, i]))
  const columnAt = new Map(columns.map((column, i) => [column, i]))
  const width = columns.length + rows.length
  const costs = rows.map(() => new Float64Array(width))
  for (const { row, column, score } of edges) required(costs[rowAt.get(row)!])[columnAt.get(column)!] = -score
  const rowOf = cheapest(costs, width)
  return edges.filter(({ row, column, score }) => score > 0 && rowOf[columnAt.get(column)! + 1] === rowAt.get(row)! + 1)
}

/** Returns the assignment with the lowest sum of costs: for each column (from 1) its row (from 1), or 0 for none. */
function cheapest(costs: readonly Float64Array[], width: number): Int32Array {
  const [u, v] = [new Float64Array(costs.length + 1), new Float64Array(width + 1)]
  const rowOf = new Int32Array(width + 1)
  const way = new Int32Array(width + 1)
  for (let row = 1; row <= costs.length; row++) {
    rowOf[0] = row
    const least = new Float64Array(width + 1).fill(Number.POSITIVE_INFINITY)
    const used = new Uint8Array(width + 1)
    let at = 0
    do {
      used[at] = 1
      const from = rowOf[at]!
      let [delta, next] = [Number.POSITIVE_INFINITY, 0]
      for (let column = 1; column <= width; column++) {
        if (used[column]) continue
        const cost = costs[from - 1]![column - 1]! - u[from]! - v[column]!
        if (cost < least[column]!) {
          least[column] = cost
          way[column] = at
        }
        if (least[column]! < delta) [delta, next] = [least[column]!, column]
      }
      for (let column = 0; column <= width; column++) {
        if (!used[column]) least[column]! -= delta
        else {
          u[rowOf[column]!]! += delta
          v[column]! -= delta
        }
      }
      at = next
    } while (rowOf[at] !== 0)
    for (; at !== 0; at = way[at]!) rowOf[at] = rowOf[way[at]!]!
  }
  return rowOf
}
