import { generateNKeysBetween } from 'fractional-indexing'
import type { GroupEntry, SectionEntry, SiteStructure } from '../../../model/index.js'

type Keyed = { order?: string }

/** Which of the keys may stay: a longest run of them that grows, by index. */
function growing(keys: readonly (string | undefined)[]): Set<number> {
  const best: number[] = []
  const before: number[] = []
  for (const [i, key] of keys.entries()) {
    if (key === undefined) continue
    let at = best.findIndex((j) => (keys[j] as string) >= key)
    if (at < 0) at = best.length
    before[i] = best[at - 1] ?? -1
    best[at] = i
  }
  const kept = new Set<number>()
  for (let i = best.at(-1) ?? -1; i >= 0; i = before[i] as number) kept.add(i)
  return kept
}

/** The list with keys that grow along it. As few change as can be: those of what was moved or is new. */
function withOrder<T extends Keyed>(list: readonly T[]): T[] {
  const kept = growing(list.map((item) => item.order))
  if (kept.size === list.length) return [...list]
  const next: T[] = []
  let from: string | null = null
  for (let i = 0; i < list.length; ) {
    let end = i
    while (end < list.length && !kept.has(end)) end++
    const keys = generateNKeysBetween(from, list[end]?.order ?? null, end - i)
    for (const [n, order] of keys.entries()) next.push({ ...(list[i + n] as T), order })
    const stays = list[end]
    if (stays) next.push(stays)
    from = stays?.order ?? null
    i = end + 1
  }
  return next
}

const keyedSection = (section: SectionEntry): SectionEntry => ({ ...section, siteSpaces: withOrder(section.siteSpaces) })

/**
 * Gives every entry a key by which the lists of the API are paged: it stays while others come, go and move, so a cursor
 * neither repeats nor skips. The order itself is that of the arrays.
 */
export const withKeys = (structure: SiteStructure): SiteStructure => ({
  ...structure,
  siteSpaces: withOrder(structure.siteSpaces),
  items: withOrder<SectionEntry | GroupEntry>(structure.items).map((item) =>
    item.type === 'site-section' ? keyedSection(item) : { ...item, sections: withOrder(item.sections).map(keyedSection) },
  ),
})

/** A place in a list that runs over nested ones: a blank comes before all that a key is made of. */
export const placeOf = (...orders: (string | undefined)[]): string => orders.filter((order) => order !== undefined).join(' ')
