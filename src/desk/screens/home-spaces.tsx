/** The table of spaces, by collection or from A to Z. */
import type { Schemas } from '../api/client.js'
import { Icon } from '../shell/icons.js'
import { Chip } from '../shell/notes.js'
import { language, words } from '../words/index.js'

type Space = Schemas['Space']
type Collection = Schemas['Collection']

/** The failures of spaces, by their ID. */
export type Problems = ReadonlyMap<string, 'conflict' | 'sync_failed'>

interface TableProps {
  spaces: readonly Space[]
  collections: readonly Collection[]
  problems: Problems
  isFlat: boolean
}

/** Renders the table. */
export function SpaceTable({ spaces, collections, problems, isFlat }: TableProps) {
  const w = words().home
  const groups = isFlat ? [{ id: '', title: null, spaces: sorted(spaces) }] : grouped(spaces, collections)
  return (
    <div class="panel">
      <table class="tbl">
        <thead>
          <tr>
            <th>{w.space}</th>
            <th class="num hide-m">{w.openRequests}</th>
            <th>{w.state}</th>
            <th class="hide-m">{w.readersFind}</th>
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.id}>
            {group.title !== null && (
              <tr class="grp">
                <th colSpan={4} scope="rowgroup">
                  <a href={`/collections/${group.id}`}>{group.title}</a>
                </th>
              </tr>
            )}
            {group.spaces.map((space) => (
              <Row key={space.id} space={space} problem={problems.get(space.id)} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

const sorted = (spaces: readonly Space[]): Space[] =>
  spaces.toSorted((a, b) => a.title.localeCompare(b.title, language.value))

/** Returns the spaces of each collection, those without one first. Titles contain those of the collections above. */
function grouped(spaces: readonly Space[], collections: readonly Collection[]) {
  const byId = new Map(collections.map((one) => [one.id, one]))
  const pathOf = (one: Collection): string => {
    const above = one.parent === undefined ? undefined : byId.get(one.parent)
    return above ? `${pathOf(above)} › ${one.title}` : one.title
  }
  const inNone = spaces.filter(({ parent }) => parent === undefined || !byId.has(parent))
  const groups = collections
    .map((one) => ({ id: one.id, title: pathOf(one), spaces: spaces.filter(({ parent }) => parent === one.id) }))
    .filter((group) => group.spaces.length > 0)
  return [...(inNone.length > 0 ? [{ id: '', title: null, spaces: inNone }] : []), ...groups]
}

function Row({ space, problem }: { space: Space; problem: 'conflict' | 'sync_failed' | undefined }) {
  const w = words().home
  const { published } = space.urls
  return (
    <tr>
      <td>
        <span class="sp">
          <span class="emoji" aria-hidden="true">
            {[...space.title][0]?.toUpperCase()}
          </span>
          <a href={`/s/${space.id}`}>{space.title}</a>
        </span>
      </td>
      <td class="num hide-m">{space.changeRequestsOpen}</td>
      <td>
        {problem === undefined ? (
          <State space={space} />
        ) : (
          <a href={`/s/${space.id}/connection`}>
            <Chip tone={problem === 'conflict' ? 'wait' : 'bad'} icon={problem === 'conflict' ? 'warn' : 'sync'}>
              {problem === 'conflict' ? w.conflict : w.syncFails}
            </Chip>
          </a>
        )}
      </td>
      <td class="hide-m">
        {published === undefined ? (
          <span class="muted sm">{w.notPublished}</span>
        ) : (
          <a class="sm" href={published}>
            {published.replace(/^https?:\/\//, '')}
          </a>
        )}
      </td>
    </tr>
  )
}

function State({ space }: { space: Space }) {
  const w = words().home
  const status = space.gitSync?.installationStatus
  if (status === 'unauthenticated')
    return (
      <Chip tone="bad" icon="key">
        {w.refused}
      </Chip>
    )
  if (space.gitSync)
    return (
      <Chip tone="good" icon={status === 'pending' ? 'sync' : 'check'}>
        {status === 'pending' ? w.syncPending : w.synced}
      </Chip>
    )
  return space.editMode === 'locked' ? (
    <Chip icon="lock">{w.locked}</Chip>
  ) : (
    <span class="muted sm nw">
      <Icon name="book" /> {w.onlyHere}
    </span>
  )
}
