import { existsSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { overlay } from '../../src/kernel/overlay.js'
import { createChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { queueHousekeeping } from '../../src/domain/upkeep/housekeeping.js'
import { deleteSpace } from '../../src/domain/spaces/spaces.js'
import { changeRequests, jobs, spaces, syncRuns } from '../../src/model/index.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { changeRequestRef, MAIN } from '../../src/domain/context/refs.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'
import { anyLease } from '../support/lease.js'

const [test, f] = await suiteWith('housekeeping', startFixture)

const later = (days: number) => ({ ...f.app, clock: { now: () => new Date(Date.now() + days * 24 * 60 * 60 * 1000) } })

test('a deleted space is purged after seven days, and other spaces are maintained', async () => {
  const remote = await f.remotes.createRepository('purged.git', { files: { 'README.md': '# Home\n' } })
  const [gone, kept] = [await f.space(), await f.space()]
  await f.import(gone, { url: remote.url })
  await createChangeRequest(f.app, f.actor, await f.reload(gone), {}, { lease: anyLease })
  await deleteSpace(f.app, f.actor, gone)
  f.app.clock = later(6).clock
  assert.is(await queueHousekeeping(f.app), 2)
  assert.is(await queueHousekeeping(f.app), 0, 'once a day')
  await f.worker.idle()
  assert.ok(await f.app.store.get(spaces, gone.doc.id), 'it can still be restored')

  f.app.clock = later(8).clock
  await queueHousekeeping(f.app)
  await f.worker.idle()
  assert.is(await f.app.store.get(spaces, gone.doc.id), null)
  assert.equal(await f.app.store.find(changeRequests, 'space', gone.doc.id), [])
  assert.equal(await f.app.store.find(syncRuns, 'space', gone.doc.id), [])
  assert.not.ok(existsSync(gone.repo.path))
  assert.ok(existsSync(kept.repo.path))
  assert.equal(await kept.repo.upkeep.check(), [])
  assert.ok((await f.app.store.all(jobs)).every((job) => job.state === 'done'))
})

test('a new change request reads only its own ref and skips an existing ref with its number', async () => {
  const space = await f.space()
  const head = space.repo.refs.head(MAIN) as CommitId
  const named = (number: number) => ({ ref: changeRequestRef(number), from: null, to: head })
  await space.repo.refs.move([named(1), ...Array.from({ length: 200 }, (_, n) => named(1000 + n))], 'begin', anyLease)
  const watched = {
    ...space,
    repo: overlay(() => space.repo, {
      refs: overlay(() => space.repo.refs, { list: () => Promise.reject(new Error('all refs were listed')) }),
    }),
  }
  const { doc } = await createChangeRequest(f.app, f.actor, watched, {}, { lease: anyLease })
  assert.is(doc.number, 2)
  assert.is(space.repo.refs.head(changeRequestRef(2)), head)
})

test('a sync that is queued after housekeeping runs before it', async () => {
  const remote = await f.remotes.createRepository('before.git', { files: { 'README.md': '# Home\n' } })
  const space = await f.space()
  f.app.clock = later(20).clock
  await queueHousekeeping(f.app)
  assert.is((await f.import(space, { url: remote.url })).state, 'success')
  assert.ok((await f.app.store.find(jobs, 'lane', space.doc.id)).some((job) => job.sequence === 1))
})

test.run()
