import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Disk, disk } from '../../../src/git/objects/disk.js'
import { KeptPacks } from '../../../src/git/objects/kept-packs.js'
import { suiteWith } from '../../support/suite.js'

const [test, folder] = await suiteWith(
  'protected packs',
  async () => mkdtempSync(join(tmpdir(), 'bindery-kept-')),
  (path) => rmSync(path, { recursive: true }),
)

test('maintenance does not delete the unfinished file of a pack', async () => {
  let seen: string[] = []
  const slow: Disk = {
    ...disk,
    write: async (file, bytes) => {
      await disk.write(file, bytes)
      kept.recover()
      seen = readdirSync(folder)
    },
  }
  const kept = new KeptPacks(folder, slow)
  await kept.begin('pack-1')
  assert.equal(seen, ['pack-1.keep'])
  await kept.close()
  assert.equal(readdirSync(folder), [])
})

test('a second writer of a pack waits for its file, and both protect it until refs name it', async () => {
  const kept = new KeptPacks(folder, disk)
  await Promise.all([
    kept.begin('pack-2'),
    kept.begin('pack-2').then(() => assert.equal(readdirSync(folder), ['pack-2.keep'])),
  ])
  kept.until('pack-2', new Map([['a', []]]), null)
  kept.until('pack-2', new Map([['b', []]]), null)
  kept.named(['a'])
  assert.ok(kept.has('pack-2'))
  kept.named(['b'])
  await kept.close()
  assert.equal(readdirSync(folder), [])
})

test('a pack file that cannot be created causes an error and protects nothing', async () => {
  const full: Disk = {
    ...disk,
    open: () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
  }
  const kept = new KeptPacks(folder, full)
  const error = await kept.begin('pack-3').catch((thrown: NodeJS.ErrnoException) => thrown.code)
  assert.is(error, 'ENOSPC')
  assert.not(kept.has('pack-3'))
})

test.run()
