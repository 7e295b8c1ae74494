/** The audit log of an organization: user, action, time and result. */
import { api, body, type Schemas } from '../api/client.js'
import { Pick } from '../admin/form.js'
import { ListEnd, OpeningRow, parameter, usePages } from '../admin/lists.js'
import { useMembers, useSpaces } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { adminWords } from '../admin/words.js'
import { setQuery } from '../route.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, Empty, Show, type Tone } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill, words } from '../words/index.js'

type Entry = Schemas['AuditEntry']

const DAY = 86_400_000

export function Audit({ org = '' }: { org?: string }) {
  const w = adminWords().audit
  return (
    <OrganizationFrame
      id={org}
      part="audit"
      end={() => (
        <button type="button" class="btn" onClick={() => attempt(() => exportCsv(org))}>
          <Icon name="arrow-down" />
          {w.export}
        </button>
      )}
      tools={<Filters organization={org} />}
    >
      {(organization) => <Log organization={organization} />}
    </OrganizationFrame>
  )
}

const isOutcome = (text: string | undefined): text is Entry['outcome'] =>
  text === 'succeeded' || text === 'refused' || text === 'failed'

/** The filters in the address, in the form of the API. */
function query() {
  const [actor, operation, outcome, space] = ['actor', 'operation', 'outcome', 'space'].map((name) => parameter(name))
  const days = Number(parameter('days', '7'))
  const since = new Date(Math.floor(Date.now() / DAY + 1) * DAY - days * DAY).toISOString()
  return {
    ...(actor ? { actor } : {}),
    ...(operation ? { operation } : {}),
    ...(isOutcome(outcome) ? { outcome } : {}),
    ...(space ? { space } : {}),
    ...(days > 0 ? { from: since } : {}),
  }
}

function Filters({ organization }: { organization: string }) {
  const w = adminWords().audit
  const members = useMembers(organization) ?? []
  const spaces = useSpaces(organization) ?? []
  const set = (name: string) => (value: string) => setQuery({ [name]: value === '' ? null : value, row: null })
  return (
    <>
      <Pick
        label={w.who}
        value={parameter('actor')}
        of={[['', w.anyone], ...members.map(({ id, user }) => [id, user.displayName] as const)]}
        onChange={set('actor')}
      />
      <Pick
        label={w.what}
        value={parameter('operation')}
        of={[['', w.anyAction], ...Object.entries(w.operations)]}
        onChange={set('operation')}
      />
      <Pick
        label={w.space}
        value={parameter('space')}
        of={[['', w.anySpace], ...spaces.map(({ id, title }) => [id, title] as const)]}
        onChange={set('space')}
      />
      <Pick
        label={w.result}
        value={parameter('outcome')}
        of={[
          ['', w.anyResult],
          ['succeeded', w.outcomes.succeeded],
          ['refused', w.outcomes.refused],
          ['failed', w.outcomes.failed],
        ]}
        onChange={set('outcome')}
      />
      <Pick
        label={w.period}
        value={parameter('days', '7')}
        of={[
          ['1', w.days1],
          ['7', w.days7],
          ['30', w.days30],
          ['0', w.daysAll],
        ]}
        onChange={(days) => setQuery({ days: days === '7' ? null : days, row: null })}
      />
    </>
  )
}

const loadPage = (organization: string, page: { limit: number; page?: string }) =>
  body(
    api.GET('/v1/orgs/{organizationId}/audit-log', {
      params: { path: { organizationId: organization }, query: { ...page, ...query() } },
    }),
  )

/** Returns the name of an operation. Those of earlier releases have the names from the API. */
function actionOf({ operation }: Entry): string {
  const names: Readonly<Record<string, string>> = adminWords().audit.operations
  return (
    names[operation] ?? operation.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
  )
}

const OUTCOMES: Record<Entry['outcome'], [Tone, IconName]> = {
  succeeded: ['good', 'check'],
  refused: ['wait', 'shield'],
  failed: ['bad', 'warn'],
}

