import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { type GitHttp, startGitHttp } from '../support/git-http.js'
import { git } from '../support/hermetic-git.js'
import { type Caller, startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('preview of a sync')
let service: TestService
let remotes: GitHttp
let served: string
const logged: string[] = []
test.before(async () => {
  served = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  remotes = await startGitHttp({ root: served })
  service = await startService({
    overrides: { log: createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } }) },
  })
})
test.after(async () => {
  await service.close()
  await remotes.close()
  await rm(served, { recursive: true, force: true })
})

const docs = {
  'README.md': '# Home\n\nwelcome\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n',
  'guide.md': '# Guide\n\none\n\ntwo\n\nthree\n',
}
const ref = 'refs/heads/main'
interface Preview {
  result: string
  remoteHead?: string
  importsFirst?: true
  changes: { type: string; page?: { id: string; title: string } }[]
  more?: number
  conflicts: { path: string; kind: string }[]
}

/** A space for one test, and the operations that the test uses. */
async function desk() {
  const { id } = (
    await service.admin.call('post', `/v1/orgs/${service.organization}/spaces`, { title: 'Docs' }).expect(201)
  ).body
  const base = `/v1/spaces/${id}`
  const get = async (path: string) => (await service.admin.call('get', `${base}${path}`).expect(200)).body
  const repo = join(service.dir, 'repos', `${id}.git`)
  /** Everything that a preview must not change. */
  const state = async () => ({
    refs: await git(repo, ['for-each-ref']),
    documents: await Promise.all(['', '/git/info', '/git/history', '/change-requests'].map(get)),
    credentials: service.service.app.credentials.size,
  })
  const run = async (direction: 'import' | 'export', body: object) => {
    await service.admin
      .call('post', `${base}/git/${direction}`, {
        ref,
        ...(direction === 'export' ? { commitMessage: 'Publish' } : {}),
        ...body,
      })
      .expect(204)
    for (;;) {
      const info = await get('/git/info')
      if (info.state !== 'queued' && info.state !== 'running') return info
    }
  }
  return {
    id,
    base,
    get,
    run,
    state,
    repo,
    /** Requests a preview, and checks that it changed nothing. */
    async preview(body: object, query = ''): Promise<Preview> {
      const before = await state()
      const response = await service.admin.call('post', `${base}/git/preview${query}`, {
        ref,
        direction: 'import',
        ...body,
      })
      assert.is(response.status, 200, JSON.stringify(response.body))
      assert.equal(await state(), before, 'nothing changed')
      return response.body
    },
    /** Returns the status and the message of a rejected preview. */
    async refused(body: object, as: Caller = service.admin) {
      const before = await state()
      const { status, body: result } = await as.call('post', `${base}/git/preview`, {
        ref,
        direction: 'import',
        ...body,
      })
      assert.equal(await state(), before, 'nothing changed')
      return { status, message: result.error?.message as string, text: JSON.stringify(result) }
    },
    async write(path: string, text: string) {
      const { pages } = await get('/content')
      const page = pages.find((one: { path: string }) => one.path === path)
      const changes = [{ operation: 'update_page', page: page.id, document: { markdown: text } }]
      await service.admin.call('post', `${base}/content`, { changes }).expect(200)
    },
  }
}

const kinds = ({ changes }: Preview): string[] => changes.map(({ type, page }) => `${type} ${page?.title}`)

test('a preview of an adoption shows the IDs that the import creates', async () => {
  const remote = await remotes.createRepository('adopt.git', { files: docs })
  const space = await desk()
  const main = (await space.get('/content')).id
  const preview = await space.preview({ url: remote.url })
  assert.is(preview.result, 'adopt')
  assert.is(preview.remoteHead, await remote.head())
  assert.ok(kinds(preview).includes('page_created Guide'), JSON.stringify(preview))
  assert.equal(preview.conflicts, [])
  assert.is((await space.get('/content')).id, main)
  assert.equal(await space.preview({ url: remote.url }), preview, 'asked again')
  assert.is((await space.preview({ url: remote.url, direction: 'export' })).result, 'adopt')
  assert.is((await space.run('import', { url: remote.url })).revision, await remote.head())
  const guide = (await space.get('/content')).pages.find((page: { title: string }) => page.title === 'Guide')
  assert.is(preview.changes.find(({ page }) => page?.title === 'Guide')?.page?.id, guide.id)
  assert.is((await space.preview({ url: remote.url })).result, 'none')
  assert.is((await space.preview({ url: remote.url, direction: 'export' })).result, 'none')
})

