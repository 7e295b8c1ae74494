// Compares roles, and computes the effective role on content.
import { type DefaultLevel, type Role, roles } from '../model/common.js'

/** Returns the rank of a role, from 0 (read) to 5 (admin); null (no role, a guest) is -1. */
export const rank = (role: Role | null): number => (role === null ? -1 : roles.indexOf(role))

/** Whether `role` includes `least`. */
export const atLeast = (role: Role | null, least: Role): boolean => rank(role) >= rank(least)

/** Returns the more powerful role. */
export const greater = (a: Role | null, b: Role | null): Role | null => (rank(a) >= rank(b) ? a : b)

/** One link of the chain from a space up to its organization. */
export interface ChainLink {
  defaultLevel: DefaultLevel
  /** The roles on it that the user and their teams were given. */
  granted: readonly Role[]
}

/**
 * Returns the role of a member on a space or collection. An admin of the organization is admin of everything. Others
 * have the default
 * level of the nearest link that is not `inherit`; if all inherit, their role in the organization. A guest (role null)
 * has no
 * default. A role given to the user or one of their teams on any link of the chain counts if it is higher.
 * @param chain the resource first, then its parents, outwards
 * @param member the member's role in the organization; undefined = not a member
 */
export function effectiveRole(chain: readonly ChainLink[], member: Role | null | undefined): Role | null {
  if (member === undefined) return null
  if (member === 'admin') return 'admin'
  const level = chain.find((link) => link.defaultLevel !== 'inherit')?.defaultLevel
  const byDefault = member === null ? null : level === undefined || level === 'inherit' ? member : level
  let role = byDefault
  for (const { granted } of chain) for (const one of granted) role = greater(role, one)
  return role
}
