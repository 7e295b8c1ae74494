// The sites that a space is on.
import { type SiteDoc, type SiteSpaceEntry, type SiteStructure, type SpaceDoc, sites } from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'

type SiteSpaces = Pick<SiteStructure, 'siteSpaces'>

function marked<T extends SiteSpaces>(container: T, space: string, hidden: boolean): T {
  const mark = ({ hidden: _was, ...entry }: SiteSpaceEntry): SiteSpaceEntry => (hidden ? { ...entry, hidden } : entry)
  return { ...container, siteSpaces: container.siteSpaces.map((entry) => (entry.space === space ? mark(entry) : entry)) }
}

const structureOf = ({ structure }: SiteDoc, space: string, hidden: boolean): SiteStructure =>
  marked(
    {
      ...structure,
      items: structure.items.map((item) =>
        item.type === 'site-section' ? marked(item, space, hidden) : { ...item, sections: item.sections.map((section) => marked(section, space, hidden)) },
      ),
    },
    space,
    hidden,
  )

/** Hides a deleted space on every site that it is on, or shows a restored one again: in the transaction that deletes or restores it. */
export async function updateHiddenOnSites(tx: Transaction, space: SpaceDoc): Promise<void> {
  for (const site of await sitesOfSpace(tx, space.id))
    await tx.replace(sites, { ...site, structure: structureOf(site, space.id, space.deletedAt !== undefined) })
}

/** The sites that a space is on, whether the space is deleted or not. A space on a site cannot be transferred to another organization. */
export const sitesOfSpace = (reader: Reader, space: string): Promise<Document<SiteDoc>[]> => reader.find(sites, 'space', space)
