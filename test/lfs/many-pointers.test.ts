import { createHash } from 'node:crypto'
import type { Response } from 'supertest'
import * as assert from 'uvu/assert'
import { maintainRepository } from '../../src/domain/upkeep/housekeeping.js'
import { purgeSpace } from '../../src/domain/upkeep/purge-space.js'
import { lfsObjects } from '../../src/model/index.js'
import { startConnected } from '../connections/connected.js'
import { pointerOf, startLfs } from '../support/lfs-server.js'
import { longestStretch } from '../support/main-thread.js'
import { suiteWith } from '../support/suite.js'

// @own-process: it measures what the main thread does
const [test, here] = await suiteWith('lfs: many pointers', async () => {
  const lfs = await startLfs()
  // As in production: checking a response of several megabytes takes longer than creating it.
  const connected = await startConnected({ env: { BINDERY_LFS_LIMIT_BYTES: '4000', BINDERY_CHECK_RESPONSES: 'false' } })
  connected.remotes.behaviour.lfs = lfs.handler
  const close = async (): Promise<void> => {
    await connected.close()
    await lfs.close()
  }
  return { ...connected, lfs, close }
})

/** The client runs in this process. It reads the bytes and does not parse them. */
const unread = (response: Response, done: (error: Error | null, body: unknown) => void): void =>
  void (response as unknown as NodeJS.ReadableStream).resume().on('end', () => done(null, null))

/**
 * `LFS_POINTERS=10000 npm test -- lfs/many-pointers` uses more pointers. `LFS_STRETCHES=1` prints the duration of each
 * step.
 */
const POINTERS = Number(process.env.LFS_POINTERS ?? 1_000)
/**
 * In milliseconds. With 10,000 pointers, one machine measured at most 92 for the copy of a space and 25 for a revision.
 */
const LONGEST = 300

test(`${POINTERS} pointers with missing or oversized objects do not block other work`, async () => {
  const oidOf = (n: number): string => createHash('sha256').update(String(n)).digest('hex')
  const pointers = Array.from({ length: POINTERS }, (_, n) => [
    `.gitbook/assets/p${n}.png`,
    pointerOf(oidOf(n), n % 2 === 0 ? 300 : 5_000),
  ])
  const theirs = await here.repository({ 'README.md': '# Home\n', ...Object.fromEntries(pointers) })
  const space = await here.space()
  const { admin, service } = here.service
  const { app } = service
  let copy = ''
  const steps: Record<string, () => Promise<unknown>> = {
    import: () => here.connect(space, { url: theirs.url }),
    revision: () => admin.call('get', `/v1/spaces/${space}/content`).buffer(true).parse(unread).expect(200),
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
  assert.equal(
    [await app.store.count(lfsObjects, 'space', space), await app.store.count(lfsObjects, 'space', copy)],
    [POINTERS, 0],
  )
})

test.run()
