/** Shorter pieces of text (brackets, rules) say nothing about where they come from. */
const LEAST = 3

/** Characters of a text that are looked at: by its first quarter of a megabyte a page is known. */
const MOST = 256 * 1024

/** The pieces that make a text recognisable: its lines, cut at the ends of sentences, without white space around them. Each counts once. */
export function fragmentsOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const line of text.slice(0, MOST).split(/\r\n|\n|\r/))
    for (const piece of line.split(/(?<=[.!?;:]) /)) {
      const trimmed = piece.trim()
      if (trimmed.length >= LEAST) found.add(trimmed)
    }
  return found
}

/** How much of the first text's pieces stands in the second: 0 to 1, by length. */
export function likeness(of: ReadonlySet<string>, within: ReadonlySet<string>): number {
  let [all, shared] = [0, 0]
  for (const piece of of) {
    all += piece.length
    if (within.has(piece)) shared += piece.length
  }
  return all === 0 ? 0 : shared / all
}
