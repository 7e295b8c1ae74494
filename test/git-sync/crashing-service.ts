import type { Actor } from '../../src/domain/context/actor.js'
import { requestImport } from '../../src/domain/git-sync/request.js'
import { createSpace } from '../../src/domain/spaces/spaces.js'
import { startWorker } from '../../src/jobs/worker.js'
import { memberships, organizations, syncRuns, users } from '../../src/model/index.js'
import { openApp } from '../support/sync-fixture.js'

// Run by jobs.test.ts in a process of its own: starts an import into a space for each URL, says so, and waits to be killed.
const [root, ...urls] = process.argv.slice(2)
const { app } = await openApp(root as string, [])
const now = new Date().toISOString()
const user = await app.store.insert(users, { id: 'ada', displayName: 'Ada', email: 'ada@example.org', createdAt: now, proof: 'operator' })
const org = {
  id: 'org',
  title: 'Org',
  createdAt: now,
  emailDomains: [],
  type: 'business' as const,
  defaultRole: null,
  defaultContent: null,
  sso: false,
  ai: false,
  inviteLinks: false,
}
const organization = { doc: await app.store.insert(organizations, org), role: 'admin' as const }
await app.store.insert(memberships, { id: 'org:ada', organization: 'org', user: 'ada', role: 'admin', joinedAt: now, disabled: false, sso: false })
const actor: Actor = { user, token: { id: 'token', readOnly: false } }
const worker = startWorker(app, { concurrency: 2 })
app.wakeJobs = worker.wake
for (const url of urls) await requestImport(app, actor, await createSpace(app, actor, organization, {}), { url, ref: 'refs/heads/main' })
for (;;) {
  if ((await app.store.all(syncRuns)).every((run) => run.state === 'running')) break
  await new Promise((resolve) => setImmediate(resolve))
}
console.log('running')
setInterval(() => {}, 1000)
