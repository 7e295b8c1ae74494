import { type SiteStructure, siteSpacesOf } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { removeSiteSpaceBelongings } from './customization.js'

/** Removes what hung on the site spaces that a structure had before and has no more. */
export async function removeBelongingsOfGone(tx: Transaction, before: SiteStructure, after: SiteStructure): Promise<void> {
  const there = new Set(siteSpacesOf(after).map(({ id }) => id))
  for (const { id } of siteSpacesOf(before)) if (!there.has(id)) await removeSiteSpaceBelongings(tx, id)
}
