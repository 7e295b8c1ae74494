/**
 * Tests quickly whether the entry of a page may differ between two tables of contents, in its title, its position or
 * its ancestors. Only the result false is certain.
 * @param mentions whether changed lines may name the page
 */
import { required } from '../../kernel/defined.js'
export function mayChangeEntry(before: string, after: string, mentions: (text: string) => boolean): boolean {
  if (before === after) return false
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old[old.length - 1 - end] === now[now.length - 1 - end])
    end++
  if (
    mentions(old.slice(start, old.length - end).join('\n')) ||
    mentions(now.slice(start, now.length - end).join('\n'))
  )
    return true
  // Entries after the change may have moved although their lines are unchanged, if their ancestors differ.
  return above(old, old.length - end).join('\n') !== above(now, now.length - end).join('\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/**
 * Returns the lines that may be ancestors of a line: each is less indented than the next, and the last one is a heading
 * or rule.
 */
function above(lines: readonly string[], at: number): string[] {
  const found: string[] = []
  let least = Number.POSITIVE_INFINITY
  for (let i = at - 1; i >= 0; i--) {
    const line = required(lines[i])
    if (line.trim() === '') continue
    if (/^ {0,3}(#|([-*_])( *\2){2,} *$)/.test(line)) return [...found, line]
    if (indentOf(line) >= least) continue
    least = indentOf(line)
    found.push(line)
  }
  return found
}
