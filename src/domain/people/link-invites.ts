// Manages invitations to an organization by a link that anyone may use.
import { hashToken, newToken } from '../../auth/index.js'
import { badRequest, conflict, notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type CreateLinkInvite, type InviteDoc, invites, type UpdateLinkInvite } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { checkMemberQuota } from '../context/quotas.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { isOpen, requireInviter, type IssuedInvite } from './invites.js'
import { defined } from '../../kernel/defined.js'

/** Lists the open link invitations of an organization. */
export async function listLinkInvites(app: App, organization: LoadedOrganization): Promise<Document<InviteDoc>[]> {
  return (await app.store.find(invites, 'organization', `${organization.doc.id}/link`)).filter((invite) =>
    isOpen(app, invite),
  )
}

/**
 * Creates an invitation for everyone who has the link. Throws 409 if the organization does not allow links, 400 if it
 * would already be expired, 403.
 */
export async function createLinkInvite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateLinkInvite,
): Promise<IssuedInvite> {
  const secret = newToken()
  const expiresAt = endOf(app, input.expiresAt)
  const doc = await app.store.transact(async (tx) => {
    const { id, inviteLinks, defaultRole } = await requireInviter(tx, actor, organization)
    if (!inviteLinks)
      throw conflict('The organization does not allow invitations by link. Set its `inviteLinks` to true first.')
    await checkMemberQuota(tx, app.settings.quotas, id)
    return tx.insert(invites, {
      id: newId(),
      organization: id,
      kind: 'link',
      role: input.role === undefined ? defaultRole : input.role,
      sso: input.sso ?? false,
      hash: hashToken(secret),
      createdBy: actor.user.id,
      createdAt: app.clock.now().toISOString(),
      ...defined({ expiresAt }),
    })
  })
  return { doc, secret }
}

/**
 * Changes the given fields. Throws 400 if it would already be expired, 403, and 404 if the invitation was revoked in
 * the meantime.
 */
export async function updateLinkInvite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  invite: Document<InviteDoc>,
  { expiresAt, ...rest }: UpdateLinkInvite,
): Promise<Document<InviteDoc>> {
  const end = endOf(app, expiresAt ?? undefined)
  return app.store.transact(async (tx) => {
    await requireInviter(tx, actor, organization)
    const stored = await tx.get(invites, invite.id)
    if (!stored) throw notFound('The invitation')
    const { expiresAt: had, ...others } = stored
    const next = expiresAt === undefined ? had : end
    return tx.replace(invites, { ...others, ...rest, ...defined({ expiresAt: next }) })
  })
}

function endOf(app: App, expiresAt: string | undefined): string | undefined {
  if (expiresAt === undefined) return undefined
  const at = new Date(expiresAt)
  if (at.getTime() <= app.clock.now().getTime())
    throw badRequest('The link would already be expired. Set a later `expiresAt`.', [
      { path: '/expiresAt', message: 'must be in the future' },
    ])
  return at.toISOString()
}
