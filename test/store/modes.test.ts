import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { onPostgres } from '../support/on-postgres.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('files of the data folder')

/** Paths below a folder with their modes, in octal. */
function modes(dir: string): Map<string, string> {
  const found = new Map<string, string>([[dir, (statSync(dir).mode & 0o777).toString(8)]])
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) for (const [one, mode] of modes(path)) found.set(one, mode)
    else if (entry.isFile()) found.set(path, (statSync(path).mode & 0o777).toString(8))
  }
  return found
}

test('store files are private to their owner, even in a folder that others could read', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-'))
  const outside = join(dir, 'outside')
  writeFileSync(outside, '')
  chmodSync(outside, 0o644)
  const before = process.umask(0)
  try {
    // A node has no documents in its folder.
    const earlier = join(dir, onPostgres ? 'data' : 'data/store')
    mkdirSync(earlier, { recursive: true, mode: 0o755 })
    const here = await startService({ dir })
    const check = (): void => {
      const found = modes(join(dir, 'data'))
      for (const one of onPostgres ? ['signing-key'] : ['signing-key', '.log'])
        assert.ok(
          [...found.keys()].some((path) => path.endsWith(one)),
          one,
        )
      for (const [path, mode] of found) assert.is(mode, statSync(path).isDirectory() ? '700' : '600', path)
      assert.is(modes(join(dir, 'repos')).get(join(dir, 'repos')), '700', 'what is in the repositories, too')
    }
    check()
    await here.restart()
    check()
    chmodSync(join(dir, 'repos'), 0o755)
    for (const [path] of modes(join(dir, 'data'))) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
    symlinkSync(outside, join(earlier, 'link'))
    await here.restart()
    check()
    assert.is(statSync(outside).mode & 0o777, 0o644)
    await here.close()
  } finally {
    process.umask(before)
    rmSync(dir, { recursive: true, force: true })
  }
})

test.run()
