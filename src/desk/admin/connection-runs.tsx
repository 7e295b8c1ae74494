/** The runs of a connection: when, what happened, and the result. A row opens its commits and changes. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, Show, type Tone } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { fill, plural } from '../words/index.js'
import type { Connection, Run } from './connection-calls.js'
import { hostName } from './connection-words.js'
import { Segments } from './form.js'
import { ListEnd, OpeningRow, usePages } from './lists.js'
import { adminWords } from './words.js'

const RESULTS: Record<Run['state'], [Tone, IconName]> = {
  queued: ['', 'clock'],
  running: ['', 'sync'],
  success: ['good', 'check'],
  failure: ['bad', 'x'],
  conflict: ['wait', 'warn'],
  cancelled: ['', 'x'],
}
const SECOND = 1_000

export function Runs({ connection }: { connection: Connection }) {
  const w = adminWords().runs
  const [shown, setShown] = useState<'all' | 'problems'>('all')
  const path = { spaceId: connection.space, connectionId: connection.id }
  const list = usePages<Run>(`space/${connection.space}/connections/${connection.id}/runs`, (query) =>
    body(api.GET('/v1/spaces/{spaceId}/git/connections/{connectionId}/runs', { params: { path, query } })),
  )
  return (
    <section class="stack s">
      <div class="panel">
        <div class="ph">
          <h2 class="h grow">{w.title}</h2>
          <Segments
            label={w.show}
            value={shown}
            of={[
              ['all', w.all],
              ['problems', w.problems],
            ]}
            onChange={setShown}
          />
        </div>
        <Show data={list.data} lines={4}>
          {({ items }) => {
            const rows = items.filter(({ state }) => shown === 'all' || state === 'failure' || state === 'conflict')
            return rows.length === 0 ? (
              <p class="pb muted">{w.none}</p>
            ) : (
              <table class="tbl cards">
                <thead>
                  <tr>
                    <th>{w.when}</th>
                    <th>{w.what}</th>
                    <th class="hide-s">{w.startedBy}</th>
                    <th>{w.result}</th>
                    <th class="num hide-s">{w.took}</th>
                    <th>
                      <span class="vh">{w.details}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((run) => (
                    <Row key={run.id} connection={connection} run={run} />
                  ))}
                </tbody>
              </table>
            )
          }}
        </Show>
      </div>
      <ListEnd of={list} />
    </section>
  )
}

function Row({ connection, run }: { connection: Connection; run: Run }) {
  const w = adminWords().runs
  const [tone, icon] = RESULTS[run.state]
  const took = run.finishedAt ? (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / SECOND : null
  return (
    <OpeningRow
      id={run.id}
      label={fill(w.detailsOf, { direction: w.directions[run.direction] })}
      span={6}
      cells={
        <>
          <td>
            <Icon name={run.direction === 'import' ? 'arrow-down' : 'arrow-up'} />{' '}
            <span class="vh">{w.directions[run.direction]}</span>
            <span class="nw">
              <Time iso={run.startedAt} />
            </span>
          </td>
          <td>{run.error ?? (run.result ? w.results[run.result] : w.states[run.state])}</td>
          <td class="hide-s muted">{run.trigger ? w.triggers[run.trigger] : ''}</td>
          <td>
            <Chip tone={run.result === 'unchanged' ? '' : tone} icon={icon}>
              {run.result === 'unchanged' ? w.upToDate : w.states[run.state]}
            </Chip>
          </td>
          <td class="num hide-s muted nw">
            {took === null ? '' : fill(w.seconds, { count: Math.round(took * 10) / 10 })}
          </td>
        </>
      }
    >
      {() => <Details connection={connection} run={run} />}
    </OpeningRow>
  )
}

function Details({ connection, run }: { connection: Connection; run: Run }) {
  const w = adminWords().runs
  const details = useData(`space/${connection.space}/run/${run.id}`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/git/connections/{connectionId}/runs/{runId}', {
        params: { path: { spaceId: connection.space, connectionId: connection.id, runId: run.id }, query: {} },
      }),
    ),
  )
  return (
    <Show data={details} lines={2}>
      {({ commits, moreCommits, changes, more, remoteRevision, revision }) => (
        <dl class="kv sm">
          <dt>{w.commits}</dt>
          <dd>
            {commits.length === 0 ? w.noCommits : commits.map(({ message }) => `“${message}”`).join(', ')}
            {moreCommits && ` ${w.moreCommits}`}
          </dd>
          <dt>{w.changed}</dt>
          <dd>{plural(w.changes, changes.length + (more ?? 0))}</dd>
          {(remoteRevision ?? revision) !== undefined && (
            <>
              <dt>{w.revisions}</dt>
              <dd>
                {fill(w.revisionPair, {
                  there: (remoteRevision ?? '–').slice(0, 7),
                  here: (revision ?? '–').slice(0, 7),
                  host: hostName(connection),
                })}
              </dd>
            </>
          )}
          {run.error !== undefined && (
            <>
              <dt>{w.error}</dt>
              <dd>{run.error}</dd>
            </>
          )}
        </dl>
      )}
    </Show>
  )
}
