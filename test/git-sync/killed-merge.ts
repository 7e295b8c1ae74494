import { findChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { mergeChangeRequest, updateFromMain } from '../../src/domain/change-requests/merge-requests.js'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { requestExport, requestImport } from '../../src/domain/git-sync/request.js'
import { listSyncRuns, resumeSync } from '../../src/domain/git-sync/runs.js'
import { createSpace } from '../../src/domain/spaces/spaces.js'
import { startWorker } from '../../src/jobs/worker.js'
import type { RefName } from '../../src/kernel/ids.js'
import { spaces } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { insertOrganization, openApp } from '../support/sync-fixture.js'

// Run by resume.test.ts in its own process: creates a space with a blocked export and a resolved conflict, merges the
// change request, and kills itself at a place.
const [root = '', url = '', remotePath = '', place = ''] = process.argv.slice(2)
const ref = 'refs/heads/main' as RefName
const { app } = await openApp(root, [])
const { organization, actor } = await insertOrganization(app)
const worker = startWorker(app)
app.wakes.connect({ jobs: worker.wake })
const space = await createSpace(app, actor, organization, {})
const reload = async (): Promise<LoadedSpace> => ({
  ...space,
  doc: (await app.store.get(spaces, space.doc.id)) ?? space.doc,
})
await requestImport(app, actor, await reload(), { url, ref })
await worker.idle()
await git(space.repo.path, ['fetch', '--quiet', remotePath, `+ours:${ref}`])
await git(remotePath, ['update-ref', ref, 'theirs'])
await requestExport(app, actor, await reload(), { url, ref, commitMessage: 'Blocked' })
await worker.idle()
const [run] = await listSyncRuns(app, space)
const held = async () => {
  const found = await findChangeRequest(app, await reload(), run?.changeRequest ?? '')
  if (!found) throw new Error(`no conflict: ${run?.state} ${run?.error}`)
  return found
}
await updateFromMain(app, actor, await reload(), await held(), [{ path: 'guide.md', content: '# Guide\n\nboth\n' }])
await worker.stop()
app.wakes.connect({})

const main = space.repo.refs.head(ref)
const kill = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
const merging = await held()
if (place === 'when main has moved') {
  const { transact } = app.store
  app.store.transact = (work) => (space.repo.refs.head(ref) === main ? transact.call(app.store, work) : kill()) as never
}
await mergeChangeRequest(app, actor, await reload(), merging)
if (place === 'when the run is queued') await resumeSync(app, merging.doc.id)
await kill()
