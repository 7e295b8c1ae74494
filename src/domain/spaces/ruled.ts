import { atLeast } from '../../access/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { spaces } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { spaceRole, type Viewer } from '../roles/access.js'
import { roleOnItem } from './places.js'
import type { Item } from './siblings.js'

/** Of some content, the spaces under a rule that only an admin lifts (approvals, the lock), of which the viewer is none. */
export async function ruledFor(reader: Reader, viewer: Viewer, items: readonly Item[]): Promise<string[]> {
  const ruled: string[] = []
  for (const item of items) {
    if (item.kind !== 'space' || !((item.doc.requiredApprovals ?? 0) > 0 || item.doc.editMode === 'locked')) continue
    if (!atLeast(await roleOnItem(reader, viewer, item), 'admin')) ruled.push(item.doc.id)
  }
  return ruled
}

/** Throws 403 where somebody became an admin of such spaces by bringing them where they are: he could lift their rule there. */
export async function checkRulesHold(reader: Reader, user: string, ruled: readonly string[]): Promise<void> {
  for (const id of ruled) {
    const doc = await reader.get(spaces, id)
    if (doc && atLeast(await spaceRole(reader, user, doc), 'admin'))
      throw new ServiceError(
        'forbidden',
        `The space ${id} (${doc.title}) ${doc.editMode === 'locked' ? 'is locked' : 'asks for approvals'}, which only its admins lift, and there you would be one: an admin of it has to bring it there.`,
      )
  }
}
