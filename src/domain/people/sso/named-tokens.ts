/**
 * Manages named tokens. An admin names a token for automation, and it then works although single sign-on is required.
 */
import { conflict, notFound } from '../../../kernel/errors.js'
import {
  membershipId,
  memberships,
  type SsoTokenDoc,
  ssoTokenId,
  ssoTokens,
  type TokenDoc,
  tokens,
} from '../../../model/index.js'
import type { Document } from '../../../store/index.js'
import type { Actor } from '../../context/actor.js'
import type { App } from '../../context/app.js'
import type { LoadedOrganization } from '../../context/loaded.js'

/** Maximum number of named tokens per organization. */
const MAX_NAMED_TOKENS = 100

/** A named token. */
export interface NamedToken {
  doc: Document<SsoTokenDoc>
  token: Document<TokenDoc>
}

/** Lists the existing named tokens of an organization, oldest first. */
export async function listNamedTokens(app: App, organization: LoadedOrganization): Promise<NamedToken[]> {
  const docs = await app.store.find(ssoTokens, 'organization', organization.doc.id)
  const found = await Promise.all(docs.map(async (doc) => ({ doc, token: await app.store.get(tokens, doc.token) })))
  return found
    .flatMap(({ doc, token }) => (token ? [{ doc, token }] : []))
    .sort((a, b) => (a.doc.createdAt < b.doc.createdAt ? -1 : 1))
}

/** Finds a member's token that works in the organization. Null if there is none. */
export async function findMemberToken(
  app: App,
  organization: LoadedOrganization,
  id: string,
): Promise<Document<TokenDoc> | null> {
  const { id: own } = organization.doc
  const token = await app.store.get(tokens, id)
  if (!token || (token.organization ?? own) !== own) return null
  return (await app.store.get(memberships, membershipId(own, token.user))) ? token : null
}

/**
 * Names a token. Naming it again changes nothing. Throws 404 if it was revoked in the meantime, and 409 for too many.
 */
export async function nameToken(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  { id }: Document<TokenDoc>,
): Promise<NamedToken> {
  const { id: own } = organization.doc
  return app.store.transact(async (tx) => {
    const token = await tx.get(tokens, id)
    if (!token || !(await tx.get(memberships, membershipId(own, token.user)))) throw notFound('The token')
    const stored = await tx.get(ssoTokens, ssoTokenId(own, id))
    if (stored) return { doc: stored, token }
    const named = await tx.find(ssoTokens, 'organization', own)
    for (const one of named) if (!(await tx.get(tokens, one.token))) await tx.remove(ssoTokens, one.id)
    if ((await tx.count(ssoTokens, 'organization', own)) >= MAX_NAMED_TOKENS)
      throw conflict(`An organization has at most ${MAX_NAMED_TOKENS} named tokens. Remove one first.`)
    const doc = {
      id: ssoTokenId(own, id),
      organization: own,
      token: id,
      user: token.user,
      createdBy: actor.user.id,
      createdAt: app.clock.now().toISOString(),
    }
    return { doc: await tx.insert(ssoTokens, doc), token }
  })
}

/** Removes the name. The token is then rejected like any other. */
export async function unnameToken(
  app: App,
  organization: LoadedOrganization,
  { id }: Document<TokenDoc>,
): Promise<void> {
  await app.store.remove(ssoTokens, ssoTokenId(organization.doc.id, id))
}
