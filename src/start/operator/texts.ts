/** The texts and values that commands print. */
import type { Outcome } from './declaration.js'

/** Returns a list: a line for people and an object for programs per item. */
export const listOutcome = <T>(
  items: readonly T[],
  line: (item: T) => string,
  present: (item: T) => object,
): Outcome => ({
  text: items.length === 0 ? 'None.' : items.map(line).join('\n'),
  json: items.map(present),
})

/** Returns `1 repository`, `2 repositories`. */
export const amount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
