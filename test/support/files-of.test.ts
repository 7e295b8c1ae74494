import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createBareRepository } from './bare-repository.js'
import { filesOf } from './files-of.js'
import { suiteWith } from './suite.js'

const [test, dir] = await suiteWith(
  'the files of a commit',
  () => mkdtemp(join(tmpdir(), 'bindery-files-')),
  (made) => rm(made, { recursive: true, force: true }),
)

test('all files of a commit are read byte for byte, whatever their names and texts', async () => {
  const files = {
    'a b.md': 'one\n\ntwo',
    'empty.md': '',
    'new\nline.md': '\n',
    'tab\t.md': 'x',
    'über/ß.md': 'ä\r\n',
    'z.md': '0123 blob 4\n',
  }
  const { path } = await createBareRepository(join(dir, 'files.git'), { files })
  assert.equal(Object.fromEntries(await filesOf(path, 'main')), files)
})

test.run()