test('a page of a renamed file in an adopted history has the previewed ID', async () => {
  const remote = await remotes.createRepository('renamed.git', {
    files: { 'README.md': '# Home\n', 'old.md': docs['guide.md'] },
  })
  await remote.commit({ 'old.md': null, 'new.md': docs['guide.md'] })
  const space = await desk()
  const preview = await space.preview({ url: remote.url })
  await space.run('import', { url: remote.url })
  const page = (await space.get('/content')).pages.find((one: { path: string }) => one.path === 'new')
  assert.is(preview.changes.find((change) => change.page?.title === page.title)?.page?.id, page.id)
})

test('a clean merge is previewed change by change, and the import makes the same changes', async () => {
  const remote = await remotes.createRepository('clean.git', { files: docs })
  const space = await desk()
  await space.run('import', { url: remote.url })
  await space.write('guide', 'ONE\n\ntwo\n\nthree\n')
  await remote.commit({
    'guide.md': '# Guide\n\none\n\ntwo\n\nTHREE\n',
    'new.md': '# New\n',
    'SUMMARY.md': `${docs['SUMMARY.md']}* [New](new.md)\n`,
  })
  const preview = await space.preview({ url: remote.url })
  assert.is(preview.result, 'clean')
  assert.equal(kinds(preview), ['page_edited Guide', 'page_created New'])
  assert.is((await space.preview({ url: remote.url }, '?limit=1')).more, 1)
  assert.match(JSON.stringify(await space.preview({ url: remote.url }, '?diff=unified')), /THREE/)

  const info = await space.run('import', { url: remote.url })
  assert.is(info.state, 'success')
  assert.equal((await space.get(`/revisions/${info.revision}/changes`)).changes, preview.changes)
})

test('a conflict is previewed by path, and main and change requests stay unchanged', async () => {
  const remote = await remotes.createRepository('conflict.git', { files: docs })
  const space = await desk()
  await space.run('import', { url: remote.url })
  await space.write('guide', 'one\n\nmine\n\nthree\n')
  await remote.commit({ 'guide.md': '# Guide\n\none\n\ntheirs\n\nthree\n' })
  for (const direction of ['import', 'export']) {
    const preview = await space.preview({ url: remote.url, direction })
    assert.is(preview.result, 'conflict')
    assert.equal(preview.conflicts, [{ path: 'guide.md', kind: 'content' }])
    assert.equal(preview.changes, [])
  }
  const forced = await space.preview({ url: remote.url, force: true }, '?diff=unified')
  assert.is(forced.result, 'clean')
  assert.match(JSON.stringify(forced.changes), /theirs/)
  const over = await space.preview({ url: remote.url, direction: 'export', force: true }, '?diff=unified')
  assert.is(over.result, 'clean')
  assert.is(over.importsFirst, undefined)
  assert.match(JSON.stringify(over.changes), /mine/)
  assert.is((await space.run('import', { url: remote.url })).state, 'conflict')
  assert.is((await space.preview({ url: remote.url })).result, 'conflict', 'while a change request holds it')
})

