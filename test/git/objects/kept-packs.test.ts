import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Disk, disk } from '../../../src/git/objects/disk.js'
import { KeptPacks } from '../../../src/git/objects/kept-packs.js'
import { suiteWith } from '../../support/suite.js'

const [test, folder] = await suiteWith(
  'packs that are protected',
  async () => mkdtempSync(join(tmpdir(), 'bindery-kept-')),
  (path) => rmSync(path, { recursive: true }),
)

test('a maintenance that begins while the file of a pack is made does not take it for a left-over', async () => {
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

test('whoever writes the same pack at the same time waits until its file is there, and each has it until its commits are named', async () => {
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

test('a file that cannot be made is an error, and nothing is protected', async () => {
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
