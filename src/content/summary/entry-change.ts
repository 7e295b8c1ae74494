/**
 * A quick test of whether the step from one table of contents to another may have changed the entry of a page: its title, its
 * place, or those above it. What the two have in common at the beginning and the end is left out; `mentions` says whether the
 * rest can name the page. False is certain; true is a maybe.
 */
export function mayChangeEntry(before: string, after: string, mentions: (text: string) => boolean): boolean {
  if (before === after) return false
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  if (mentions(old.slice(start, old.length - end).join('\n')) || mentions(now.slice(start, now.length - end).join('\n'))) return true
  // What follows hangs on the same entries above it, or else it has been moved without a word.
  return above(old, old.length - end).join('\n') !== above(now, now.length - end).join('\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** The lines that can hold what stands at a line: up to the nearest heading or rule, each less indented than the next. */
function above(lines: readonly string[], at: number): string[] {
  const found: string[] = []
  let least = Number.POSITIVE_INFINITY
  for (let i = at - 1; i >= 0; i--) {
    const line = lines[i] as string
    if (line.trim() === '') continue
    if (/^ {0,3}(#|([-*_])( *\2){2,} *$)/.test(line)) return [...found, line]
    if (indentOf(line) >= least) continue
    least = indentOf(line)
    found.push(line)
  }
  return found
}
