/** The connections of all spaces of an organization. */
import { api, body, type Schemas } from '../api/client.js'
import { Listing, usePages } from '../admin/lists.js'
import { useSpaces } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { adminWords } from '../admin/words.js'
import { ConnectionChip, shortAddress } from '../admin/connection-words.js'
import { Icon } from '../shell/icons.js'
import { Time } from '../shell/time.js'

export const OrganizationConnections = ({ org = '' }: { org?: string }) => (
  <OrganizationFrame id={org} part="connections">
    {(organization) => <Connections organization={organization} />}
  </OrganizationFrame>
)

function Connections({ organization }: { organization: Organization }) {
  const w = adminWords().connection
  const spaces = new Map((useSpaces(organization.id) ?? []).map(({ id, title }) => [id, title]))
  const list = usePages<Schemas['Connection']>(`orgs/${organization.id}/connections`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/git/connections', {
        params: { path: { organizationId: organization.id }, query },
      }),
    ),
  )
  return (
    <Listing
      of={list}
      icon="sync"
      noneTitle={w.noneInOrganization}
      none={w.none}
      columns={[
        { name: w.space },
        { name: w.repository },
        { name: w.direction, class: 'hide-m' },
        { name: w.state },
        { name: w.lastSuccess, class: 'hide-s' },
      ]}
    >
      {(connection) => (
        <tr key={connection.id}>
          <td>
            <span class="who">
              <Icon name="book" />
              <a href={`/s/${connection.space}/connection`}>{spaces.get(connection.space) ?? connection.space}</a>
            </span>
          </td>
          <td>
            {shortAddress(connection.url)} <span class="muted">{connection.ref}</span>
          </td>
          <td class="hide-m">{w.directions[connection.direction]}</td>
          <td>
            <ConnectionChip connection={connection} />
          </td>
          <td class="hide-s muted">
            {connection.lastSuccessAt ? <Time iso={connection.lastSuccessAt} /> : w.neverRan}
          </td>
        </tr>
      )}
    </Listing>
  )
}
