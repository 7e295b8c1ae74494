/** Words that are each written once, and a check of which of them exist. */

/** The marks of a page, in page order. */
export const marksOf = (markdown: string): string[] => [...markdown.matchAll(/\bmark-\d+\b/g)].map(([mark]) => mark)

/**
 * Returns a description of the fault, or null if all acknowledged marks are there once and in order, and no others
 * except open ones.
 * @param open marks that were requested without a response
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
  if (strange.length > 0) return `not requested, or rejected: ${strange.join(' ')}`
  const order = found.filter((mark) => known.has(mark))
  return order.every((mark, i) => mark === acknowledged[i])
    ? null
    : `in another order: ${order.join(' ')} instead of ${acknowledged.join(' ')}`
}
