// Reads a caller's current role again, for writes that waited.
import { greater } from '../../access/index.js'
import {
  collections,
  memberships,
  organizations,
  type Role,
  samlProviders,
  sites,
  spaces,
  ssoIdentities,
  teamMemberId,
  teamMembers,
  teams,
  tokens,
  translations,
} from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import { contentRole, isTokenFor, organizationRole, type PermissionTarget, translationRole } from './access.js'

/**
 * Whether an identity exists, its user was not removed, and its provider exists and still has the same identity
 * provider.
 */
export async function isIdentityValid(reader: Reader, id: string): Promise<boolean> {
  const identity = await reader.get(ssoIdentities, id)
  if (!identity || identity.removed) return false
  return (await reader.get(samlProviders, identity.provider))?.entityID === identity.issuer
}

/** A resource that a resolver loaded. */
export interface LoadedForRole {
  doc: { id: string }
}

/** A role. `gone` = the resource no longer exists, `unseen` = the caller may no longer see it. */
type CurrentRole = Role | null | 'gone' | 'unseen'

/** Whether the caller's token and its identity still exist. Both may be removed while a request is in progress. */
export const isTokenValid = async (reader: Reader, { token }: Actor): Promise<boolean> =>
  (await reader.get(tokens, token.id)) !== null && (!token.sso || (await isIdentityValid(reader, token.sso.identity)))

/**
 * Returns the caller's current role on a loaded resource. For an organization, team, member, collection, space or site,
 * it is the role that its resolver determines.
 */
export async function currentRole(
  reader: Reader,
  actor: Actor,
  kind: string,
  { doc }: LoadedForRole,
): Promise<CurrentRole> {
  if (kind === 'space' || kind === 'collection' || kind === 'site') return roleOnContent(reader, actor, kind, doc.id)
  if (kind === 'organization')
    return (await reader.get(organizations, doc.id)) ? inOrganization(reader, actor, doc.id) : 'gone'
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
  if (kind === 'translation') {
    const translation = await reader.get(translations, doc.id)
    if (!translation) return 'gone'
    if (!(await isTokenFor(reader, actor, translation.organization))) return 'unseen'
    return (await translationRole(reader, actor.user.id, translation)) ?? 'unseen'
  }
  throw new Error(`a ${kind} has no roles`)
}

const findContent = (
  reader: Reader,
  kind: PermissionTarget['kind'],
  id: string,
): Promise<Omit<PermissionTarget, 'kind'> | null> =>
  kind === 'space'
    ? reader.get(spaces, id)
    : kind === 'collection'
      ? reader.get(collections, id)
      : reader.get(sites, id)

async function roleOnContent(
  reader: Reader,
  actor: Actor,
  kind: PermissionTarget['kind'],
  id: string,
): Promise<CurrentRole> {
  const doc = await findContent(reader, kind, id)
  if (!doc) return 'gone'
  if (!(await isTokenFor(reader, actor, doc.organization))) return 'unseen'
  return (await contentRole(reader, actor.user.id, { ...doc, kind })) ?? 'unseen'
}

async function inOrganization(reader: Reader, actor: Actor, id: string): Promise<Role | null | 'unseen'> {
  if (!(await isTokenFor(reader, actor, id))) return 'unseen'
  const role = await organizationRole(reader, actor.user.id, id)
  return role === undefined ? 'unseen' : role
}

async function onTeam(
  reader: Reader,
  actor: Actor,
  { id, organization }: { id: string; organization: string },
): Promise<CurrentRole> {
  const member = await inOrganization(reader, actor, organization)
  if (member === 'unseen') return member
  const teamMember = await reader.get(teamMembers, teamMemberId(id, actor.user.id))
  return teamMember?.role === 'owner' ? 'admin' : (member ?? (teamMember ? 'read' : null))
}
