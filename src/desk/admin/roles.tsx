/** Roles: their names, and their sources for a member. */
import type { Schemas } from '../api/client.js'
import { Chip } from '../shell/notes.js'
import { Icon } from '../shell/icons.js'
import { fill } from '../words/index.js'
import type { Choices } from './form.js'
import { adminWords } from './words.js'

export type Role = Schemas['Role']
export type Source = Schemas['AggregatedContentPermission']['sources'][number]

/** In ascending order. */
export const ROLES = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const satisfies readonly Role[]

/** Whether a text is a role in an organization. */
export const isRole = (text: string): text is Role | 'guest' => text === 'guest' || ROLES.some((role) => role === text)

/** The name of a role; null = guest. */
export const roleName = (role: Role | null): string => adminWords().roles.names[role ?? 'guest']

/** The roles that can be selected, with "Guest" for a role in an organization. */
export const roleChoices = ({ guest = false } = {}): Choices<Role | 'guest'> => [
  ...(guest ? [['guest', roleName(null)] as const] : []),
  ...ROLES.map((role) => [role, roleName(role)] as const),
]

/** The roles on a space, a collection or a site. */
export const contentRoles = (): Choices<Role> => ROLES.map((role) => [role, roleName(role)] as const)

/** The role of a choice. */
export const roleOf = (choice: Role | 'guest'): Role | null => (choice === 'guest' ? null : choice)

/** The names that sources of roles mention, by ID. */
export interface Names {
  teams: ReadonlyMap<string, string>
  collections: ReadonlyMap<string, string>
}

function sentence({ type, team, collection }: Source, names: Names): string {
  const w = adminWords().roles.sources
  const values = {
    team: names.teams.get(team ?? '') ?? w.someTeam,
    collection: names.collections.get(collection ?? '') ?? w.someCollection,
  }
  const form = collection === undefined ? w.here[type] : w.inCollection[type]
  return fill(form, values)
}

/** The sources of a member's role, with a mark on the effective one. */
export function Reasons({
  sources,
  permission,
  names,
  action,
}: {
  sources: readonly Source[]
  permission: Role
  names: Names
  /** The button that revokes a source, if the caller may do so. */
  action?: (source: Source) => preact.ComponentChildren
}) {
  const w = adminWords().roles
  const sorted = [...sources].sort((a, b) => ROLES.indexOf(b.permission) - ROLES.indexOf(a.permission))
  const counts = sorted.find((one) => one.permission === permission)
  return (
    <ul class="list t panel sm">
      {sorted.map((source, at) => (
        <li key={at}>
          <Icon name="check" />
          <span class="grow">
            <b>{roleName(source.permission)}</b> {sentence(source, names)}
          </span>
          {source === counts && (
            <Chip tone="on" icon="star">
              {w.counts}
            </Chip>
          )}
          {action?.(source)}
        </li>
      ))}
    </ul>
  )
}
