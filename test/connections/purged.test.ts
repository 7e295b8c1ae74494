// Spaces that are purged while their repositories are polled or their imports run.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { pollGroup } from '../../src/domain/connections/poll.js'
import { purgeSpace } from '../../src/domain/upkeep/purge-space.js'
import { type ConnectionDoc, connections, jobs, syncRuns } from '../../src/model/index.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, startConnected } from './connected.js'

const [test, here] = await suiteWith('spaces that are purged during their syncs', () => startConnected())
const { app } = here.service.service

/** Deletes a space and purges it, as housekeeping does a week later. */
async function purge(space: string): Promise<void> {
  await here.service.admin.call('delete', `/v1/spaces/${space}`).expect((response) => assert.ok(response.status < 300))
  here.clock.forward(8 * 86_400_000)
  await purgeSpace(app, space)
}

async function requireGone(space: string): Promise<void> {
  assert.equal(
    [await app.store.find(connections, 'space', space), await app.store.find(syncRuns, 'space', space)],
    [[], []],
  )
  const open = (await app.store.find(jobs, 'lane', space)).filter(
    ({ state }) => state === 'queued' || state === 'running',
  )
  assert.equal(open, [])
  assert.not.ok(existsSync(join(here.service.dir, 'repos', `${space}.git`)))
}

/** Purges a space at the first request to its repository, before the response. */
async function purgedWhen(space: string, asked: (method: string) => boolean): Promise<void> {
  let purged: Promise<void> | undefined
  here.remotes.behaviour.onRequest = async ({ method }) => {
    if (asked(method)) await (purged ??= purge(space))
  }
  await here.forward(2 * POLL_MS)
  delete here.remotes.behaviour.onRequest
  assert.ok(purged, 'it was purged in between')
}

for (const which of [0, 1])
  test(`a poll continues for the other space if ${which === 0 ? 'the older one' : 'the newer one'} is purged`, async () => {
    const repository = await here.repository({ 'README.md': '# Home\n' })
    const both: string[] = []
    const bases: string[] = []
    for (const space of [await here.space(), await here.space()]) {
      both.push(space)
      bases.push((await here.connect(space, { url: repository.url, direction: 'import' })).base)
    }
    await repository.commit({ 'README.md': '# Home\n', 'new.md': '# New\n' })
    const [gone, stays] = [both[which] as string, both[1 - which] as string]
    await purgedWhen(gone, (method) => method === 'GET')
    await here.idle()
    assert.is((await here.files(stays))['new.md'], '# New')
    const { failure, lastRun } = await here.get(bases[1 - which] as string)
    assert.equal([failure, lastRun?.state], [undefined, 'success'])
    await requireGone(gone)
  })

test('another space of the repository polls if the chosen space is purged before the request', async () => {
  const repository = await here.repository({ 'README.md': '# Home\n' })
  const [gone, stays] = [await here.space(), await here.space()]
  const group: ConnectionDoc[] = []
  for (const space of [gone, stays]) {
    const { id } = await here.connect(space, { url: repository.url, direction: 'import' })
    group.push((await app.store.get(connections, id)) as ConnectionDoc)
  }
  await purge(gone)
  await here.idle()
  const head = await repository.commit({ 'README.md': '# Home\n', 'new.md': '# New\n' })
  const { signal } = new AbortController()
  assert.is(await pollGroup(app, group, 'poll', signal), true)
  await here.idle()
  assert.is((await app.store.get(connections, (group[1] as ConnectionDoc).id))?.lastSeenHead, head)
  assert.is(await pollGroup(app, group.slice(0, 1), 'poll', signal), true, 'no connection is left to poll')
})

test('an import or export of a space that is purged in the meantime leaves no data', async () => {
  for (const direction of ['import', 'export'] as const) {
    const repository = await here.repository({ 'README.md': '# Home\n' })
    const space = await here.space()
    await here.connect(space, { url: repository.url, direction: 'both' })
    if (direction === 'import') await repository.commit({ 'README.md': '# Home\n', 'new.md': '# New\n' })
    else await here.write(space, 'Ours', 'Words.')
    await purgedWhen(space, (method) => method === 'POST')
    await here.idle()
    await requireGone(space)
  }
})

test.run()
