/** Lists the addresses under which a published site shows its spaces. */
import { itemsOf, type SiteSpaceEntry } from '../../model/index.js'
import { publishedSiteSpace, type SiteAddress } from './addresses.js'
import { shownDefault, shownDefaultSection } from './structure/defaults.js'

/** A space and its address on a site. */
interface PublishedSpace {
  space: string
  url: string
}

/**
 * Lists all spaces of a site with their addresses, regardless of the caller. Drafts are omitted. Empty if the site is
 * not published.
 */
export function publishedSpaces(address: SiteAddress): PublishedSpace[] {
  const { structure } = address.site
  const found: PublishedSpace[] = []
  const add = (
    entries: readonly SiteSpaceEntry[],
    chosen: string | null,
    within: Pick<Parameters<typeof publishedSiteSpace>[2], 'section' | 'isDefaultSection'>,
  ) => {
    for (const entry of entries) {
      const url =
        entry.hidden || entry.draft
          ? undefined
          : publishedSiteSpace(address, entry, { ...within, isDefault: entry.id === chosen })
      if (url !== undefined) found.push({ space: entry.space, url })
    }
  }
  add(structure.siteSpaces, shownDefault(structure), { isDefaultSection: true })
  const first = shownDefaultSection(structure)
  for (const { item, live } of itemsOf(structure))
    if (item.type === 'site-section' && live)
      add(item.siteSpaces, shownDefault(item), { section: item, isDefaultSection: item.id === first })
  return found
}
