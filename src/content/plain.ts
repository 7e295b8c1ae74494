/** Copies values from a YAML or TOML parser, within limits. */
import { withoutZeroWidth } from './text.js'

const MAX_DEPTH = 32
const MAX_NODES = 50_000

/**
 * Returns a deep copy of a parsed value as plain JSON, without `__proto__`. Throws if the value is circular, too large
 * or too deep, which aliases and dotted keys make possible.
 */
export function plain(value: unknown, budget = { nodes: MAX_NODES }, depth = 0): unknown {
  if (depth > MAX_DEPTH || --budget.nodes < 0) throw new Error('it is nested too deeply or has too many values')
  if (Array.isArray(value)) return value.map((item) => plain(item, budget, depth + 1))
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value
  const pairs = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(pairs.map(([key, item]) => [withoutZeroWidth(key).trim(), plain(item, budget, depth + 1)]))
}
