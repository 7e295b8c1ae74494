/**
 * Prevents users from becoming an admin of a protected space by moving it. Only an admin of the space can lift a lock
 * or its merge rules.
 */
import { atLeast } from '../../access/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { spaces } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { protectionOf } from '../commits/rules/effective.js'
import { spaceRole, type Viewer } from '../roles/access.js'
import { roleOnItem } from './location-checks.js'
import type { Item } from './siblings.js'

/**
 * Returns the IDs of the spaces in `items` that are locked or have merge rules, and of which the viewer is not an
 * admin.
 */
export async function adminProtectedSpaces(reader: Reader, viewer: Viewer, items: readonly Item[]): Promise<string[]> {
  const protectedIds: string[] = []
  for (const item of items) {
    if (item.kind !== 'space' || !(item.doc.editMode === 'locked' || (await protectionOf(reader, item.doc)) !== null))
      continue
    if (!atLeast(await roleOnItem(reader, viewer, item), 'admin')) protectedIds.push(item.doc.id)
  }
  return protectedIds
}

/** Throws 403 if the move made the user an admin of one of these spaces. */
export async function checkStillProtected(
  reader: Reader,
  user: string,
  protectedIds: readonly string[],
): Promise<void> {
  for (const id of protectedIds) {
    const doc = await reader.get(spaces, id)
    if (doc && atLeast(await spaceRole(reader, user, doc), 'admin'))
      throw new ServiceError(
        'forbidden',
        `The space ${id} (${doc.title}) ${doc.editMode === 'locked' ? 'is locked' : 'has rules for merges'}, which only its admins may change. Moving it would make you an admin. Ask a current admin to move it.`,
      )
  }
}
