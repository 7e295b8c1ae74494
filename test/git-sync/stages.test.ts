import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { listSyncRuns } from '../../src/domain/git-sync/runs.js'
import { requestExport, requestImport } from '../../src/domain/git-sync/request.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('stages of a sync', startFixture)

for (const first of [true, false])
  for (const direction of ['import', 'export'] as const)
    test(`${direction}: a run reports the fetch while it is running${first ? ', even the first one' : ''}`, async () => {
      const remote = await f.remotes.createRepository(`${direction}-${first}.git`, {
        files: { 'README.md': '# Home\n' },
      })
      const space = await f.space()
      if (!first) await f.import(space, { url: remote.url })
      await remote.commit({ 'new.md': '# New\n' })
      let posts = 0
      let release: () => void = () => {}
      const gate = new Promise<void>((resolve) => (release = resolve))
      const held = new Promise<void>((resolve) => {
        f.remotes.behaviour.onRequest = async (request) => {
          if (request.method !== 'POST' || !request.url.includes('upload-pack')) return
          // The fetch lists refs before it asks for the pack. An export has listed them with ls-remote before that.
          if (++posts < (direction === 'import' ? 2 : 3)) return
          resolve()
          await gate
        }
      })
      const input = { url: remote.url, ref: 'refs/heads/main' }
      await (direction === 'import'
        ? requestImport(f.app, f.actor, await f.reload(space), input)
        : requestExport(f.app, f.actor, await f.reload(space), { ...input, commitMessage: 'x' }))
      await held
      const stage = (await listSyncRuns(f.app, space))[0]?.stage
      release()
      await f.worker.idle()
      delete f.remotes.behaviour.onRequest
      await wait(0)
      assert.is(stage, 'fetching')
    })

test.run()
