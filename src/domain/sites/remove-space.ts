/** Removes a space from the sites that show it. */
import { sites } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { sitesOfSpace } from '../spaces/sites-of-space.js'
import { removeDocumentsOfRemoved } from './customization.js'
import { withKeys } from './structure/keys.js'
import { removeSiteSpacesOf } from './structure/site-spaces.js'

/** Removes a space from all of its sites, in the transaction that purges it. */
export async function removeSpaceFromSites(tx: Transaction, space: string): Promise<void> {
  for (const site of await sitesOfSpace(tx, space)) {
    const structure = withKeys(removeSiteSpacesOf(site.structure, space))
    await removeDocumentsOfRemoved(tx, site.structure, structure)
    await tx.replace(sites, { ...site, structure })
  }
}
