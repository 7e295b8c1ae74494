/** A lock or the rules of merges can be lifted only by an admin of the space. Nobody may become one by moving the space. */
import { atLeast } from '../../access/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { spaces } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { protectionOf, protects } from '../commits/rules/effective.js'
import { spaceRole, type Viewer } from '../roles/access.js'
import { roleOnItem } from './location-checks.js'
import type { Item } from './siblings.js'

/** IDs of the spaces among `items` that are locked or whose merges must meet rules, and of which the viewer is not an admin. */
export async function adminProtectedSpaces(reader: Reader, viewer: Viewer, items: readonly Item[]): Promise<string[]> {
  const protectedIds: string[] = []
  for (const item of items) {
    if (item.kind !== 'space' || !(item.doc.editMode === 'locked' || protects(await protectionOf(reader, item.doc))))
      continue
    if (!atLeast(await roleOnItem(reader, viewer, item), 'admin')) protectedIds.push(item.doc.id)
  }
  return protectedIds
}

/** Throws 403 if the user has become an admin of one of these spaces, by moving it where it is now. */
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
        `The space ${id} (${doc.title}) ${doc.editMode === 'locked' ? 'is locked' : 'has rules for merges'}, which only its admins may change. In the new place you would be an admin of it: ask one of its present admins to move it.`,
      )
  }
}
