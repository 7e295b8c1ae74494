import { atLeast } from '../../access/index.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { type Role, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { spaceRole } from '../roles/access.js'
import type { Actor } from '../context/actor.js'

/** A space of the organization that the caller sees, and his role on it; null otherwise. */
export async function findOfferedSpace(
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
 * A space that the caller may put on a site: one of the organization that he sees, where he has the role create, since
 * who publishes a space hands its content out. Throws 400 naming `field`, or 403.
 */
export async function publishableSpace(reader: Reader, actor: Actor, organization: string, id: string, field: string): Promise<Document<SpaceDoc>> {
  const found = await findOfferedSpace(reader, actor, organization, id)
  if (!found) throw badRequest('There is no such space.', [{ path: field, message: 'must be the ID of a space of this organization' }])
  if (!atLeast(found.role, 'create')) throw new ServiceError('forbidden', `You may not put the space ${id} on a site: that needs the role create on it.`)
  return found.doc
}
