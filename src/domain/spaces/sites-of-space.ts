// Finds and updates the sites that show a space.
import {
  type GroupChild,
  type SiteDoc,
  type SiteSpaceEntry,
  type SiteStructure,
  type SpaceDoc,
  sites,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'

function marked(siteSpaces: readonly SiteSpaceEntry[], space: string, hidden: boolean): SiteSpaceEntry[] {
  const mark = ({ hidden: _was, ...entry }: SiteSpaceEntry): SiteSpaceEntry => (hidden ? { ...entry, hidden } : entry)
  return siteSpaces.map((entry) => (entry.space === space ? mark(entry) : entry))
}

function markedItem<T extends GroupChild>(item: T, space: string, hidden: boolean): T {
  if (item.type === 'site-section') return { ...item, siteSpaces: marked(item.siteSpaces, space, hidden) }
  return item.type === 'site-section-group'
    ? { ...item, children: item.children.map((child) => markedItem(child, space, hidden)) }
    : item
}

const structureOf = ({ structure }: SiteDoc, space: string, hidden: boolean): SiteStructure => ({
  ...structure,
  siteSpaces: marked(structure.siteSpaces, space, hidden),
  items: structure.items.map((item) => markedItem(item, space, hidden)),
})

/**
 * Hides a deleted space on all of its sites, or shows a restored one again, in the transaction that deletes or restores
 * it.
 */
export async function updateHiddenOnSites(tx: Transaction, space: SpaceDoc): Promise<void> {
  for (const site of await sitesOfSpace(tx, space.id))
    await tx.replace(sites, { ...site, structure: structureOf(site, space.id, space.deletedAt !== undefined) })
}

/**
 * Lists the sites of a space, whether the space is deleted or not. A space on a site cannot be transferred to another
 * organization.
 */
export const sitesOfSpace = (reader: Reader, space: string): Promise<Document<SiteDoc>[]> =>
  reader.find(sites, 'space', space)
