/** Shorter fragments (brackets, rules) are on too many pages to tell anything. */
const LEAST = 3

/** How many characters at the start of a text are used: enough to recognise a page. */
const MOST = 256 * 1024

/** The fragments by which a text is recognised: its lines, split after sentences and trimmed. Each one is there once. */
export function fragmentsOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const line of text.slice(0, MOST).split(/\r\n|\n|\r/))
    for (const sentence of line.split(/(?<=[.!?;:]) /)) {
      const trimmed = sentence.trim()
      if (trimmed.length >= LEAST) found.add(trimmed)
    }
  return found
}

/** The share (0 to 1, by length) of the first text's fragments that the second text has too. */
export function likeness(of: ReadonlySet<string>, within: ReadonlySet<string>): number {
  let [all, shared] = [0, 0]
  for (const fragment of of) {
    all += fragment.length
    if (within.has(fragment)) shared += fragment.length
  }
  return all === 0 ? 0 : shared / all
}
