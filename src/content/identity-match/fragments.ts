/** Minimum length of a fragment. Shorter ones (brackets, rules) occur on too many pages to identify one. */
const MIN_FRAGMENT_LENGTH = 3

/** Maximum number of characters at the start of a text that are used. They are enough to identify a page. */
const MAX_TEXT_LENGTH = 256 * 1024

/**
 * Returns the fragments that identify a text: its lines, split after sentences and trimmed. Each fragment occurs once.
 */
export function fragmentsOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const line of text.slice(0, MAX_TEXT_LENGTH).split(/\r\n|\n|\r/))
    for (const sentence of line.split(/(?<=[.!?;:]) /)) {
      const trimmed = sentence.trim()
      if (trimmed.length >= MIN_FRAGMENT_LENGTH) found.add(trimmed)
    }
  return found
}

/** Returns the share (0 to 1, by length) of the first text's fragments that the second text also contains. */
export function likeness(of: ReadonlySet<string>, within: ReadonlySet<string>): number {
  let [all, shared] = [0, 0]
  for (const fragment of of) {
    all += fragment.length
    if (within.has(fragment)) shared += fragment.length
  }
  return all === 0 ? 0 : shared / all
}
