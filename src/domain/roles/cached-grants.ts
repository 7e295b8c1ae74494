// Stores grants that a transfer to another organization suspends, so that they apply again if the content returns.
import { grants, keptGrants, membershipId, memberships, teams } from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'

/** Whether a principal (`user:<id>`, `team:<id>`) belongs to an organization. */
export async function isPrincipalOf(tx: Reader, organization: string, principal: string): Promise<boolean> {
  const [kind, id = ''] = principal.split(':', 2)
  if (kind === 'team') return (await tx.get(teams, id))?.organization === organization
  return (await tx.get(memberships, membershipId(organization, id))) !== null
}

/**
 * Adapts the grants on content that is transferred to another organization. Grants of principals in the new
 * organization stay. The others are suspended until the content returns. Grants that were suspended when the content
 * left the new organization earlier apply again.
 * @param target `space:<id>` or `collection:<id>`
 */
export async function transferGrants(tx: Transaction, target: string, from: string, to: string): Promise<void> {
  for (const { version: _of, ...grant } of await tx.find(grants, 'target', target)) {
    if (await isPrincipalOf(tx, to, grant.principal)) continue
    await tx.remove(grants, grant.id)
    await tx.insert(keptGrants, { ...grant, id: `${from}:${grant.id}`, organization: from })
  }
  for (const { version: _of, organization, ...kept } of await tx.find(keptGrants, 'place', `${to}/${target}`)) {
    await tx.remove(keptGrants, kept.id)
    const id = kept.id.slice(organization.length + 1)
    if ((await isPrincipalOf(tx, to, kept.principal)) && !(await tx.get(grants, id)))
      await tx.insert(grants, { ...kept, id })
  }
}

/** Removes the suspended grants of a user who leaves the organization, or of a team that is deleted. */
export async function removeKeptGrants(tx: Transaction, organization: string, principal: string): Promise<void> {
  for (const { id } of await tx.find(keptGrants, 'principal', `${organization}/${principal}`))
    await tx.remove(keptGrants, id)
}
