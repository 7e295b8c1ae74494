// Turns teams into the JSON that clients get.
import { presentTeamPermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import type { CountedTeam } from '../../domain/people/teams.js'

/** Returns a team as JSON. */
export const presentTeam = ({ readOnly }: Pick<App, 'readOnly'>, { doc, role, members, spaces }: CountedTeam) => ({
  object: 'team' as const,
  id: doc.id,
  title: doc.title,
  members,
  spaces,
  createdAt: doc.createdAt,
  permissions: presentTeamPermissions({ role, readOnly }),
})
