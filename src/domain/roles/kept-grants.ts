import { grants, keptGrants, membershipId, memberships, teams } from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'

/** Whether a principal (`user:<id>`, `team:<id>`) belongs to an organization. */
export async function belongs(tx: Reader, organization: string, principal: string): Promise<boolean> {
  const [kind, id = ''] = principal.split(':', 2)
  if (kind === 'team') return (await tx.get(teams, id))?.organization === organization
  return (await tx.get(memberships, membershipId(organization, id))) !== null
}

/**
 * Takes the roles given on something along to another organization: those of people who are members there stay, the others
 * lie still until it comes back; those that lay still since it left take effect again.
 * @param target `space:<id>` or `collection:<id>`
 */
export async function carryGrants(tx: Transaction, target: string, from: string, to: string): Promise<void> {
  for (const { version: _of, ...grant } of await tx.find(grants, 'target', target)) {
    if (await belongs(tx, to, grant.principal)) continue
    await tx.remove(grants, grant.id)
    await tx.insert(keptGrants, { ...grant, id: `${from}:${grant.id}`, organization: from })
  }
  for (const { version: _of, organization, ...kept } of await tx.find(keptGrants, 'place', `${to}/${target}`)) {
    await tx.remove(keptGrants, kept.id)
    const id = kept.id.slice(organization.length + 1)
    if ((await belongs(tx, to, kept.principal)) && !(await tx.get(grants, id))) await tx.insert(grants, { ...kept, id })
  }
}

/** Forgets what lies still for somebody who leaves the organization, or a team that goes. */
export async function forgetGrantsOf(tx: Transaction, organization: string, principal: string): Promise<void> {
  for (const { id } of await tx.find(keptGrants, 'principal', `${organization}/${principal}`)) await tx.remove(keptGrants, id)
}
