/** The state machine that saves pages, with servers that fail in every way. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type Effect, isUnsaved, next, opened, type Saving, type SavingEvent } from '../../src/desk/editor/saving.js'
import { suite } from '../support/suite.js'

const test = suite('desk/editor-saving')

/** Runs events and returns the last state with all effects. */
function run(events: readonly SavingEvent[], from: Saving = opened): { state: Saving; effects: Effect[] } {
  let state = from
  const effects: Effect[] = []
  for (const event of events) {
    const step = next(state, event)
    state = step.state
    effects.push(...step.effects)
  }
  return { state, effects }
}
const failed = (status: number): SavingEvent => ({ type: 'failed', status, reason: 'why' })
const typed: SavingEvent = { type: 'edited' }
const due: SavingEvent = { type: 'due' }

test('a text is saved a second after the last key, and counts as saved only after the response', () => {
  const waiting = run([typed, typed])
  assert.equal(waiting.effects.at(-1), { type: 'wait', ms: 1_000 })
  const saving = run([due], waiting.state)
  assert.equal([saving.state.phase, saving.effects.at(-1)], ['saving', { type: 'save' }])
  assert.ok(isUnsaved(saving.state))
  const saved = run([{ type: 'saved', at: 7 }], saving.state).state
  assert.equal([saved.phase, saved.savedAt, isUnsaved(saved)], ['clean', 7, false])
  assert.equal(run([{ type: 'now' }], saved).effects, [])
})

test('a key that is pressed during a save is saved by the next one', () => {
  const { state, effects } = run([typed, due, typed, { type: 'saved', at: 1 }])
  assert.is(state.phase, 'waiting')
  assert.ok(isUnsaved(state))
  assert.equal(effects.at(-1), { type: 'wait', ms: 1_000 })
})

test('a save without response is retried with growing delays, and at once when online', () => {
  let state = run([typed, due]).state
  const pauses: number[] = []
  for (let tries = 0; tries < 7; tries++) {
    const step = next(state, failed(tries % 2 === 0 ? 0 : 503))
    pauses.push(...step.effects.flatMap((one) => (one.type === 'wait' ? [one.ms / 1_000] : [])))
    state = next(step.state, due).state
    assert.is(state.phase, 'saving')
  }
  assert.equal(pauses, [2, 4, 8, 16, 32, 60, 60])
  const offline = run([failed(0), typed], state).state
  assert.is(offline.phase, 'retrying')
  const back = run([{ type: 'online' }], offline)
  assert.equal([back.state.phase, back.state.sent], ['saving', offline.version])
})

for (const [status, phase] of [
  [401, 'signed-out'],
  [403, 'forbidden'],
  [423, 'forbidden'],
  [404, 'gone'],
  [410, 'gone'],
  [413, 'rejected'],
] as const)
  test(`after ${status}, the text is kept and not sent again automatically`, () => {
    const { state, effects } = run([typed, due, failed(status), typed])
    assert.is(state.phase, phase === 'rejected' ? 'waiting' : phase)
    assert.ok(isUnsaved(state))
    if (phase !== 'rejected') assert.is(effects.at(-1)?.type, 'stop-waiting')
  })

test('the text is saved after the user signs in again', () => {
  const { state } = run([typed, due, failed(401), typed, { type: 'signed-in' }])
  assert.equal([state.phase, state.sent], ['saving', 2])
})

test('an outdated text is merged and saved, or waits for a decision', () => {
  const outdated = run([typed, due, failed(412)])
  assert.equal([outdated.state.phase, outdated.effects.at(-1)], ['merging', { type: 'load' }])
  const same = run([{ type: 'merged', result: 'same', at: 3 }], outdated.state).state
  assert.equal([same.phase, isUnsaved(same)], ['clean', false])
  const combined = run([{ type: 'merged', result: 'combined', at: 3 }], outdated.state)
  assert.equal([combined.state.phase, combined.effects.at(-1)], ['saving', { type: 'save' }])
  const conflict = run([{ type: 'merged', result: 'conflict', at: 3 }, typed, due], outdated.state).state
  assert.is(conflict.phase, 'conflict')
  assert.is(run([{ type: 'resolved' }], conflict).state.phase, 'saving')
})

test('after two merges within ten seconds, the next save waits for a longer pause', () => {
  const merge = (at: number): SavingEvent[] => [failed(412), { type: 'merged', result: 'combined', at }]
  const once = run([typed, due, ...merge(1_000)])
  const twice = run(merge(5_000), once.state)
  assert.equal([twice.state.phase, twice.effects.at(-1)], ['waiting', { type: 'wait', ms: 4_000 }])
  const later = run(merge(20_000), once.state)
  assert.is(later.state.phase, 'saving')
})

test('no order of events loses an edit or reports a save that did not happen', () => {
  const event = fc.oneof(
    { weight: 4, arbitrary: fc.constant(typed) },
    fc.constantFrom<SavingEvent>(due, { type: 'now' }, { type: 'online' }, { type: 'signed-in' }, { type: 'resolved' }),
    { weight: 2, arbitrary: fc.constantFrom<SavingEvent>({ type: 'saved', at: 1 }) },
    fc.constantFrom(0, 401, 403, 404, 412, 413, 500, 503).map(failed),
    fc
      .constantFrom('same', 'own', 'combined', 'conflict')
      .map((result): SavingEvent => ({ type: 'merged', result, at: 1 })),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      let state = opened
      let edits = 0
      /** The number of edits that the server has, and of those in the running request. */
      let [stored, sending] = [0, 0]
      let isRunning = false
      for (const one of events) {
        const isResponse = one.type === 'saved' || one.type === 'failed' || one.type === 'merged'
        if (isResponse && !isRunning) continue
        if (one.type === 'saved' || (one.type === 'merged' && one.result === 'same')) stored = sending
        if (one.type === 'edited') edits++
        if (isResponse) isRunning = false
        const step = next(state, one)
        state = step.state
        if (step.effects.some(({ type }) => type === 'save')) {
          assert.not(isRunning, 'one request at a time')
          ;[isRunning, sending] = [true, edits]
        }
        if (step.effects.some(({ type }) => type === 'load')) isRunning = true
        assert.is(isUnsaved(state) || stored === edits, true, 'an unsaved edit is known')
        if (state.phase === 'clean') assert.is(stored, edits)
        const goesOn = step.effects.some(({ type }) => type === 'wait') || isRunning
        if (one.type === 'saved' && state.phase === 'waiting') assert.ok(goesOn, 'the next save follows')
      }
    }),
    { numRuns: 10_000 },
  )
})

test.run()
