import { type DefaultLevel, type Role, roles } from '../model/common.js'

/** Rank of a role, from 0 (read) to 5 (admin); null (none, a guest) is -1. */
export const rank = (role: Role | null): number => (role === null ? -1 : roles.indexOf(role))

/** Whether `role` includes `least`. */
export const atLeast = (role: Role | null, least: Role): boolean => rank(role) >= rank(least)

/** The more powerful of the two. */
export const greater = (a: Role | null, b: Role | null): Role | null => (rank(a) >= rank(b) ? a : b)

/** One link of the chain from a space up to its organization. */
export interface ChainLink {
  defaultLevel: DefaultLevel
  /** The roles given on it to the user by name and to his teams. */
  granted: readonly Role[]
}

/**
 * The role a member has on a space or collection. Rules (spec/gaps.md, "default level"):
 * an organization admin is admin of everything; otherwise the default level of the nearest link that is not `inherit`,
 * at last the member's own role; a guest (role null) has no default. A role given by name or team on any link of the
 * chain adds to it, and never takes away.
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
