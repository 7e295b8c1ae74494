import { greater } from '../../access/index.js'
import { collections, memberships, organizations, type Role, sites, spaces, teamMemberId, teamMembers, teams, tokens } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import { type Content, contentRole, opens, organizationRole } from './access.js'

/** What a permission is about, as a resolver loaded it. */
export interface LoadedForRole {
  doc: { id: string }
}

/** A role; `gone` = the thing itself is not there any more, `unseen` = the caller does not see it any more. */
export type RoleNow = Role | null | 'gone' | 'unseen'

/** Whether the caller's token is still there: it may be revoked while a request is under way. */
export const isTokenValid = async (reader: Reader, actor: Actor): Promise<boolean> => (await reader.get(tokens, actor.token.id)) !== null

/**
 * The role that the caller has on a loaded thing by what `reader` sees: of an organization, team, member, collection,
 * space or site the same that its resolver answers.
 */
export async function roleNow(reader: Reader, actor: Actor, kind: string, { doc }: LoadedForRole): Promise<RoleNow> {
  if (kind === 'space' || kind === 'collection' || kind === 'site') return roleOnContent(reader, actor, kind, doc.id)
  if (kind === 'organization') return (await reader.get(organizations, doc.id)) ? inOrganization(reader, actor, doc.id) : 'gone'
  if (kind === 'team') {
    const team = await reader.get(teams, doc.id)
    return team ? onTeam(reader, actor, team) : 'gone'
  }
  if (kind === 'member') {
    const membership = await reader.get(memberships, doc.id)
    if (!membership) return 'gone'
    const role = await inOrganization(reader, actor, membership.organization)
    return role === 'unseen' || membership.user !== actor.user.id ? role : greater(role, 'read')
  }
  throw new Error(`no role is known for a ${kind}`)
}

const findContent = (reader: Reader, kind: Content['kind'], id: string): Promise<Omit<Content, 'kind'> | null> =>
  kind === 'space' ? reader.get(spaces, id) : kind === 'collection' ? reader.get(collections, id) : reader.get(sites, id)

async function roleOnContent(reader: Reader, actor: Actor, kind: Content['kind'], id: string): Promise<RoleNow> {
  const doc = await findContent(reader, kind, id)
  if (!doc) return 'gone'
  if (!(await opens(reader, actor, doc.organization))) return 'unseen'
  return (await contentRole(reader, actor.user.id, { ...doc, kind })) ?? 'unseen'
}

async function inOrganization(reader: Reader, actor: Actor, id: string): Promise<Role | null | 'unseen'> {
  if (!(await opens(reader, actor, id))) return 'unseen'
  const role = await organizationRole(reader, actor.user.id, id)
  return role === undefined ? 'unseen' : role
}

async function onTeam(reader: Reader, actor: Actor, { id, organization }: { id: string; organization: string }): Promise<RoleNow> {
  const member = await inOrganization(reader, actor, organization)
  if (member === 'unseen') return member
  const place = await reader.get(teamMembers, teamMemberId(id, actor.user.id))
  return place?.role === 'owner' ? 'admin' : (member ?? (place ? 'read' : null))
}
