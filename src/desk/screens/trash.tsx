/** Deleted spaces, which can be restored or permanently removed. */
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { ListEnd, usePages } from '../admin/lists.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { adminWords } from '../admin/words.js'
import { Icon } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill, plural } from '../words/index.js'

type Space = Schemas['Space']

export const Trash = ({ org = '' }: { org?: string }) => (
  <OrganizationFrame id={org} part="trash">
    {(organization) => (
      <>
        <p class="ink2">{adminWords().trash.lead}</p>
        <Deleted organization={organization} />
      </>
    )}
  </OrganizationFrame>
)

const DAY = 86_400_000
const KEPT_DAYS = 7

/** Number of whole days for which a space can be restored. */
const daysLeft = (deletedAt: string): number =>
  Math.max(0, Math.ceil((Date.parse(deletedAt) + KEPT_DAYS * DAY - Date.now()) / DAY))

function Deleted({ organization }: { organization: Organization }) {
  const w = adminWords().trash
  const [ask, question] = useQuestion()
  const key = `orgs/${organization.id}/deleted-spaces`
  const list = usePages<Space>(key, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/deleted-spaces', {
        params: { path: { organizationId: organization.id }, query },
      }),
    ),
  )
  const at = (space: Space) => ({ params: { path: { spaceId: space.id } } })
  const restore = (space: Space) =>
    attempt(async () => {
      await body(api.POST('/v1/spaces/{spaceId}/restore', at(space)))
      await Promise.all([reload(`orgs/${organization.id}/`), reload('home/')])
      toast(fill(w.restored, { space: space.title }))
    })
  const purge = (space: Space) =>
    ask({
      title: fill(w.purgeTitle, { space: space.title }),
      text: fill(w.purgeText, { changeRequests: space.changeRequests, comments: space.comments }),
      button: w.purge,
      run: async () => {
        await body(api.POST('/v1/spaces/{spaceId}/purge', at(space)))
        await reload(key)
        toast(fill(w.purged, { space: space.title }))
      },
    })
  return (
    <Show data={list.data} retry={() => void list.again()}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="trash" title={w.none} />
        ) : (
          <>
            <div class="panel">
              <table class="tbl cards">
                <thead>
                  <tr>
                    <th>{w.space}</th>
                    <th>{w.deleted}</th>
                    <th class="hide-s">{w.left}</th>
                    <th>
                      <span class="vh">{w.actions}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((space) => (
                    <tr key={space.id}>
                      <td>
                        <span class="who">
                          <Icon name="book" />
                          <b>{space.title}</b>
                        </span>
                      </td>
                      <td class="muted">{space.deletedAt && <Time iso={space.deletedAt} />}</td>
                      <td class="hide-s muted">{plural(w.days, daysLeft(space.deletedAt ?? ''))}</td>
                      <td class="num nw">
                        {space.permissions.admin && (
                          <>
                            <button type="button" class="btn small" onClick={() => restore(space)}>
                              <Icon name="undo" />
                              {w.restore}
                            </button>{' '}
                            <button type="button" class="btn small quiet" onClick={() => purge(space)}>
                              {w.purge}
                            </button>
                          </>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <ListEnd of={list} />
            {question}
          </>
        )
      }
    </Show>
  )
}
