// Removes the data of a member who leaves an organization.
import {
  collections,
  grants,
  invites,
  sites,
  spaces,
  ssoIdentities,
  ssoTokens,
  teamMembers,
  tokens,
} from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { removeKeptGrants } from '../roles/cached-grants.js'
import { removeRequestedReviews } from '../reviews/requests.js'

/**
 * Removes all data of a user in an organization except the membership, in the transaction that removes the membership.
 * This includes team memberships, roles given to the user, tokens limited to the organization, requested reviews, and
 * invitations that they created. Identities of single sign-on are marked as removed, so that the user does not return
 * automatically.
 */
export async function removeMemberData(tx: Transaction, organization: string, user: string): Promise<void> {
  for (const one of await tx.find(teamMembers, 'user', `${organization}/${user}`)) await tx.remove(teamMembers, one.id)
  for (const grant of await tx.find(grants, 'principal', `user:${user}`))
    if ((await ownerOf(tx, grant.target)) === organization) await tx.remove(grants, grant.id)
  await removeKeptGrants(tx, organization, `user:${user}`)
  for (const token of await tx.find(tokens, 'user', user))
    if (token.organization === organization) await tx.remove(tokens, token.id)
  for (const one of await tx.find(ssoIdentities, 'user', `${organization}/${user}`))
    await tx.replace(ssoIdentities, { ...one, removed: true })
  for (const named of await tx.find(ssoTokens, 'organization', organization))
    if (named.user === user) await tx.remove(ssoTokens, named.id)
  await removeRequestedReviews(tx, organization, user)
  for (const invite of await tx.find(invites, 'createdBy', `${organization}/${user}`))
    await tx.remove(invites, invite.id)
}

/** Returns the organization of a grant's target. Null if the target no longer exists. */
async function ownerOf(tx: Transaction, target: string): Promise<string | null> {
  const [kind, id] = target.split(':') as ['space' | 'collection' | 'site', string]
  const doc =
    kind === 'space'
      ? await tx.get(spaces, id)
      : kind === 'collection'
        ? await tx.get(collections, id)
        : await tx.get(sites, id)
  return doc?.organization ?? null
}
