/** Turns users and tokens into the JSON that clients get, with a placeholder for users who no longer exist. */
import type { App } from '../../domain/context/app.js'
import { DEFAULT_SCOPES, type TokenDoc, type UserDoc } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

type PresentableUser = Pick<UserDoc, 'id' | 'displayName' | 'email' | 'photoURL' | 'limitedTo'>

/** Returns a user as others see them. */
export const presentUser = (app: App, user: PresentableUser) => ({
  object: 'user' as const,
  id: user.id,
  displayName: user.displayName,
  email: user.email,
  ...defined({ photoURL: user.photoURL }),
  ...(user.limitedTo === undefined ? {} : { emailUnproven: true }),
  urls: { location: `${app.settings.publicUrl}/v1/users/${user.id}` },
})

/** Returns a placeholder for a user who no longer exists. */
export const formerUser = (app: App, id: string) => presentUser(app, { id, displayName: 'Former user', email: '' })

export const presentToken = (token: TokenDoc) => ({
  object: 'token' as const,
  id: token.id,
  label: token.label,
  readOnly: token.readOnly,
  scopes: [...(token.scopes ?? DEFAULT_SCOPES)],
  createdAt: token.createdAt,
  ...defined({ organization: token.organization, expiresAt: token.expiresAt, session: token.session }),
})
