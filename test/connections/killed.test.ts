import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { until } from '../races/server-process.js'
import { startGitHttp } from '../support/git-http.js'
import { git } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('connections: kill -9', async () => {
  const root = await mkdtemp(join(tmpdir(), 'bindery-killed-'))
  const remotes = await startGitHttp({ root })
  const close = async (): Promise<void> => {
    await remotes.close()
    await rm(root, { recursive: true, force: true })
  }
  return { remotes, close }
})

test('an export that was due at a kill is made after the next start', async () => {
  const theirs = await here.remotes.createRepository('docs.git', { files: { 'README.md': '# Home\n' } })
  const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
  const child = spawn(process.execPath, [...moduleArguments('./killed-service.js', import.meta.url), dir, theirs.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: tmpdir() },
  })
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    assert.match(said.toString(), /due/)
  } finally {
    child.kill('SIGKILL')
  }
  await once(child, 'exit')
  const service = await startService({ dir })
  try {
    // Another node leaves the exports to the dead node until its lease expires.
    await until(() =>
      git(theirs.path, ['rev-parse', 'main:due.md']).then(
        () => true,
        () => null,
      ),
    )
    await service.service.idle()
    assert.is(await git(theirs.path, ['show', 'main:due.md']), '# Due')
    assert.is(
      await git(theirs.path, ['show', '-s', '--format=%an', 'main']),
      (await service.admin.call('get', '/v1/user').expect(200)).body.displayName,
    )
  } finally {
    await service.close()
  }
})

test.run()
