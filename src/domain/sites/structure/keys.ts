// Assigns the sort keys of a structure's entries, which are used for paging.
import { required } from '../../../kernel/defined.js'
import { generateNKeysBetween } from 'fractional-indexing'
import type { GroupChild, SiteStructure } from '../../../model/index.js'

type Keyed = { order?: string }

/** Returns the indexes of the keys that can stay: a longest increasing subsequence. */
function keptKeys(keys: readonly (string | undefined)[]): Set<number> {
  const best: number[] = []
  const before: number[] = []
  for (const [i, key] of keys.entries()) {
    if (key === undefined) continue
    let at = best.findIndex((j) => required(keys[j]) >= key)
    if (at < 0) at = best.length
    before[i] = best[at - 1] ?? -1
    best[at] = i
  }
  const kept = new Set<number>()
  for (let i = best.at(-1) ?? -1; i >= 0; i = required(before[i])) kept.add(i)
  return kept
}

/** Assigns increasing keys to the items and changes as few as possible: those of new and moved items. */
function withOrder<T extends Keyed>(list: readonly T[]): T[] {
  const kept = keptKeys(list.map((item) => item.order))
  if (kept.size === list.length) return [...list]
  const next: T[] = []
  let from: string | null = null
  for (let i = 0; i < list.length; ) {
    let end = i
    while (end < list.length && !kept.has(end)) end++
    const keys = generateNKeysBetween(from, list[end]?.order ?? null, end - i)
    for (const [n, order] of keys.entries()) next.push({ ...required(list[i + n]), order })
    const stays = list[end]
    if (stays) next.push(stays)
    from = stays?.order ?? null
    i = end + 1
  }
  return next
}

function keyed<T extends GroupChild>(item: T): T {
  if (item.type === 'site-section') return { ...item, siteSpaces: withOrder(item.siteSpaces) }
  return item.type === 'site-section-group' ? { ...item, children: withOrder(item.children).map(keyed) } : item
}

/**
 * Assigns every entry a key by which the lists of the API are paged. The key of an entry stays the same while others
 * are added, removed and moved, so that a cursor neither repeats nor skips entries. The order itself is that of the
 * arrays.
 */
export const withKeys = (structure: SiteStructure): SiteStructure => ({
  ...structure,
  siteSpaces: withOrder(structure.siteSpaces),
  items: withOrder(structure.items).map(keyed),
})

/**
 * Returns the sort key of an entry in a list across nested lists: the keys on its path, joined by a space, which sorts
 * before all characters of a key.
 */
export const sortKeyOf = (...orders: (string | undefined)[]): string =>
  orders.filter((order) => order !== undefined).join(' ')
