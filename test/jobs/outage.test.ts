import { Wakes } from '../../src/domain/context/wakes.js'
import * as assert from 'uvu/assert'
import { startWebhookSender } from '../../src/jobs/webhook-sender.js'
import { startWorker } from '../../src/jobs/worker.js'
import type { JobKind } from '../../src/jobs/job-kind.js'
import { type JobDoc, jobs } from '../../src/model/index.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

// The database is unavailable for a while. No one restarts the server or requests the job again.
const [test, f] = await suiteWith('jobs without a database', startFixture)

const REST_MS = 20

/**
 * The app with a store that rejects everything while `away.now`. `asked` counts rejections, `listed` counts reads of
 * a list.
 */
function withOutages() {
  const away = { now: false, asked: 0, listed: 0 }
  const store = new Proxy(f.app.store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown => {
        if (!away.now) {
          if (name === 'page') away.listed++
          return member.apply(target, given)
        }
        away.asked++
        return Promise.reject(new Error('The database is away.'))
      }
    },
  })
  return { app: { ...f.app, store, wakes: new Wakes() }, away }
}

const QUEUE = { name: 'probe', slots: 2, share: 2 }
const job = (id: string, more: Partial<JobDoc> = {}): JobDoc => ({
  id,
  kind: 'probe',
  lane: id,
  payload: {},
  state: 'queued',
  sequence: 1,
  attempts: 0,
  createdAt: new Date(0).toISOString(),
  ...more,
})
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 5))
}
const isDone = async (id: string): Promise<boolean> => (await f.app.store.get(jobs, id))?.state === 'done'

test('a job whose end could not be stored runs again when the database is back', async () => {
  const { app, away } = withOutages()
  let runs = 0
  const probe: JobKind = {
    kind: 'probe',
    queue: QUEUE,
    async run() {
      away.now = ++runs === 1
      return {}
    },
    failed: (_app, _job, error) => ({ error }),
  }
  await f.app.store.insert(jobs, job('ends-in-an-outage'))
  const worker = startWorker(app, { kinds: new Map([['probe', probe]]), restMs: REST_MS })
  // The end, the requeue, and two polls.
  await until(() => away.asked >= 4)
  assert.is((await f.app.store.get(jobs, 'ends-in-an-outage'))?.state, 'running')
  away.now = false
  await until(() => isDone('ends-in-an-outage'))
  assert.is(runs, 2)
  await worker.stop()
})

test('old and new jobs run even if the database is unavailable at the start', async () => {
  const { app, away } = withOutages()
  const ran: string[] = []
  const probe: JobKind = {
    kind: 'probe',
    queue: QUEUE,
    async run(_app, { id }) {
      ran.push(id)
      return {}
    },
    failed: (_app, _job, error) => ({ error }),
  }
  away.now = true
  await f.app.store.insert(jobs, job('left', { state: 'running', runner: 'an-earlier-process', attempts: 1 }))
  await f.app.store.insert(jobs, job('new'))
  const worker = startWorker(app, { kinds: new Map([['probe', probe]]), restMs: REST_MS })
  await until(() => away.asked >= 2)
  assert.equal(ran, [])
  away.now = false
  await until(async () => (await isDone('left')) && (await isDone('new')))
  assert.equal(ran.sort(), ['left', 'new'])
  await worker.stop()
})

test('webhooks that could not be read are read when the database is back', async () => {
  const { app, away } = withOutages()
  away.now = true
  const sender = startWebhookSender(app, { restMs: REST_MS })
  await until(() => away.asked >= 2)
  assert.is(away.listed, 0)
  away.now = false
  await until(() => away.listed > 0)
  await sender.stop()
})

test.run()
