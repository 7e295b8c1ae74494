/** The connection of a space and a repository: its state in plain words, the next step, and its runs. */
import { useEffect } from 'preact/hooks'
import { ConnectionEdit } from '../admin/connection-edit.js'
import {
  act,
  branchName,
  type Connection,
  disconnect,
  isOver,
  reloadConnections,
  syncNow,
  useConnections,
} from '../admin/connection-calls.js'
import { ConnectionChip, hostName, shortAddress } from '../admin/connection-words.js'
import { Runs } from '../admin/connection-runs.js'
import { useQuestion } from '../admin/question.js'
import { adminWords } from '../admin/words.js'
import { parameter } from '../admin/lists.js'
import { setQuery } from '../route.js'
import { Icon } from '../shell/icons.js'
import { Empty, Note, Show } from '../shell/notes.js'
import { inWords, Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { SpaceFrame } from '../space/space-frame.js'
import { type Space, useSpace } from '../space/space.js'
import { fill, language, words } from '../words/index.js'
import { Waiting } from '../shell/frame.js'

export function ConnectionScreen({ space: id = '' }: { space?: string }) {
  const space = useSpace(id)
  if (space.value) return <OfSpace space={space.value} />
  return <Waiting title={adminWords().connection.title} data={[space]} />
}

const WHILE_RUNNING_MS = 1_000
const WEEK_MS = 6 * 86_400_000

function OfSpace({ space }: { space: Space }) {
  const w = adminWords().connection
  const connections = useConnections(space.id)
  const all = connections.value ?? []
  const running = all.some(({ lastRun, paused }) => (lastRun ? !isOver(lastRun) : !paused))
  // While a run is active, its progress is polled.
  useEffect(() => {
    const timer = running ? setInterval(() => void reloadConnections(space.id), WHILE_RUNNING_MS) : undefined
    return () => clearInterval(timer)
  }, [running, space.id])
  const [first] = all
  const sync = (connection: Connection) =>
    attempt(async () => {
      await syncNow(connection)
      await reloadConnections(space.id)
    })
  const pause = (connection: Connection) =>
    attempt(async () => {
      await act(connection, connection.paused ? 'resume' : 'pause')
      await reloadConnections(space.id)
    })
  return (
    <SpaceFrame
      space={space}
      title={fill(w.screen, { space: space.title })}
      tab="connection"
      actions={
        first && (
          <>
            {space.permissions.admin && (
              <button type="button" class="btn hide-s" onClick={() => pause(first)}>
                {first.paused ? w.resume : w.pause}
              </button>
            )}
            {space.permissions.triggerGitSync && (
              <button type="button" class="btn primary" disabled={running || first.paused} onClick={() => sync(first)}>
                <Icon name="sync" />
                {w.syncNow}
              </button>
            )}
          </>
        )
      }
    >
      <div class="wide stack l">
        <h1 class="vh">{w.title}</h1>
        <Show data={connections} retry={() => void reloadConnections(space.id)}>
          {(items) =>
            items.length === 0 ? (
              <Empty
                icon="sync"
                title={w.notConnected}
                action={
                  space.permissions.admin && (
                    <a class="btn primary" href={`/s/${space.id}/connection/new`}>
                      <Icon name="plus" />
                      {w.connect}
                    </a>
                  )
                }
              >
                {w.notConnectedLead}
              </Empty>
            ) : (
              items.map((connection) => <One key={connection.id} space={space} connection={connection} />)
            )
          }
        </Show>
      </div>
    </SpaceFrame>
  )
}

function One({ space, connection }: { space: Space; connection: Connection }) {
  return (
    <>
      <Progress connection={connection} />
      <Failure space={space} connection={connection} />
      <Facts space={space} connection={connection} />
      <Runs connection={connection} />
      {parameter('edit') === connection.id && (
        <ConnectionEdit
          connection={connection}
          onClose={() => {
            setQuery({ edit: null })
            void reloadConnections(space.id)
          }}
        />
      )}
    </>
  )
}

/** A running sync, with a number, a unit and a button to stop it. */
export function Progress({ connection }: { connection: Connection }) {
  const w = adminWords().connection
  const run = connection.lastRun
  if (!run || isOver(run)) return null
  const stages: Readonly<Record<string, string>> = w.stages
  return (
    <section class="panel" aria-live="polite">
      <div class="pb stack s">
        <div class="row wrap">
          <b class="grow">{stages[run.stage] ?? w.working}</b>
          {run.work && (
            <span class="muted sm">
              {run.work.total === undefined
                ? fill(w.units[run.work.unit], { done: amount(run.work.done, run.work.unit) })
                : fill(w.unitsOf[run.work.unit], {
                    done: amount(run.work.done, run.work.unit),
                    total: amount(run.work.total, run.work.unit),
                  })}
            </span>
          )}
          <button
            type="button"
            class="btn small"
            onClick={() =>
              attempt(async () => act(connection, 'cancel').then(() => reloadConnections(connection.space)))
            }
          >
            {words().common.cancel}
          </button>
        </div>
        <progress aria-label={w.working} max={100} value={run.progress} />
      </div>
    </section>
  )
}

/** Megabytes, or commits. */
const amount = (count: number, unit: 'bytes' | 'commits'): number =>
  unit === 'bytes' ? Math.round(count / 100_000) / 10 : count

/** "Monday 8:02 AM" within a week, else a date. */
function sinceWhen(iso: string): string {
  const date = new Date(iso)
  const isRecent = Date.now() - date.getTime() < WEEK_MS
  const day = isRecent ? ({ weekday: 'long' } as const) : ({ year: 'numeric', month: 'short', day: 'numeric' } as const)
  return date.toLocaleString(language.value, { ...day, hour: 'numeric', minute: '2-digit' })
}

/** The cause of a failed sync, the state of the content, and the next step. */
function Failure({ space, connection }: { space: Space; connection: Connection }) {
  const w = adminWords().connection
  const { failure } = connection
  if (!failure) return null
  const known: Readonly<Record<string, { title: string; text: string } | undefined>> = w.causes
  const host = hostName(connection)
  const cause = known[failure.cause] ?? w.otherCause
  const again = () =>
    attempt(async () => {
      await act(connection, 'retry')
      await reloadConnections(space.id)
      toast(w.tryingAgain)
    })
  const isConflict = failure.cause === 'conflict'
  const edit = (text: string) => (
    <button type="button" class="btn small primary" onClick={() => setQuery({ edit: connection.id })}>
      {text}
    </button>
  )
  return (
    <Note
      tone={isConflict ? 'wait' : 'bad'}
      actions={
        <>
          {isConflict && failure.changeRequest !== undefined && (
            <a class="btn small primary" href={`/s/${space.id}/c/${failure.changeRequest}/conflicts/1`}>
              {w.resolve}
            </a>
          )}
          {failure.cause === 'unauthorized' && edit(w.newToken)}
          {(failure.cause === 'missing-ref' || failure.cause === 'not-a-repository') && edit(w.correct)}
          <button type="button" class="btn small" onClick={again}>
            {w.tryNow}
          </button>
        </>
      }
    >
      <p>
        <b>{fill(cause.title, { host, since: sinceWhen(failure.since) })}</b> {fill(cause.text, { host })}
      </p>
      <details>
        <summary class="sm">{w.technical}</summary>
        <p class="sm">{failure.message}</p>
      </details>
    </Note>
  )
}

function Facts({ space, connection }: { space: Space; connection: Connection }) {
  const w = adminWords().connection
  const [ask, question] = useQuestion()
  const host = hostName(connection)
  const folder = connection.repoProjectDirectory
  return (
    <section class="panel" aria-labelledby={`facts-${connection.id}`}>
      <div class="ph">
        <h2 class="h grow" id={`facts-${connection.id}`}>
          <Icon name="sync" /> {shortAddress(connection.url)}
        </h2>
        <ConnectionChip connection={connection} />
        {space.permissions.admin && (
          <>
            <button type="button" class="btn small" onClick={() => setQuery({ edit: connection.id })}>
              {w.edit}
            </button>
            <button
              type="button"
              class="btn small quiet"
              onClick={() =>
                ask({
                  title: fill(w.deleteTitle, { repository: shortAddress(connection.url) }),
                  text: w.deleteText,
                  button: w.delete,
                  run: async () => {
                    await disconnect(connection)
                    await reloadConnections(space.id)
                  },
                })
              }
            >
              {w.delete}
            </button>
          </>
        )}
      </div>
      <div class="pb">
        <dl class="kv">
          <dt>{w.branchAndFolder}</dt>
          <dd>
            {branchName(connection.ref)}, {folder === '' || folder === '/' ? w.wholeRepository : folder}
          </dd>
          <dt>{w.direction}</dt>
          <dd>
            {w.directions[connection.direction]}. {connection.direction !== 'import' && w.modes[connection.exportMode]}
          </dd>
          <dt>{w.access}</dt>
          <dd>
            {w.credentials[connection.credential.kind]}{' '}
            {connection.credential.setAt !== undefined && fill(w.setAt, { date: inWords(connection.credential.setAt) })}
          </dd>
          <dt>{w.lastSuccess}</dt>
          <dd>{connection.lastSuccessAt ? <Time iso={connection.lastSuccessAt} /> : w.neverRan}</dd>
          <dt>{w.webhook}</dt>
          <dd>
            <code>{connection.urls.webhook}</code>
            <div class="sm muted">{fill(w.webhookHelp, { host })}</div>
          </dd>
        </dl>
      </div>
      {question}
    </section>
  )
}
