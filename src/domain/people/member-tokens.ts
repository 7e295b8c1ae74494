/** Lists the tokens with which members access an organization, and revokes that access. */
import { isPast } from '../../kernel/clock.js'
import { memberships, type TokenDoc, tokens, type UserDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { emit } from '../events/events.js'

/** A token of a member. */
export interface MemberToken {
  token: Document<TokenDoc>
  user: Document<UserDoc>
}

/** Whether a token gives access to an organization of its user. */
const reaches = (app: App, { organization, excludedFrom, expiresAt }: TokenDoc, wanted: string): boolean =>
  (organization ?? wanted) === wanted &&
  !excludedFrom?.includes(wanted) &&
  (expiresAt === undefined || !isPast(app.clock, expiresAt))

/** Lists the tokens with which all members, or one of them, access the organization. */
export async function listMemberTokens(app: App, { doc }: LoadedOrganization, user?: string): Promise<MemberToken[]> {
  const found: MemberToken[] = []
  for (const membership of await app.store.find(memberships, 'organization', doc.id)) {
    if (user !== undefined && membership.user !== user) continue
    const owner = await app.store.get(users, membership.user)
    if (!owner) continue
    for (const token of await app.store.find(tokens, 'user', owner.id))
      if (reaches(app, token, doc.id)) found.push({ token, user: owner })
  }
  return found
}

/** Finds such a token by its ID, or null. */
export async function findMemberToken(
  app: App,
  organization: LoadedOrganization,
  id: string,
): Promise<MemberToken | null> {
  const token = await app.store.get(tokens, id)
  return token && ((await listMemberTokens(app, organization, token.user)).find((one) => one.token.id === id) ?? null)
}

/**
 * Revokes a token's access to the organization. A token for this organization only is removed. Another token stays
 * valid elsewhere.
 */
export async function revokeMemberToken(
  app: App,
  actor: Actor,
  { doc }: LoadedOrganization,
  { token }: MemberToken,
): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(tokens, token.id)
    if (!stored) return
    if (stored.organization === doc.id) await tx.remove(tokens, stored.id)
    else await tx.replace(tokens, { ...stored, excludedFrom: [...new Set([...(stored.excludedFrom ?? []), doc.id])] })
    const data = { changed: ['tokens'] }
    await emit(app, tx, {
      type: 'member.updated',
      organization: doc.id,
      actor: actor.user.id,
      subject: { user: stored.user },
      data,
    })
  })
}
