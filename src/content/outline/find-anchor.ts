/** Finds the heading that the fragment of a link means. */

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** `findAnchor` for many fragments of one page: the cost of each does not grow with the page. */
export function anchorFinder({ headings, anchors }: Anchored): (fragment: string) => string | null {
  const all = new Set([...headings.map(({ anchor }) => anchor), ...anchors])
  let loose: Map<string, string> | null = null
  return (fragment) => {
    const wanted = decoded(fragment)
    if (all.has(wanted)) return wanted
    const key = looseKey(wanted)
    // Reversed, so that the first anchor of a kind counts.
    loose ??= new Map([...all].reverse().map((anchor) => [looseKey(anchor), anchor]))
    return key === '' ? null : (loose.get(key) ?? null)
  }
}

/**
 * The anchor that a link's fragment (without `#`, percent-encoding as written) leads to; null if the page has none. Links that were
 * written for renderers with other rules are understood: if no anchor is the same, one with the same letters and digits counts.
 */
export const findAnchor = (outline: Anchored, fragment: string): string | null => anchorFinder(outline)(fragment)

/** Letters and digits alone, without the `id-` that GitBook puts before a digit. */
const looseKey = (anchor: string): string =>
  anchor
    .normalize('NFC')
    .toLowerCase()
    .replace(/^id-(?=\p{N})/u, '')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')

/** What can be linked to in a page. */
interface Anchored {
  headings: readonly { anchor: string }[]
  anchors: readonly string[]
}
