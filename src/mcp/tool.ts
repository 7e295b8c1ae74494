/** Declares tools, and fits lists into the size of a response. */
import type { TObject } from '@sinclair/typebox'
import type { Tool } from './types.js'

/** Declares a tool. Its types are erased, because a server has tools of several types. */
export const tool = <C, I extends TObject, O extends TObject>(declared: Tool<C, I, O>): Tool<C> =>
  declared as unknown as Tool<C>

/** Returns the first lines that fit into `limit` characters, and their number. The first one is always among them. */
export function fitting(lines: readonly string[], limit: number): { text: string; count: number } {
  let length = 0
  let count = 0
  for (const line of lines) {
    length += line.length + 1
    if (length > limit && count > 0) break
    count++
  }
  return { text: lines.slice(0, count).join('\n'), count }
}
