// Teams, as the API shows them.
import { presentTeamPermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import type { CountedTeam } from '../../domain/people/teams.js'

/** A team. */
export const presentTeam = ({ readOnly }: Pick<App, 'readOnly'>, { doc, role, members, spaces }: CountedTeam) => ({
  object: 'team' as const,
  id: doc.id,
  title: doc.title,
  members,
  spaces,
  createdAt: doc.createdAt,
  permissions: presentTeamPermissions({ role, readOnly }),
})
