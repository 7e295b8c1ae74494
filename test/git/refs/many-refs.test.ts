// The data that a new change request reads from the repository does not grow with the number of refs.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { admin } from '../fixture.js'

// @own-process: it counts what the whole process reads
// @embedded-only: plain-git
const [test, here] = await suiteWith('a repository with 10,000 refs', startService)

const changed = ['readFileSync', 'readdirSync', 'openSync', 'statSync'] as const

/**
 * Counts how often files below `folder` were opened or checked, except objects, and how many bytes and names were
 * read, while `work` ran.
 */
async function readsOf(folder: string, work: () => Promise<void>): Promise<{ calls: number; read: number }> {
  const counted = { calls: 0, read: 0 }
  const originals = changed.map((name) => [name, fs[name]] as const)
  for (const [name, original] of originals) {
    const counting = (path: unknown, ...more: unknown[]): unknown => {
      const found = (original as (...args: unknown[]) => unknown)(path, ...more)
      if (!String(path).startsWith(folder) || String(path).startsWith(join(folder, 'objects'))) return found
      counted.calls++
      if (name === 'readFileSync' || name === 'readdirSync') counted.read += (found as { length: number }).length
      return found
    }
    Object.assign(fs, { [name]: counting })
  }
  syncBuiltinESMExports()
  try {
    await work()
    return counted
  } finally {
    Object.assign(fs, Object.fromEntries(originals))
    syncBuiltinESMExports()
  }
}

test('creating a change request reads no more data in a repository with many refs', async () => {
  const { caller, organization, dir } = here
  const { call } = await caller('admin')
  const made = await call('post', `/v1/orgs/${organization}/spaces`, { title: 'Many' }).expect(201)
  const repository = { path: join(dir, 'repos', `${made.body.id}.git`) }
  const ask = async (): Promise<void> =>
    void (await call('post', `/v1/spaces/${made.body.id}/change-requests`, {}).expect(201))
  await ask()
  const few = await readsOf(repository.path, ask)
  assert.ok(few.calls > 0 && few.read > 0, 'reads are counted')

  const head = admin(repository, ['rev-parse', 'refs/heads/main'])
  const names = [...Array(8_000).keys()].map((n) => `refs/heads/change-requests/${700_000 + n}`)
  fs.writeFileSync(
    join(repository.path, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${names.map((name) => `${head} ${name}\n`).join('')}`,
  )
  for (let n = 0; n < 2_000; n++)
    fs.writeFileSync(join(repository.path, 'refs/heads/change-requests', String(800_000 + n)), `${head}\n`)
  assert.is(admin(repository, ['for-each-ref', '--format=x', 'refs/heads/change-requests']).split('\n').length, 10_002)
  // A file of refs that was changed within the last second may change again with the same times, so it is not cached.
  while (Date.now() - fs.statSync(join(repository.path, 'packed-refs')).ctimeMs < 1_200) await sleep(100)
  await ask()
  const many = await readsOf(repository.path, ask)
  assert.ok(many.calls <= few.calls + 10, `${many.calls} files looked at, ${few.calls} with few refs`)
  assert.ok(many.read <= few.read + 1_000, `${many.read} bytes and names read, ${few.read} with few refs`)
})

test.run()
