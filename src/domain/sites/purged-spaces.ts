import { sites } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { removeBelongingsOfGone } from './gone-site-spaces.js'
import { sitesOfSpace } from '../spaces/sites-of-space.js'
import { withKeys } from './structure/keys.js'
import { removeSpace } from './structure/site-spaces.js'

/** Takes a space off every site that shows it, in the transaction that removes it for good. */
export async function takeOffSites(tx: Transaction, space: string): Promise<void> {
  for (const site of await sitesOfSpace(tx, space)) {
    const structure = withKeys(removeSpace(site.structure, space))
    await removeBelongingsOfGone(tx, site.structure, structure)
    await tx.replace(sites, { ...site, structure })
  }
}
