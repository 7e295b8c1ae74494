/** The anchors of headings: one rule for the outline of a page, for links to it, and for whatever renders it. */

/** Longest anchor that is made from a title, in characters. */
const MAX_ANCHOR = 200
/** ASCII alone: a text for which expressions without classes of Unicode do, which take a tenth of the time. */
const PLAIN = /^[\t-\r -~]*$/

/**
 * The anchor of a title, as GitHub makes it: lower case, letters and digits of every script kept, other punctuation dropped, every
 * space a hyphen; hyphens at both ends are dropped. `section` if nothing is left.
 */
export function anchorOf(title: string): string {
  const lower = title.normalize('NFC').toLowerCase().trim()
  const kept = (
    PLAIN.test(lower) ? lower.replace(/[^a-z0-9_\s-]/g, '') : lower.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
  )
    .replace(/\s/g, '-')
    .replace(/^-+/, '')
  const short = kept.length <= MAX_ANCHOR ? kept : Array.from(kept).slice(0, MAX_ANCHOR).join('')
  return short.replace(/-+$/, '') || 'section'
}

/**
 * The anchors of a page's headings, in order. An ID that a heading states wins; of those that are made from titles, the second of a kind
 * gets `-1`, the next `-2`. None of them is an ID that another heading states.
 */
export function anchorsOf(headings: readonly { title: string; id?: string }[]): string[] {
  const taken = new Set(headings.flatMap(({ id }) => id ?? []))
  const next = new Map<string, number>()
  return headings.map(({ title, id }) => {
    if (id !== undefined) return id
    const base = anchorOf(title)
    let anchor = base
    for (let n = next.get(base) ?? 1; taken.has(anchor); n++) {
      anchor = `${base}-${n}`
      next.set(base, n + 1)
    }
    taken.add(anchor)
    return anchor
  })
}
