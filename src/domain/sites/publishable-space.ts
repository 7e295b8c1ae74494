// Finds the spaces that a caller may publish on a site.
import { atLeast } from '../../access/index.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { type Role, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { spaceRole } from '../roles/access.js'
import type { Actor } from '../context/actor.js'

/** Finds a space of the organization, with the caller's role on it. Null if there is none that they may see. */
export async function findSpaceToPublish(
  reader: Reader,
  actor: Actor,
  organization: string,
  id: string,
): Promise<{ doc: Document<SpaceDoc>; role: Role } | null> {
  const doc = await reader.get(spaces, id)
  if (!doc || doc.organization !== organization || doc.deletedAt !== undefined) return null
  const role = await spaceRole(reader, actor.user.id, doc)
  return role === null ? null : { doc, role }
}

/**
 * Returns a space of the organization that the caller may add to a site. This needs the role create, since it may make
 * the content public. Throws 400 naming `field`, or 403.
 */
export async function publishableSpace(
  reader: Reader,
  actor: Actor,
  organization: string,
  id: string,
  field: string,
): Promise<Document<SpaceDoc>> {
  const found = await findSpaceToPublish(reader, actor, organization, id)
  if (!found)
    throw badRequest('The space does not exist.', [
      { path: field, message: 'must be the ID of a space of this organization' },
    ])
  if (!atLeast(found.role, 'create'))
    throw new ServiceError(
      'forbidden',
      `You are not allowed to add the space ${id} to a site. This needs the role create on the space.`,
    )
  return found.doc
}
