// Turns members into the JSON that clients get.
import type { App } from '../../domain/context/app.js'
import type { CountedMember } from '../../domain/people/members.js'
import { presentUser } from '../users/present.js'
import { defined } from '../../kernel/defined.js'

/** Returns a member of an organization as JSON. */
export const presentMember = (app: App, { doc, user, spaces, sites, teams }: CountedMember) => ({
  object: 'member' as const,
  id: doc.user,
  role: doc.role,
  user: presentUser(app, user),
  disabled: doc.disabled,
  joinedAt: doc.joinedAt,
  ...defined({ lastSeenAt: doc.lastSeenAt }),
  sso: doc.sso,
  spaces,
  sites,
  teams,
})
