/** Tests the folder of stored PDFs. */
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openFileShelf } from '../../src/disk/file-shelf.js'
import type { PrintResult } from '../../src/printing/index.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('shelf of PDFs', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-shelf-'))
  const shelf = openFileShelf<PrintResult>(dir, 'book.pdf', 2_500)
  return {
    dir,
    shelf,
    async put(owner: string, key: string) {
      const folder = await shelf.workFolder(key)
      await writeFile(join(folder, 'book.pdf'), 'x'.repeat(1_000))
      await shelf.keep(owner, key, folder, { pages: 1, bytes: 1_000, missingGlyphs: [], peakBytes: 0 })
    },
    close: () => rm(dir, { recursive: true, force: true }),
  }
})

const age = async (owner: string, key: string, seconds: number): Promise<void> => {
  const then = new Date(Date.now() - seconds * 1000)
  await utimes(join(here.dir, owner, `${key}.pdf`), then, then)
}

test('the least recently used PDFs are deleted', async () => {
  await here.put('a', 'one')
  await here.put('a', 'two')
  await age('a', 'one', 100)
  await age('a', 'two', 200)
  assert.ok(await here.shelf.find('a', 'two'))
  await here.put('b', 'three')
  assert.is(await here.shelf.find('a', 'one'), null)
  assert.ok(await here.shelf.find('a', 'two'))
  assert.ok(await here.shelf.find('b', 'three'))
  await here.shelf.remove('a')
  assert.equal(await readdir(here.dir), ['b'])
})

test('an incomplete PDF file is ignored', async () => {
  await truncate(join(here.dir, 'b', 'three.pdf'), 500)
  assert.is(await here.shelf.find('b', 'three'), null)
})

test('a folder that a crash left is removed when the next book is printed', async () => {
  await here.shelf.workFolder('first')
  await here.shelf.workFolder('second')
  assert.equal(
    (await readdir(here.dir)).filter((name) => name.startsWith('.work')),
    ['.work-second'],
  )
})

test('PDF names cannot escape the folder', async () => {
  await here.shelf.find('..', 'x').then(
    () => assert.unreachable(),
    (error) => assert.match(error.message, 'is not a valid name'),
  )
})

test.run()
