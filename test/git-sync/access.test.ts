import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { listSyncRuns, retrySync, unlinkRemote } from '../../src/domain/git-sync/runs.js'
import { requestExport, requestImport } from '../../src/domain/git-sync/request.js'
import type { Role } from '../../src/model/index.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('git sync: permissions and credentials', startFixture)

const SECRET = 'tok3n-s3cret-Xyz'
const docs = { 'README.md': '# Home\n', 'guide.md': '# Guide\n' }
const ref = 'refs/heads/main'

async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work
    return 204
  } catch (error) {
    return (error as { status?: number }).status ?? 500
  }
}

test('new remotes and force need admin, the configured remote review, and standalone edit', async () => {
  const remote = await f.remotes.createRepository('roles.git', { files: docs })
  const space = await f.space()
  const as = async (role: Role): Promise<LoadedSpace> => ({ ...(await f.reload(space)), role })
  const input = { url: remote.url, ref }
  assert.is(await statusOf(requestImport(f.app, f.actor, await as('create'), input)), 403, 'the first link')
  assert.is(await statusOf(requestImport(f.app, f.actor, await as('admin'), input)), 204)
  assert.is(
    await statusOf(
      requestImport(f.app, f.actor, await as('review'), { ...input, url: remote.url.replace(/\.git$/, '') }),
    ),
    204,
    'the same by another spelling',
  )
  assert.is(await statusOf(requestImport(f.app, f.actor, await as('edit'), input)), 403)
  assert.is(await statusOf(requestExport(f.app, f.actor, await as('review'), { ...input, commitMessage: 'x' })), 204)
  assert.is(
    await statusOf(requestExport(f.app, f.actor, await as('review'), { ...input, commitMessage: 'x', force: true })),
    403,
  )
  assert.is(
    await statusOf(requestImport(f.app, f.actor, await as('review'), { ...input, ref: 'refs/heads/other' })),
    403,
  )
  assert.is(
    await statusOf(requestImport(f.app, f.actor, await as('review'), { ...input, repoProjectDirectory: 'docs' })),
    403,
  )
  assert.is(await statusOf(requestImport(f.app, f.actor, await as('edit'), { ...input, standalone: true })), 204)
  assert.is(await statusOf(requestImport(f.app, f.actor, await as('comment'), { ...input, standalone: true })), 403)
  await f.last(space)
})

test('hostile URLs, refs and folders are rejected with a 400 before anything is stored', async () => {
  const space = await f.space()
  const bad = [
    { url: 'ext::sh -c touch% /tmp/x' },
    { url: '--upload-pack=touch' },
    { url: 'ssh://git:pw@host/x' },
    { url: `https://host/x?token=${SECRET}` },
    { ref: 'main' },
    { ref: 'refs/heads/' },
    { ref: 'refs/heads/a..b' },
    { ref: 'refs/heads/-x' },
    { ref: 'refs/heads/a b' },
    { ref: 'refs/heads/x.lock' },
    { ref: 'refs/heads/a\nb' },
    { ref: 'refs/tags/v1' },
    { ref: 'refs/pull/1/head' },
    { repoProjectDirectory: '../x' },
    { repoProjectDirectory: 'a/.git' },
    { repoProjectDirectory: 'a\\b' },
    { repoTreeURL: 'javascript:alert(1)' },
  ]
  for (const wrong of bad)
    assert.is(
      await statusOf(requestImport(f.app, f.actor, space, { url: 'https://host/x.git', ref, ...wrong })),
      400,
      JSON.stringify(wrong),
    )
  assert.equal(await listSyncRuns(f.app, space), [])
  assert.is((await f.reload(space)).doc.git, undefined)
})

test('a credential works, expires with its job and is not on disk or in the log', async () => {
  const remote = await f.remotes.createRepository('private.git', { files: docs })
  f.remotes.behaviour.auth = { username: 'x-access-token', password: SECRET }
  try {
    const url = remote.url.replace('http://', `http://x-access-token:${SECRET}@`)
    const space = await f.space()
    const repoTreeURL = `https://me:${SECRET}@example.org/tree`
    assert.is((await f.import(space, { url, repoTreeURL })).result, 'adopted')
    await f.edit(space, { 'new.md': '# New\n' })
    assert.is((await f.export(space, { url })).result, 'exported')

    const wrong = await f.import(space, {
      url: remote.url.replace('http://', `http://x-access-token:wrong-${SECRET}@`),
    })
    assert.is(wrong.state, 'failure')
    assert.match(wrong.error ?? '', /credential/)
    const none = await f.import(space, { url: remote.url })
    assert.is(none.state, 'failure')
    await retrySync(f.app, f.actor, await f.reload(space), { url })
    assert.is((await f.last(space)).state, 'success')

    assert.is(f.app.credentials.size, 0)
    assert.is((await f.reload(space)).doc.git?.repoTreeURL, 'https://example.org/tree')
    const encoded = Buffer.from(`x-access-token:${SECRET}`).toString('base64')
    for (const path of await readdir(f.root, { recursive: true, withFileTypes: true })) {
      if (!path.isFile()) continue
      const text = await readFile(join(path.parentPath, path.name), 'latin1')
      assert.not.ok(text.includes(SECRET) || text.includes(encoded), `${path.parentPath}/${path.name}`)
    }
    assert.not.ok(f.logged.join('\n').includes(SECRET))
  } finally {
    delete f.remotes.behaviour.auth
  }
})

test('a second unlink succeeds, and a later link continues from there', async () => {
  const remote = await f.remotes.createRepository('unlink.git', { files: docs })
  const space = await f.space()
  await f.import(space, { url: remote.url })
  await unlinkRemote(f.app, space)
  await unlinkRemote(f.app, space)
  assert.is((await f.reload(space)).doc.git, undefined)
  assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
  assert.is(await statusOf(retrySync(f.app, f.actor, await f.reload(space), {})), 409, 'nothing failed')
})

test.run()