test('the preview of an export shows its own commit, without the import before it', async () => {
  const remote = await remotes.createRepository('export.git', { files: docs })
  const space = await desk()
  await space.run('import', { url: remote.url })
  await space.write('guide', 'ONE\n\ntwo\n\nthree\n')
  const head = await remote.head()
  const plain = await space.preview({ url: remote.url, direction: 'export' })
  assert.is(plain.result, 'clean')
  assert.is(plain.importsFirst, undefined)
  assert.equal(kinds(plain), ['page_edited Guide'])

  await remote.commit({ 'README.md': '# Home\n\nWELCOME\n' })
  const after = await space.preview({ url: remote.url, direction: 'export' })
  assert.is(after.importsFirst, true)
  assert.equal(kinds(after), ['page_edited Guide'])
  assert.is.not(after.remoteHead, head)
  assert.is(await remote.head(), after.remoteHead, 'nothing was pushed')

  const branch = await space.preview({ url: remote.url, ref: 'refs/heads/release', direction: 'export' })
  assert.is(branch.result, 'clean')
  assert.is(branch.remoteHead, undefined)
  assert.ok(kinds(branch).includes('page_created Guide'))

  await service.admin.call('patch', space.base, { editMode: 'locked' }).expect(200)
  assert.is((await space.preview({ url: remote.url })).result, 'clean', 'a locked space too')
  await service.admin.call('patch', space.base, { editMode: 'live' }).expect(200)
  assert.is((await space.run('export', { url: remote.url })).state, 'success')
  assert.is((await space.preview({ url: remote.url, direction: 'export' })).result, 'none')
})

test('a folder of a larger repository can be previewed', async () => {
  const remote = await remotes.createRepository('mono.git', {
    files: { 'code.c': 'int x;\n', 'docs/README.md': '# Home\n' },
  })
  const space = await desk()
  const input = { url: remote.url, repoProjectDirectory: 'docs' }
  assert.is((await space.preview(input)).result, 'adopt')
  await space.run('import', input)
  await remote.commit({ 'docs/more.md': '# More\n', 'code.c': 'int y;\n', 'new.c': 'int z;\n' })
  assert.equal(kinds(await space.preview(input)), ['page_created More'])
  const none = await space.refused({ url: remote.url, repoProjectDirectory: 'missing' })
  assert.is(none.status, 400)
  assert.match(none.message, /has no folder missing/)
  const made = await space.preview({ ...input, repoProjectDirectory: 'missing', direction: 'export' })
  assert.equal(kinds(made), ['page_created Home'])
})

test('a failing preview has the message of git/info', async () => {
  const remote = await remotes.createRepository('words.git', { files: docs })
  await remotes.createRepository('no-docs.git', { files: { LICENSE: 'MIT\n' } })
  const space = await desk()
  await space.run('import', { url: remote.url })
  for (const body of [
    { url: remote.url, ref: 'refs/heads/nowhere' },
    { url: `${remotes.url}/gone.git` },
    { url: `${remotes.url}/no-docs.git` },
  ]) {
    const refused = await space.refused(body)
    assert.is(refused.status, 400)
    assert.is(refused.message, (await space.run('import', body)).error)
  }
  for (const url of ['ext::sh -c x', 'https://host/x?token=1']) assert.is((await space.refused({ url })).status, 400)
  assert.is((await space.refused({ url: remote.url, direction: 'sideways' })).status, 400)
  assert.is((await space.refused({ url: remote.url, standalone: true })).status, 400)
  assert.is((await space.refused({ url: remote.url, repoProjectDirectory: '../x' })).status, 400)
})

/** Returns the bytes of a file. Empty if it no longer exists, such as a pack that was joined with others. */
const textOf = (path: string): Promise<string> =>
  readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })

