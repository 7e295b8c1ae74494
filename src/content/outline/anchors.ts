/** The anchors of headings: one rule for the outline of a page, for links to it, and for its HTML. */

/** Maximum length of an anchor that is derived from a title, in characters. */
const MAX_ANCHOR = 200
/** Matches ASCII texts. They can use expressions without Unicode classes, which take a tenth of the time. */
const PLAIN = /^[\t-\r -~]*$/

/**
 * Returns the anchor of a title by GitHub's rules: lower case, letters and digits of every script kept, other
 * punctuation dropped, each space replaced with a hyphen, and hyphens at both ends dropped. Returns `section` if
 * nothing is left.
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
 * Returns the anchors of a page's headings, in order. An explicit ID of a heading wins. Of equal anchors from titles,
 * the second one gets `-1`, the next one `-2`. No such anchor equals an explicit ID of another heading.
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

/** Returns the ID of a heading that the anchor of a link refers to, without percent-encoding and in lowercase. */
export function anchorOfLink(anchor: string): string {
  try {
    const plain = decodeURIComponent(anchor)
    return plain === plain.toLowerCase() ? plain : anchorOf(plain)
  } catch {
    return anchor
  }
}
