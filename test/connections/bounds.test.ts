import * as assert from 'uvu/assert'
import { newId, type RefName } from '../../src/kernel/ids.js'
import { connections, syncRuns } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, startConnected } from './connected.js'

const [test, here] = await suiteWith('limits of connections', () => startConnected())
const { store } = here.service.service.app
const home = { 'README.md': '# Home\n' }

test('a space keeps its newest 200 runs', async () => {
  const { admin } = here.service
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base, id } = await here.connect(space, { url: theirs.url })
  const [first] = await store.find(syncRuns, 'space', space)
  assert.ok(first)
  await store.transact(async (tx) => {
    for (let sequence = 2; sequence <= 200; sequence++) {
      const { version: _new, ...run } = first
      await tx.insert(syncRuns, { ...run, id: newId(), sequence })
    }
  })
  const runs = async (): Promise<number[]> =>
    (await store.find(syncRuns, 'space', space)).map(({ sequence }) => sequence).sort((a, b) => a - b)
  assert.equal([(await runs()).length, (await runs())[0]], [200, 1], 'at the bound, nothing is removed')
  await admin.call('post', `${base}/run`).expect(202)
  await here.idle()
  const left = await runs()
  assert.equal([left.length, left[0], left.at(-1)], [200, 2, 201])
  const listed = (await admin.call('get', `${base}/runs?limit=1000`).expect(200)).body.items
  assert.is(listed.length, 200)
  const { lastRun } = await here.get(base)
  assert.is(lastRun?.state, 'success', id)
})

test('a poll of more branches than one request holds finds the new commits of each', async () => {
  const count = 201
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const head = (await theirs.head()) as string
  const refs = Array.from({ length: count }, (_, index): RefName => `refs/heads/b${index}`)
  await git(theirs.path, ['update-ref', '--stdin'], refs.map((ref) => `create ${ref} ${head}\n`).join(''))
  const { id } = await here.connect(space, { url: theirs.url, direction: 'import' })
  const made = await store.get(connections, id)
  assert.ok(made)
  await store.transact(async (tx) => {
    for (const ref of refs) {
      const { version: _new, ...one } = made
      await tx.insert(connections, { ...one, id: newId(), ref, key: `${made.key}-${ref}` })
    }
  })
  const commit = await theirs.commit({ ...home, 'new.md': '# New\n' }, { ref: refs.at(-1) as string })
  const asked = (): number =>
    here.remotes.requests.filter(({ url }) => url.startsWith(new URL(theirs.url).pathname) && url.includes('info/refs'))
      .length
  const before = asked()
  await here.forward(POLL_MS * 1.2)
  assert.is((await here.files(space))['new.md'], '# New')
  const seen = (await store.find(connections, 'space', space)).filter(({ lastSeenHead }) => lastSeenHead === commit)
  assert.equal(
    seen.map(({ ref }) => ref),
    [refs.at(-1)],
  )
  assert.ok(asked() - before <= 3, `two questions and the import, not ${asked() - before}`)
})

test.run()
