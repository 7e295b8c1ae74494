/** Turns email and link invitations into the JSON that clients get. */
import type { App } from '../../domain/context/app.js'
import type { IssuedInvite } from '../../domain/people/invites.js'
import { linkTo } from '../../domain/people/write-mail.js'
import { defined, required } from '../../kernel/defined.js'

const common = (app: App, { doc, secret }: IssuedInvite, collection: 'invites' | 'link-invites') => ({
  id: doc.id,
  role: doc.role,
  sso: doc.sso,
  createdBy: doc.createdBy,
  createdAt: doc.createdAt,
  urls: {
    location: `${app.settings.publicUrl}/v1/orgs/${doc.organization}/${collection}/${doc.id}`,
    ...(secret === undefined ? {} : { invite: linkTo(app, 'invite', secret) }),
  },
})

/** Returns an invitation for one email address. */
export const presentInvite = (app: App, invite: IssuedInvite) => ({
  object: 'invite' as const,
  ...common(app, invite, 'invites'),
  email: required(invite.doc.email),
  delivery: invite.doc.mail ?? ('link' as const),
  expiresAt: required(invite.doc.expiresAt),
})

/** Returns a link invitation, which several people can use. */
export const presentLinkInvite = (app: App, invite: IssuedInvite) => ({
  object: 'link-invite' as const,
  ...common(app, invite, 'link-invites'),
  ...defined({ expiresAt: invite.doc.expiresAt }),
})
