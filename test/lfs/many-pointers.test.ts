import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import { maintainRepository, purgeSpace } from '../../src/domain/upkeep/housekeeping.js'
import { lfsObjects } from '../../src/model/index.js'
import { startConnected } from '../connections/connected.js'
import { pointerOf, startLfs } from '../support/lfs-server.js'
import { longestStretch } from '../support/main-thread.js'
import { suiteWith } from '../support/suite.js'

// @own-process: it measures what the main thread does
const [test, here] = await suiteWith('lfs: many pointers', async () => {
  const lfs = await startLfs()
  const connected = await startConnected({ env: { BINDERY_LFS_LIMIT_BYTES: '4000' } })
  connected.remotes.behaviour.lfs = lfs.handler
  const close = async (): Promise<void> => {
    await connected.close()
    await lfs.close()
  }
  return { ...connected, lfs, close }
})

/** `LFS_POINTERS=10000 npm test -- lfs/many-pointers` has more of them, and `LFS_STRETCHES=1` prints what each step took. */
const POINTERS = Number(process.env.LFS_POINTERS ?? 1_000)
/** In milliseconds. With 10,000 pointers one machine had 122 at most, for the JSON of all files of a revision. */
const LONGEST = 300

test(`${POINTERS} pointers whose objects the server does not have, or that are too large: others have their turn`, async () => {
  const oidOf = (n: number): string => createHash('sha256').update(String(n)).digest('hex')
  const pointers = Array.from({ length: POINTERS }, (_, n) => [`.gitbook/assets/p${n}.png`, pointerOf(oidOf(n), n % 2 === 0 ? 300 : 5_000)])
  const theirs = await here.repository({ 'README.md': '# Home\n', ...Object.fromEntries(pointers) })
  const space = await here.space()
  const { admin, service } = here.service
  const { app } = service
  let copy = ''
  const steps: Record<string, () => Promise<unknown>> = {
    import: () => here.connect(space, { url: theirs.url }),
    revision: () => admin.call('get', `/v1/spaces/${space}/content`).expect(200),
    files: () => admin.call('get', `/v1/spaces/${space}/content/files?limit=100`).expect(200),
    maintenance: () => maintainRepository(app, space),
    copy: async () => (copy = (await admin.call('post', `/v1/spaces/${space}/duplicate`).expect(201)).body.id),
    purge: async () => {
      await admin.call('delete', `/v1/spaces/${copy}`).expect((response) => assert.ok(response.status < 300))
      here.clock.forward(8 * 86_400_000)
      await purgeSpace(app, copy)
    },
  }
  for (const [name, step] of Object.entries(steps)) {
    const longest = await longestStretch(step)
    if (process.env.LFS_STRETCHES) console.log(`${name}: ${Math.round(longest)} ms`)
    assert.ok(longest < LONGEST, `${name}: ${longest} ms`)
    if (name === 'copy') assert.is(await app.store.count(lfsObjects, 'space', copy), POINTERS)
  }
  assert.equal([await app.store.count(lfsObjects, 'space', space), await app.store.count(lfsObjects, 'space', copy)], [POINTERS, 0])
})

test.run()
