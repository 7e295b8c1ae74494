/** The test of a connection, in plain words: what works, what does not, and what to do about it. */
import type { Schemas } from '../api/client.js'
import { Icon, type IconName } from '../shell/icons.js'
import { fill } from '../words/index.js'
import { shortAddress } from './connection-words.js'
import { adminWords } from './words.js'

type Connection = Schemas['Connection']
type Test = Schemas['ConnectionTest']

const ICONS: Record<'ok' | 'bad' | 'no', IconName> = { ok: 'check', bad: 'x', no: 'warn' }

/** Renders the checks. `again` repeats the test. */
export function TestResult({
  connection,
  test,
  again,
  isBusy,
}: {
  connection: Connection
  test: Test
  again: () => void
  isBusy: boolean
}) {
  const w = adminWords().test
  return (
    <section class="panel" aria-labelledby="test">
      <div class="ph">
        <h2 class="h grow" id="test">
          {fill(w.title, { repository: shortAddress(connection.url) })}
        </h2>
        <button type="button" class="btn small" aria-disabled={isBusy || undefined} onClick={again}>
          <Icon name="sync" />
          {w.again}
        </button>
      </div>
      <ul class="list checks">
        {test.checks.map(({ check, ok, message }) => {
          const state = ok ? 'ok' : check === 'protection' ? 'no' : 'bad'
          return (
            <li key={check} class={state}>
              <Icon name={ICONS[state]} />
              <div>
                <b>{w.checks[check][ok ? 'ok' : 'bad']}</b>
                <div class="sm ink2">{message}</div>
              </div>
            </li>
          )
        })}
      </ul>
      <p class="vh" role="status">
        {test.ok ? w.allWell : w.notAll}
      </p>
    </section>
  )
}

/** The remedy for the first check that failed, at this host. Null if no check failed. */
export function TestRemedy({
  connection,
  test,
  actions,
}: {
  connection: Connection
  test: Test
  actions: preact.ComponentChildren
}) {
  const w = adminWords().test
  const failed = test.checks.find(({ ok }) => !ok)
  if (!failed) return null
  const remedy = w.remedies[failed.check]
  return (
    <section class="note bad" aria-labelledby="fix">
      <Icon name="key" />
      <div class="grow">
        <h3 class="h" id="fix">
          {remedy.title}
        </h3>
        <ol>
          <li>{failed.check === 'branch' ? remedy.first : adminWords().credential.where[connection.provider]}</li>
          <li>{remedy.then}</li>
          <li>{w.thenTest}</li>
        </ol>
        <div class="acts">{actions}</div>
      </div>
    </section>
  )
}
