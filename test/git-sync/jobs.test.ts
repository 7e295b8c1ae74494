import { Wakes } from '../../src/domain/context/wakes.js'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { listSyncRuns } from '../../src/domain/git-sync/runs.js'
import { requestExport, requestImport } from '../../src/domain/git-sync/request.js'
import { gitImport } from '../../src/jobs/git-sync-job.js'
import { JobInterrupted, type JobKind } from '../../src/jobs/job-kind.js'
import { startWorker } from '../../src/jobs/worker.js'
import { type JobDoc, jobs, syncRuns } from '../../src/model/index.js'
import { moduleArguments } from '../support/own-process.js'
import { suiteWith } from '../support/suite.js'
import { openApp, startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('jobs', startFixture)

const docs = { 'README.md': '# Home\n', 'guide.md': '# Guide\n' }
const QUEUE = { name: 'probe', slots: 2, share: 2 }
const job = (id: string, lane: string, sequence: number): JobDoc => ({
  id,
  kind: 'probe',
  lane,
  payload: {},
  state: 'queued',
  sequence,
  attempts: 0,
  createdAt: new Date(sequence).toISOString(),
})

test('jobs of one queue run in order, and those of different queues in parallel up to a limit', async () => {
  const app = { ...f.app, wakes: new Wakes() }
  await f.worker.idle()
  const order: string[] = []
  const running = new Set<string>()
  let most = 0
  let release: () => void = () => {}
  const together = new Promise<void>((resolve) => (release = resolve))
  const probe: JobKind = {
    kind: 'probe',
    queue: QUEUE,
    async run(_app, { id, lane }) {
      assert.not.ok(running.has(lane), 'one job per lane')
      running.add(lane)
      most = Math.max(most, running.size)
      if (running.size === 2) release()
      await together
      order.push(id)
      running.delete(lane)
      return {}
    },
    failed: (_app, _job, error) => ({ error }),
  }
  for (const draft of [job('a2', 'a', 2), job('a1', 'a', 1), job('b1', 'b', 3), job('c1', 'c', 4)])
    await app.store.insert(jobs, draft)
  const worker = startWorker(app, { kinds: new Map([['probe', probe]]) })
  await worker.idle()
  await worker.stop()
  assert.is(most, 2)
  assert.is(order.length, 4)
  assert.ok(order.indexOf('a1') < order.indexOf('a2'))
  assert.ok(
    (await Promise.all(['a1', 'a2', 'b1', 'c1'].map((id) => app.store.get(jobs, id)))).every(
      (one) => one?.state === 'done' && one.runner === undefined,
    ),
  )
})

test('a graceful stop finishes running jobs and starts no new ones', async () => {
  const app = { ...f.app, wakes: new Wakes() }
  let started: () => void = () => {}
  let release: () => void = () => {}
  const running = new Promise<void>((resolve) => (started = resolve))
  const gate = new Promise<void>((resolve) => (release = resolve))
  const probe: JobKind = {
    kind: 'probe',
    queue: QUEUE,
    async run() {
      started()
      await gate
      return {}
    },
    failed: (_app, _job, error) => ({ error }),
  }
  await app.store.insert(jobs, job('s1', 's', 1))
  await app.store.insert(jobs, job('s2', 's', 2))
  const worker = startWorker(app, { kinds: new Map([['probe', probe]]) })
  await running
  const stopped = worker.stop()
  release()
  await stopped
  assert.is((await app.store.get(jobs, 's1'))?.state, 'done')
  assert.is((await app.store.get(jobs, 's2'))?.state, 'queued')
  await app.store.remove(jobs, 's2')
})

test('a kind with its own slots uses no others, and a stop does not count as a failed try', async () => {
  const app = { ...f.app, wakes: new Wakes() }
  const seen: string[] = []
  const long: JobKind = {
    kind: 'long',
    queue: { ...QUEUE, slots: 1 },
    run: (_app, { id }, signal) => {
      seen.push(id)
      return new Promise((_done, failed) =>
        signal.addEventListener('abort', () => failed(new JobInterrupted('The service is stopping.'))),
      )
    },
    failed: (_app, _job, error) => ({ error }),
  }
  const probe: JobKind = {
    kind: 'probe',
    queue: QUEUE,
    run: async (_app, { id }) => ({ afterwards: async () => void seen.push(id) }),
    failed: (_app, _job, error) => ({ error }),
  }
  for (const draft of [job('l1', 'l1', 1), job('l2', 'l2', 2)]) await app.store.insert(jobs, { ...draft, kind: 'long' })
  for (const draft of [job('p1', 'p1', 3), job('p2', 'p2', 4)]) await app.store.insert(jobs, draft)
  const worker = startWorker(app, { kinds: new Map([long, probe].map((kind) => [kind.kind, kind])) })
  while (seen.length < 3) await new Promise((done) => setTimeout(done, 10))
  assert.equal(seen.sort(), ['l1', 'p1', 'p2'])
  await worker.stop()
  const { state, attempts } = (await app.store.get(jobs, 'l1')) as JobDoc
  assert.equal([state, attempts], ['queued', 0])
  for (const id of ['l1', 'l2']) await app.store.remove(jobs, id)
})

test('follow-up work of a job takes no slot, runs in sequence and ends before the worker is idle', async () => {
  const app = { ...f.app, wakes: new Wakes() }
  const seen: string[] = []
  let release: () => void = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const probe: JobKind = {
    kind: 'probe',
    queue: QUEUE,
    run: async (_app, { id }) => ({
      afterwards: async () => void seen.push(id),
      aside: async () => {
        seen.push(`beside ${id}`)
        await gate
        seen.push(`end ${id}`)
        if (id === 'q1') throw new Error('it may fail')
      },
    }),
    failed: (_app, _job, error) => ({ error }),
  }
  for (const [at, id] of ['q1', 'q2', 'q3'].entries()) await app.store.insert(jobs, job(id, 'q', at))
  const worker = startWorker(app, { kinds: new Map([['probe', probe]]) })
  while (seen.length < 4) await new Promise((done) => setTimeout(done, 10))
  assert.equal([...seen].sort(), ['beside q1', 'q1', 'q2', 'q3'])
  let isIdle = false
  const idle = worker.idle().then(() => (isIdle = true))
  await new Promise((done) => setTimeout(done, 30))
  assert.not.ok(isIdle)
  release()
  await idle
  assert.equal(
    seen.filter((one) => one.includes(' ')),
    ['q1', 'q2', 'q3'].flatMap((id) => [`beside ${id}`, `end ${id}`]),
  )
  await worker.stop()
})

test('an unexpected error is retried later, and finally fails with a message', async () => {
  const remote = await f.remotes.createRepository('odd.git', { files: docs })
  const space = await f.space()
  const { store } = f.app
  const odd: JobKind = { ...gitImport, run: () => Promise.reject(new Error('odd')) }
  await f.worker.idle()
  const app = { ...f.app, wakes: new Wakes() }
  const run = await requestImport(app, f.actor, space, { url: remote.url, ref: 'refs/heads/main' })
  for (let attempt = 1; attempt <= 5; attempt++) {
    const worker = startWorker(app, { kinds: new Map([['git-import', odd]]) })
    await worker.idle()
    await worker.stop()
    const stored = await store.get(jobs, run.id)
    assert.is(stored?.attempts, attempt)
    if (attempt === 5) assert.is(stored?.state, 'failed')
    else {
      assert.ok(stored?.notBefore)
      const { notBefore: _now, ...rest } = stored as NonNullable<typeof stored>
      await store.replace(jobs, rest)
    }
  }
  assert.match((await store.get(syncRuns, run.id))?.error ?? '', /unexpectedly/)
})

test('events of one remote are sorted by time, and others stay in place', async () => {
  const app = { ...f.app, wakes: new Wakes() }
  await f.worker.idle()
  const space = await f.space()
  const input = (ref: string, timestamp?: string) => ({
    url: `${f.remotes.url}/none.git`,
    ref,
    ...(timestamp === undefined ? {} : { timestamp }),
  })
  const late = await requestImport(app, f.actor, space, input('refs/heads/main', '2024-01-02T00:00:00Z'))
  const other = await requestImport(app, f.actor, space, input('refs/heads/other', '2024-01-01T00:00:00Z'))
  const early = await requestExport(app, f.actor, space, {
    ...input('refs/heads/main', '2024-01-01T12:00:00+12:00'),
    commitMessage: 'x',
  })
  const queued = (await app.store.find(jobs, 'lane', space.doc.id)).sort((a, b) => a.sequence - b.sequence)
  assert.equal(
    queued.map((one) => one.id),
    [early.id, other.id, late.id],
  )
  for (const one of queued) await app.store.remove(jobs, one.id)
})

test('a run that a crash interrupted is resumed, or reports that its credential is gone', async () => {
  const remote = await f.remotes.createRepository('open.git', { files: docs })
  const secret = await f.remotes.createRepository('secret.git', { files: docs })
  const root = await mkdtemp(join(tmpdir(), 'bindery-crash-'))
  // Another process queues an import with a credential and one without, stops in the middle of both, and is killed.
  f.remotes.behaviour.neverResponds = 'all'
  const child = spawn(
    process.execPath,
    [
      ...moduleArguments('./crashing-service.js', import.meta.url),
      root,
      remote.url,
      secret.url.replace('http://', 'http://me:pass@'),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let said = ''
  child.stdout.on('data', (piece) => (said += piece))
  const closed = once(child, 'close')
  while (!said.includes('\n') && child.exitCode === null) await Promise.race([once(child.stdout, 'data'), closed])
  child.kill('SIGKILL')
  await closed
  delete f.remotes.behaviour.neverResponds
  assert.is(said, 'running\n')
  f.remotes.behaviour.onRequest = (request) => {
    delete f.remotes.behaviour.auth
    if (request.url.includes('secret.git')) f.remotes.behaviour.auth = { username: 'me', password: 'pass' }
  }
  const { app, close } = await openApp(root, [])
  try {
    const before = await app.store.all(syncRuns)
    assert.equal(
      before.map((run) => run.state),
      ['running', 'running'],
    )
    const worker = startWorker(app)
    await worker.idle()
    await worker.stop()
    const runs = new Map((await app.store.all(syncRuns)).map((run) => [run.url, run]))
    assert.is(runs.get(remote.url)?.result, 'adopted')
    assert.is(runs.get(secret.url)?.state, 'failure')
    assert.match(runs.get(secret.url)?.error ?? '', /restarted .* credential .* lost/)
    assert.ok((await app.store.all(jobs)).every((one) => one.state === 'done' || one.state === 'failed'))
  } finally {
    delete f.remotes.behaviour.onRequest
    delete f.remotes.behaviour.auth
    await close()
    await rm(root, { recursive: true, force: true })
  }
})

test('the history is kept, newest first', async () => {
  const remote = await f.remotes.createRepository('history.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.export(space, { url: remote.url })
  assert.equal(
    (await listSyncRuns(f.app, space)).map((run) => [run.direction, run.result, run.stage, run.progress]),
    [
      ['export', 'unchanged', 'done', 1],
      ['import', 'adopted', 'done', 1],
    ],
  )
})

test.run()
