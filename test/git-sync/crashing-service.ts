import { requestImport } from '../../src/domain/git-sync/request.js'
import { createSpace } from '../../src/domain/spaces/spaces.js'
import { startWorker } from '../../src/jobs/worker.js'
import { syncRuns } from '../../src/model/index.js'
import { insertOrganization, openApp } from '../support/sync-fixture.js'

// Run by jobs.test.ts in its own process: starts an import into a space for each URL, reports it, and waits to be
// killed.
const [root, ...urls] = process.argv.slice(2)
const { app } = await openApp(root as string, [])
const { organization, actor } = await insertOrganization(app)
const worker = startWorker(app)
app.wakes.connect({ jobs: worker.wake })
for (const url of urls)
  await requestImport(app, actor, await createSpace(app, actor, organization, {}), { url, ref: 'refs/heads/main' })
for (;;) {
  if ((await app.store.all(syncRuns)).every((run) => run.state === 'running')) break
  await new Promise((resolve) => setImmediate(resolve))
}
console.log('running')
setInterval(() => {}, 1000)
