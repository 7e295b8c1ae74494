/** Words that were written once each, and what of them is there. */

/** The marks of a page, in its order. */
export const marksOf = (markdown: string): string[] => [...markdown.matchAll(/\bmark-\d+\b/g)].map(([mark]) => mark)

/**
 * Says what is wrong, or null: all that were acknowledged are there, once, in their order, and nothing else but what may be there, once.
 * @param open asked for without an answer
 */
export function checkMarks(
  found: readonly string[],
  acknowledged: readonly string[],
  open: readonly string[],
): string | null {
  const seen = new Set(found)
  if (seen.size < found.length) return `twice: ${found.filter((mark, i) => found.indexOf(mark) !== i).join(' ')}`
  const lost = acknowledged.filter((mark) => !seen.has(mark))
  if (lost.length > 0) return `lost: ${lost.join(' ')} (there are ${found.length}, ${open.length} open)`
  const known = new Set(acknowledged)
  const strange = found.filter((mark) => !known.has(mark) && !open.includes(mark))
  if (strange.length > 0) return `nobody asked for, or they were refused: ${strange.join(' ')}`
  const order = found.filter((mark) => known.has(mark))
  return order.every((mark, i) => mark === acknowledged[i])
    ? null
    : `in another order: ${order.join(' ')} instead of ${acknowledged.join(' ')}`
}
