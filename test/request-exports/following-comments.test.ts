/** Comments stay with their blocks while the change request is also a pull request that people change on the host. */
import * as assert from 'uvu/assert'
import { type Host, followComments } from '../comments/following.js'
import { deskOf } from '../commits/fixture.js'
import type { Files } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { removeConnections } from '../support/remove-connections.js'
import { seeds, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { MINUTE, startExporting } from './fixture.js'

const [test, here] = await suiteWith('comments of exported change requests', startExporting)
test.afterEach(() => removeConnections(here.service))

async function open(files: Files) {
  const story = await here.connected(files)
  const desk = await deskOf(here.service, story.space)
  const branch = `bindery/${story.space}/change-request-1`
  const ref = `refs/heads/${branch}`
  /** Waits until the pull request and the change request have the same files. */
  const inStep = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) await here.forward(20 * MINUTE)
    assert.is((await story.exported(1)).problem ?? null, null)
    assert.equal(await story.remoteFiles(ref), await story.files('refs/heads/change-requests/1'))
  }
  const host: Host = {
    export: async (request) => {
      if (story.host.repository.pulls.length === 0) {
        await request.write([{ operation: 'insert_page', title: 'Start', document: { markdown: 'Words.\n' } }])
        await story.export(request.number)
      }
      await inStep()
    },
    push: async (changes) => {
      await story.bare.commit(changes, { ref })
      await inStep()
    },
    mergeBase: async () => {
      const tree = await git(story.bare.path, ['merge-tree', '--write-tree', ref, 'main']).catch(() => null)
      if (tree === null) return
      const parents = ['-p', ref, '-p', 'main']
      const merge = await git(story.bare.path, ['commit-tree', tree.trim(), ...parents, '-m', 'Merge main'])
      await git(story.bare.path, ['update-ref', ref, merge.trim()])
      await inStep()
    },
  }
  return { desk, host }
}

const STEPS = size(8, 100)
for (const seed of seeds(1, 10))
  test(`comments keep their blocks through ${STEPS} steps here and on the host (seed ${seed})`, async () => {
    const played = await followComments(seed, STEPS, open)
    assert.ok(played.some((step) => step.includes('on the host')))
  })

test.run()
