/**
 * Run by kill.test.ts in its own process: runs the maintenance job for the repository of a space, and reports its
 * start and end.
 */
import { startWorker } from '../../src/jobs/worker.js'
import { jobs } from '../../src/model/index.js'
import { openApp } from '../support/sync-fixture.js'

const [root, space] = process.argv.slice(2) as [string, string]
const { app } = await openApp(root, [])
const left = (await app.store.all(jobs)).filter(({ state }) => state === 'queued' || state === 'running')
if (left.length === 0) {
  const createdAt = new Date().toISOString()
  await app.store.insert(jobs, {
    id: 'maintenance',
    kind: 'maintain-repository',
    lane: space,
    payload: { space },
    state: 'queued',
    sequence: 1,
    attempts: 0,
    createdAt,
  })
}
console.log('begun')
const worker = startWorker(app)
await worker.idle()
await worker.stop()
const [job] = await app.store.all(jobs)
console.log(`ended ${job?.state}`)
await app.store.close()
await app.git.close()
process.exit(0)