test('a credential is used for one request and stored nowhere', async () => {
  const secret = 'tok3n-s3cret-Xyz'
  const remote = await remotes.createRepository('private.git', { files: docs })
  const space = await desk()
  remotes.behaviour.auth = { username: 'me', password: secret }
  try {
    assert.is((await space.preview({ url: remote.url.replace('http://', `http://me:${secret}@`) })).result, 'adopt')
    const wrong = await space.refused({ url: remote.url.replace('http://', `http://me:wrong-${secret}@`) })
    assert.is(wrong.status, 400)
    assert.match(wrong.message, /credential/)
    assert.not.match(wrong.text, new RegExp(secret))
    assert.is((await space.refused({ url: remote.url })).status, 400, 'it was not kept')
  } finally {
    delete remotes.behaviour.auth
  }
  assert.not.match(logged.join('\n'), new RegExp(secret))
  for (const entry of await readdir(service.dir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) assert.not.ok((await textOf(join(entry.parentPath, entry.name))).includes(secret), entry.name)
})

test('a preview of the configured remote needs review, and of another one or with force admin', async () => {
  const remote = await remotes.createRepository('who.git', { files: docs })
  const space = await desk()
  const [reviewer, editor, stranger] = [
    await service.caller('review'),
    await service.caller('edit'),
    await service.caller(),
  ]
  assert.is((await space.refused({ url: remote.url }, reviewer)).status, 403)
  await space.run('import', { url: remote.url })
  const ask = (as: Caller, body: object) =>
    as.call('post', `${space.base}/git/preview`, { url: remote.url, ref, direction: 'import', ...body })
  await ask(reviewer, {}).expect(200)
  await ask(reviewer, { direction: 'export' }).expect(200)
  for (const body of [
    { force: true },
    { ref: 'refs/heads/other' },
    { repoProjectDirectory: 'docs' },
    { url: 'http://127.0.0.1:1/x' },
  ]) {
    for (const direction of ['import', 'export'])
      assert.is(
        (await space.refused({ url: remote.url, ...body, direction }, reviewer)).status,
        403,
        JSON.stringify(body),
      )
  }
  assert.is((await space.refused({ url: remote.url }, editor)).status, 403)
  assert.is((await space.refused({ url: remote.url }, stranger)).status, 404)
})

test('a preview rejects a folder whose history is too long for one request', async () => {
  const remote = await remotes.createRepository('long.git')
  const commits = Array.from(
    { length: 1_001 },
    (_, i) =>
      `commit ${ref}\ncommitter A <a@example.org> ${1_700_000_000 + i} +0000\ndata 1\nx\nM 644 inline docs/a.md\ndata ${String(i).length}\n${i}\n`,
  )
  await git(remote.path, ['fast-import', '--quiet'], Buffer.from(commits.join('')))
  const space = await desk()
  const refused = await space.refused({ url: remote.url, repoProjectDirectory: 'docs' })
  assert.is(refused.status, 409)
  assert.match(refused.message, /more than 1000 commits/)
  assert.is((await space.preview({ url: remote.url })).result, 'adopt')
})

test('a preview rejects a silent remote and an unreachable address', async () => {
  const remote = await remotes.createRepository('mute.git', { files: docs })
  const asked = async (env: Record<string, string>) => {
    const other = await startService({ env })
    try {
      const { id } = (
        await other.admin.call('post', `/v1/orgs/${other.organization}/spaces`, { title: 'Docs' }).expect(201)
      ).body
      return await other.admin.call('post', `/v1/spaces/${id}/git/preview`, {
        url: remote.url,
        ref,
        direction: 'import',
      })
    } finally {
      await other.close()
    }
  }
  // The server names the branch, and never sends the next response.
  let asks = 0
  remotes.behaviour.onRequest = ({ method }) => (method === 'POST' && ++asks > 1 ? new Promise(() => {}) : undefined)
  const slow = await asked({ BINDERY_REMOTE_TIMEOUT_SECONDS: '1' }).finally(() => delete remotes.behaviour.onRequest)
  assert.is(slow.status, 400)
  assert.match(slow.body.error.message, /did not finish within 1 s/)
  const refused = await asked({ BINDERY_ALLOW_PRIVATE_NETWORKS: 'false' })
  assert.is(refused.status, 400)
  assert.match(refused.body.error.message, /private/)
  assert.is(refused.body.error.details[0].path, '/url')
})

test('previews respond during a sync and edits, and the sync succeeds', async () => {
  const remote = await remotes.createRepository('busy.git', { files: docs })
  const space = await desk()
  await space.run('import', { url: remote.url })
  await remote.commit({ 'guide.md': '# Guide\n\none\n\ntwo\n\nTHREE\n' })
  const ask = () =>
    service.admin.call('post', `${space.base}/git/preview`, { url: remote.url, ref, direction: 'import' })
  const [info, , ...previews] = await Promise.all([
    space.run('import', { url: remote.url }),
    space.write('readme', 'Busy.\n').catch(() => {}),
    ask(),
    ask(),
    ask(),
  ])
  assert.is(info.state, 'success')
  for (const { status, body } of previews) {
    assert.is(status, 200)
    assert.ok(['clean', 'none'].includes(body.result), JSON.stringify(body))
  }
  assert.is((await space.preview({ url: remote.url })).result, 'none')
})

test.run()
