import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { changeDocument, findChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { updateFromMain } from '../../src/domain/change-requests/merge-requests.js'
import { resumeSync } from '../../src/domain/git-sync/runs.js'
import { reconcile } from '../../src/domain/upkeep/reconcile.js'
import { startWorker } from '../../src/jobs/worker.js'
import { changeRequests, jobs, type SyncRunDoc, syncRuns } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import { suiteWith } from '../support/suite.js'
import { openApp, startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('resumed syncs', startFixture)

const docs = { 'README.md': '# Home\n', 'guide.md': '# Guide\n\none\n' }
const guide = (text: string): Record<string, string> => ({ 'guide.md': `# Guide\n\n${text}\n` })
const bySequence = (runs: readonly SyncRunDoc[]): string[] =>
  [...runs].sort((a, b) => a.sequence - b.sequence).map(({ direction, state }) => `${direction} ${state}`)

for (const place of ['when main has moved', 'when the merge is recorded', 'when the run is queued'])
  test(`a blocked export is resumed once after a kill ${place}`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'bindery-resume-'))
    const remote = await f.remotes.createRepository(`${place.replaceAll(' ', '-')}.git`, { files: docs })
    for (const [branch, text] of [
      ['ours', 'mine'],
      ['theirs', 'theirs'],
    ] as const) {
      await git(remote.path, ['update-ref', `refs/heads/${branch}`, 'main'])
      await remote.commit(guide(text), { ref: `refs/heads/${branch}` })
    }
    const child = spawn(
      process.execPath,
      [...moduleArguments('./killed-merge.js', import.meta.url), root, remote.url, remote.path, place],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const [, signal] = await once(child, 'close')
    assert.is(signal, 'SIGKILL')
    const { app, close } = await openApp(root, [])
    try {
      assert.not.ok((await app.store.all(syncRuns)).some(({ result }) => result === 'exported'))
      await reconcile(app)
      const worker = startWorker(app)
      app.wakes.connect({ jobs: worker.wake })
      await worker.idle()
      await worker.stop()
      assert.equal(bySequence(await app.store.all(syncRuns)), ['import success', 'export conflict', 'export success'])
      assert.is((await f.remoteFiles(remote.url))['guide.md'], '# Guide\n\nboth')
      assert.ok((await app.store.all(jobs)).every(({ state }) => state === 'done'))
    } finally {
      await close()
      await rm(root, { recursive: true })
    }
  })

test('a merge that the service records resumes the sync, and a repeated job queues nothing more', async () => {
  const remote = await f.remotes.createRepository('recorded.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await f.edit(space, guide('mine'))
  await remote.commit(guide('theirs'))
  const blocked = await f.export(space, { url: remote.url })
  const id = blocked.changeRequest ?? ''
  const held = await findChangeRequest(f.app, await f.reload(space), id)
  assert.ok(held)
  const resolution = { path: 'guide.md', content: '# Guide\n\nboth\n' }
  const { revision } = await updateFromMain(f.app, f.actor, await f.reload(space), held, [resolution])
  // A person merges the branch with plain Git, and a start records the merge.
  await git(space.repo.path, ['update-ref', 'refs/heads/main', revision])
  await changeDocument(f.app, id, (stored) => ({
    ...stored,
    status: 'merged',
    revisionMerged: revision,
    updatedAt: new Date().toISOString(),
  }))
  const run = await f.last(space)
  assert.is(run.result, 'exported')
  assert.is(run.requestedBy, blocked.requestedBy)
  assert.is((await f.app.store.get(changeRequests, id))?.mergedBy, undefined)
  await resumeSync(f.app, id)
  assert.is((await f.last(space)).id, run.id)
})

test.run()