function Log({ organization }: { organization: Organization }) {
  const w = adminWords().audit
  const members = new Map((useMembers(organization.id) ?? []).map(({ id, user }) => [id, user.displayName]))
  const list = usePages<Entry>(`orgs/${organization.id}/audit?${JSON.stringify(query())}`, (page) =>
    loadPage(organization.id, page),
  )
  return (
    <Show data={list.data} retry={() => void list.again()}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="list" title={w.none} />
        ) : (
          <>
            <div class="panel">
              <table class="tbl cards">
                <thead>
                  <tr>
                    <th>{w.time}</th>
                    <th>{w.who}</th>
                    <th>{w.what}</th>
                    <th>{w.result}</th>
                    <th class="hide-m">{w.from}</th>
                    <th>
                      <span class="vh">{w.details}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((entry) => (
                    <Row
                      key={entry.id}
                      organization={organization}
                      entry={entry}
                      actor={members.get(entry.actor.user) ?? w.someone}
                    />
                  ))}
                </tbody>
              </table>
            </div>
            <ListEnd of={list}>{w.kept}</ListEnd>
          </>
        )
      }
    </Show>
  )
}

function Row({ organization, entry, actor }: { organization: Organization; entry: Entry; actor: string }) {
  const w = adminWords().audit
  const [tone, icon] = OUTCOMES[entry.outcome]
  const spaces = useSpaces(organization.id) ?? []
  const space = spaces.find(({ id }) => id === entry.resources.space)
  return (
    <OpeningRow
      id={entry.id}
      label={fill(w.detailsOf, { time: new Date(entry.at).toLocaleString() })}
      span={6}
      cells={
        <>
          <td class="nw muted">
            <Time iso={entry.at} />
          </td>
          <td>
            <span class="who">
              <Avatar name={actor} size="s" />
              {actor}
            </span>
          </td>
          <td>
            {actionOf(entry)}
            {space && (
              <>
                {' · '}
                <a href={`/s/${space.id}`}>{space.title}</a>
              </>
            )}
          </td>
          <td>
            <Chip tone={tone} icon={icon}>
              {w.outcomes[entry.outcome]}
            </Chip>{' '}
            {entry.overruled && (
              <Chip tone="wait" icon="shield">
                {w.overruled}
              </Chip>
            )}
          </td>
          <td class="hide-m muted nw">{entry.from.address}</td>
        </>
      }
    >
      {() => <Details entry={entry} />}
    </OpeningRow>
  )
}

function Details({ entry }: { entry: Entry }) {
  const w = adminWords().audit
  return (
    <dl class="kv sm">
      {entry.overruled && (
        <>
          <dt>{w.overruled}</dt>
          <dd>{entry.overruled.join(', ')}</dd>
        </>
      )}
      <dt>{w.fields}</dt>
      <dd>
        {entry.members.length === 0 ? '–' : entry.members.join(', ')} <span class="muted">{w.noValues}</span>
      </dd>
      {Object.entries(entry.resources).map(([kind, id]) => (
        <>
          <dt key={kind}>{kind}</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </>
      ))}
      <dt>{w.operation}</dt>
      <dd>
        <code>{entry.operation}</code> · {entry.method} · {entry.status}
      </dd>
      <dt>{w.used}</dt>
      <dd>
        {entry.actor.token === undefined ? w.noToken : fill(w.token, { id: entry.actor.token })}
        {entry.from.userAgent !== undefined && <span class="muted"> · {entry.from.userAgent}</span>}
      </dd>
      <dt>{w.request}</dt>
      <dd>
        <code>{entry.requestId}</code>{' '}
        <button
          type="button"
          class="icb s"
          aria-label={w.copyRequest}
          onClick={() => void navigator.clipboard.writeText(entry.requestId).then(() => toast(words().common.copied))}
        >
          <Icon name="copy" />
        </button>
      </dd>
    </dl>
  )
}

const MAX_EXPORTED = 10_000
const PAGE = 1_000
/** Escapes quotes and spreadsheet formulas. */
const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** Saves the filtered entries as a file, at most ten thousand. */
async function exportCsv(organization: string): Promise<void> {
  const rows = ['time,user,token,operation,method,status,outcome,address,request']
  let page: string | undefined
  do {
    const found = await loadPage(organization, { limit: PAGE, ...(page === undefined ? {} : { page }) })
    for (const { at, actor, operation, method, status, outcome, from, requestId } of found.items)
      rows.push(
        [at, actor.user, actor.token ?? '', operation, method, String(status), outcome, from.address, requestId]
          .map(cell)
          .join(','),
      )
    page = found.next?.page
  } while (page !== undefined && rows.length < MAX_EXPORTED)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([`${rows.join('\r\n')}\r\n`], { type: 'text/csv' }))
  link.download = `audit-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
  toast(fill(adminWords().audit.exported, { count: rows.length - 1 }))
}
