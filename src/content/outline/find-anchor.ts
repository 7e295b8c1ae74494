/** Finds the heading that a link's fragment refers to. */

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Returns `findAnchor` for many fragments of one page. The cost per fragment does not depend on the page. */
export function anchorFinder({ headings, anchors }: Anchored): (fragment: string) => string | null {
  const all = new Set([...headings.map(({ anchor }) => anchor), ...anchors])
  let loose: Map<string, string> | null = null
  return (fragment) => {
    const plain = decoded(fragment)
    if (all.has(plain)) return plain
    const key = looseKey(plain)
    // Reverse the anchors, so that the first one with each loose key wins.
    loose ??= new Map([...all].reverse().map((anchor) => [looseKey(anchor), anchor]))
    return key === '' ? null : (loose.get(key) ?? null)
  }
}

/**
 * Returns the anchor that a link's fragment (without `#`, percent-encoding as written) refers to; null if the page has
 * none. Supports links that were written for renderers with other rules: if no anchor is equal, one with the same
 * letters and digits counts.
 */
export const findAnchor = (outline: Anchored, fragment: string): string | null => anchorFinder(outline)(fragment)

/** Returns only the letters and digits of an anchor, without the `id-` that GitBook adds before a digit. */
const looseKey = (anchor: string): string =>
  anchor
    .normalize('NFC')
    .toLowerCase()
    .replace(/^id-(?=\p{N})/u, '')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')

/** The anchors of a page that links can refer to. */
interface Anchored {
  headings: readonly { anchor: string }[]
  anchors: readonly string[]
}
