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

type SiteSpaces = Pick<SiteStructure, 'siteSpaces'>

function marked<T extends SiteSpaces>(container: T, space: string, hidden: boolean): T {
  const mark = ({ hidden: _was, ...entry }: SiteSpaceEntry): SiteSpaceEntry => (hidden ? { ...entry, hidden } : entry)
  return {
    ...container,
    siteSpaces: container.siteSpaces.map((entry) => (entry.space === space ? mark(entry) : entry)),
  }
}

function markedItem(item: GroupChild, space: string, hidden: boolean): GroupChild {
  if (item.type === 'site-section') return marked(item, space, hidden)
  return item.type === 'site-section-group'
    ? { ...item, children: item.children.map((child) => markedItem(child, space, hidden)) }
    : item
}

const structureOf = ({ structure }: SiteDoc, space: string, hidden: boolean): SiteStructure =>
  marked(
    {
      ...structure,
      items: structure.items.map((item) => markedItem(item, space, hidden)) as SiteStructure['items'],
    },
    space,
    hidden,
  )

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
