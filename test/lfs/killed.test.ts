import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { until } from '../races/server-process.js'
import { startGitHttp } from '../support/git-http.js'
import { startLfs } from '../support/lfs-server.js'
import { moduleArguments } from '../support/own-process.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('lfs: kill -9', async () => {
  const root = await mkdtemp(join(tmpdir(), 'bindery-killed-'))
  const lfs = await startLfs()
  const remotes = await startGitHttp({ root, lfs: lfs.handler })
  const close = async (): Promise<void> => {
    await remotes.close()
    await lfs.close()
    await rm(root, { recursive: true, force: true })
  }
  return { remotes, lfs, close }
})

test('a download that a kill interrupted is repeated, and no partial file is served', async () => {
  const first = here.lfs.put(Buffer.alloc(2000, 'first'))
  const second = here.lfs.put(Buffer.alloc(200_000, 'second'))
  const files = {
    'README.md': '# Home\n',
    '.gitbook/assets/a.png': first.pointer,
    '.gitbook/assets/b.png': second.pointer,
  }
  const theirs = await here.remotes.createRepository('docs.git', { files })
  // The second download starts and never continues.
  here.lfs.objects.set(second.oid, { hangs: true })
  const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
  const child = spawn(process.execPath, [...moduleArguments('./killed-service.js', import.meta.url), dir, theirs.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: tmpdir() },
  })
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    assert.match(said.toString(), /half/)
  } finally {
    child.kill('SIGKILL')
  }
  await once(child, 'exit')
  const folder = join(dir, 'data', 'lfs')
  assert.is((await readdir(join(folder, 'drafts'))).length, 1, 'what was being written is left')
  assert.ok(existsSync(join(folder, first.oid.slice(0, 2), first.oid)))
  assert.not.ok(existsSync(join(folder, second.oid.slice(0, 2), second.oid)))
  here.lfs.objects.clear()
  here.lfs.downloads.length = 0
  const service = await startService({ dir })
  try {
    // Another node does not take over the job until the lease of the killed node ends.
    await until(() => (here.lfs.downloads.length > 0 ? true : null))
    await service.service.idle()
    assert.equal(await readdir(join(folder, 'drafts')), [])
    assert.equal(
      here.lfs.downloads.map(({ oid }) => oid),
      [second.oid],
      'what was here is not fetched again',
    )
    const [space] = (await service.admin.call('get', `/v1/orgs/${service.organization}/spaces`).expect(200)).body.items
    const { items } = (await service.admin.call('get', `/v1/spaces/${space.id}/content/files`).expect(200)).body
    assert.equal(
      items.map(({ size, lfs }: { size: number; lfs: { state: string } }) => [size, lfs.state]),
      [
        [2000, 'present'],
        [200_000, 'present'],
      ],
    )
  } finally {
    await service.close()
  }
})

test.run()
