import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type PurgeOptions, purgeSecret } from '../../src/commands/purge-secret.js'
import { loadConfig } from '../../src/config.js'
import { commitPurge, resumePurge } from '../../src/start/purge-swap.js'
import { type Desk, flat, openDesk } from '../commits/fixture.js'
import { addressOf, Clone } from '../git-door/fixture.js'
import { git, gitBytes } from '../support/hermetic-git.js'
import { startGitHttp } from '../support/git-http.js'
import { nodeKey } from '../support/node-key.js'
import { moduleArguments } from '../support/own-process.js'
import { databaseSettings } from '../support/service-database.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @embedded-only: plain-git
const test = suite<object>('purge-secret')

const SECRET = 'sk_live_4eC39HqLyjWD "quoted" & more'
const TOP = '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Keys](keys.md)\n* [Old](old.md)\n'
const FILES = {
  'README.md': '# Home\n\nWelcome.\n',
  'guide.md': `# Guide\n\nFirst paragraph.\n\nThe key is ${SECRET} here.\n\nLast paragraph.\n`,
  'keys.md': '# Keys\n\nNothing secret.\n',
  'old.md': '# Old\n\nA page with a different text about something else.\n',
  'SUMMARY.md': TOP,
}

async function purge(here: TestService, space: string, options: Partial<PurgeOptions>) {
  const config = loadConfig({
    BINDERY_DATA_DIR: join(here.dir, 'data'),
    BINDERY_REPOS_DIR: join(here.dir, 'repos'),
    BINDERY_SAMPLE_SITE: 'false',
    ...(await databaseSettings(here.dir)),
    ...nodeKey({}),
  })
  return purgeSecret(config, space, { path: [], text: [], person: [], ...options })
}

async function secretFile(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'secret-')), 'text')
  await writeFile(file, `${SECRET}\n`)
  return file
}

/** Lists the files below a folder that contain one of the texts, and the repositories with an object that does. */
async function placesOf(dir: string, ...texts: string[]): Promise<string[]> {
  const found: string[] = []
  const forms = texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)])
  const has = (bytes: Buffer): boolean => forms.some((form) => bytes.includes(form))
  const folders = ['data', 'repos'].map((name) => readdir(join(dir, name), { recursive: true, withFileTypes: true }))
  for (const entry of (await Promise.all(folders)).flat()) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && has(await readFile(path))) found.push(path)
    if (!entry.isDirectory() || !entry.name.endsWith('.git')) continue
    if (has(await gitBytes(path, ['cat-file', '--batch-all-objects', '--batch', '--unordered']))) found.push(path)
    if ((await git(path, ['fsck', '--unreachable', '--no-reflogs'])) !== '') found.push(`unreachable in ${path}`)
  }
  return found
}

/** The pages of a revision with their IDs. */
async function shown({ here, url }: Desk, revision?: string): Promise<string[]> {
  const path = revision === undefined ? `${url}/content/pages` : `${url}/revisions/${revision}/pages`
  const { body } = await here.admin.call('get', path).expect(200)
  return flat(body.pages ?? body.items).map(({ id, title, path: at }) => `${id} ${title} ${at}`)
}

/** Names of files whose appearance triggers a kill. */
const POINTS = ['repos/.new-', 'repos/.purged-', 'data/store-purged', 'data/purge.json']

/** Starts the command in its own process, and kills it as soon as a file with this name exists. */
async function killedAt(here: TestService, space: string, file: string, point: string): Promise<void> {
  const { PATH, HOME } = process.env
  const child = spawn(
    process.execPath,
    [...moduleArguments('../../src/main.js', import.meta.url), 'purge-secret', space, '--text', file, '--yes'],
    {
      stdio: 'ignore',
      env: { PATH, HOME, BINDERY_DATA_DIR: join(here.dir, 'data'), BINDERY_REPOS_DIR: join(here.dir, 'repos') },
    },
  )
  let over = false
  const ended = once(child, 'exit').then(() => (over = true))
  const [folder = '', name = ''] = point.split('/')
  while (
    !over &&
    !readdirSync(join(here.dir, folder)).some((one) => (name.endsWith('-') ? one.startsWith(name) : one === name))
  )
    await new Promise((done) => setImmediate(done))
  child.kill('SIGKILL')
  await ended
}

interface Story {
  here: TestService
  desk: Desk
  comment: string
  open: { id: string; url: string; ref: string }
  merged: { id: string; url: string }
  /** Revisions of main, newest first. */
  line: string[]
}

/** A space whose secret is in old revisions, in a branch, in a tag, in comments, and in a reflog. */
async function story(): Promise<Story> {
  const here = await startService()
  const desk = await openDesk(here, FILES)
  const guide = await desk.id('guide')
  const { body: node } = await here.admin.call('get', `${desk.url}/content/page/${guide}?format=document`).expect(200)
  const paragraph = node.document.nodes.find((one: object) => JSON.stringify(one).includes('sk_live'))
  const target = { page: guide, node: paragraph.key }
  const { body: comment } = await here.admin
    .call('post', `${desk.url}/comments`, { ...target, body: { markdown: `Is ${SECRET} still used?` } })
    .expect(200)
  await desk.write([{ operation: 'update_page', page: guide, title: 'Handbook' }])
  // A person moves a page without stating its ID, and another one mentions the secret in a message.
  await desk.human({ 'old.md': null, 'moved/new.md': FILES['old.md'].replace('else', `else: ${SECRET}`) })
  await desk.human({ 'SUMMARY.md': TOP.replace('old.md', 'moved/new.md') }, { message: `Note ${SECRET}` })
  await desk.git('tag', '-a', '-m', `About ${SECRET}`, 'v1', 'main')
  const merged = await desk.changeRequest('Merged')
  await merged.write([{ operation: 'insert_page', title: 'Extra', document: { markdown: `Extra ${SECRET}.` } }])
  await merged.merge()
  const open = await desk.changeRequest(`Open ${SECRET}`)
  await open.write([{ operation: 'insert_page', title: 'Draft', document: { markdown: `Draft ${SECRET}.` } }])
  await here.admin.call('post', `${open.url}/comments`, { body: { markdown: `In the request: ${SECRET}` } }).expect(200)
  await here.service.idle()
  await here.admin.call('get', `/v1/orgs/${here.organization}/search?query=sk_live`).expect(200)
  const line = (await desk.git('rev-list', '--first-parent', 'main')).split('\n')
  return { here, desk, comment: comment.id, open, merged, line }
}

test('a text disappears from every file and object, while pages keep IDs and comments', async () => {
  const { here, desk, comment, open, merged, line } = await story()
  const pages = await shown(desk)
  const oldPages = await Promise.all(line.map((revision) => shown(desk, revision)))
  const { body: before } = await here.admin.call('get', `${desk.url}/comments/${comment}`).expect(200)
  await here.service.close()
  assert.ok((await placesOf(here.dir, SECRET)).length >= 3)
  const text = [await secretFile()]
  const preview = await purge(here, desk.space, { text })
  assert.not.ok(preview.done)
  assert.ok((await placesOf(here.dir, SECRET)).length >= 3, 'a preview changes nothing')
  assert.ok(preview.files.length >= 4, JSON.stringify(preview.files))
  assert.ok(preview.pages.some(({ title }) => title === 'Guide'))
  assert.ok(preview.refs.includes('refs/heads/main') && preview.refs.includes('refs/tags/v1'))
  assert.ok(preview.documents.comments?.includes(comment))
  assert.match(preview.outside.join('\n'), /Clones and forks[\s\S]*Backups/)

  const report = await purge(here, desk.space, { text, yes: true })
  assert.ok(report.done)
  assert.equal({ ...report, done: false }, preview)
  assert.equal(await placesOf(here.dir, SECRET, line[0] ?? ''), [])
  assert.not.ok((await readdir(join(here.dir, 'repos'))).some((name) => /^\.(purged|trash)/.test(name)))

  await here.restart()
  assert.equal(here.service.repairs, [])
  assert.equal(await shown(desk), pages)
  const newLine = (await desk.git('rev-list', '--first-parent', 'main')).split('\n')
  assert.is(newLine.length, line.length)
  for (const [n, revision] of newLine.entries()) assert.equal(await shown(desk, revision), oldPages[n], `${n}`)
  const { body: after } = await here.admin.call('get', `${desk.url}/comments/${comment}`).expect(200)
  assert.is(after.body.markdown, 'Is REMOVED still used?')
  assert.equal(
    [after.target.page.id, after.target.node.id, after.target.node.preview],
    [before.target.page.id, before.target.node.id, 'The key is REMOVED here.'],
  )
  const { body: request } = await here.admin.call('get', merged.url).expect(200)
  assert.is(request.status, 'merged')
  assert.ok(newLine.includes(request.revisionMerged))
  // Both branches go on.
  await here.admin.call('post', `${open.url}/merge`, {}).expect(200)
  await desk.write([{ operation: 'update_page', page: await desk.id('guide'), title: 'Guide again' }])
  assert.match((await desk.file('guide.md')) ?? '', 'The key is REMOVED here.')
  const { body: log } = await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log?operation=purge-secret`)
  assert.equal([log.items.length, log.items[0].resources?.space ?? log.items[0].space], [1, desk.space])
  await here.close()
})

test('a kill at any point leaves the former content or the new one', async () => {
  const { here, desk, line } = await story()
  const pages = await shown(desk)
  const text = await secretFile()
  const outcomes: string[] = []
  await here.service.close()
  const copy = await mkdtemp(join(tmpdir(), 'purge-killed-'))
  await cp(here.dir, copy, { recursive: true })
  for (const point of POINTS) {
    // On a busy machine, the command may be over before the kill.
    await killedAt(here, desk.space, text, point)
    await here.restart()
    assert.equal(await shown(desk), pages, point)
    const [newest = ''] = (await desk.git('rev-list', '--first-parent', 'main')).split('\n')
    const isOld = newest === line[0]
    outcomes.push(isOld ? 'former' : 'new')
    assert.is((await placesOf(here.dir, SECRET)).length > 0, isOld, point)
    assert.equal([here.service.repairs, await desk.git('fsck', '--strict')], [[], ''], point)
    await here.service.close()
    await purge(here, desk.space, { text: [text], yes: true })
    assert.equal(await placesOf(here.dir, SECRET), [], point)
    for (const name of ['data', 'repos']) {
      await rm(join(here.dir, name), { recursive: true })
      await cp(join(copy, name), join(here.dir, name), { recursive: true })
    }
  }
  await rm(copy, { recursive: true })
  await here.restart()
  assert.is(outcomes[0], 'former')
  await here.close()
})

test('the next start finishes a removal that was killed after its commit point', async () => {
  const steps: [from: string, to: string][] = [
    ['data/store', 'data/store-former'],
    ['data/store-purged', 'data/store'],
    ['repos/x.git', 'repos/.trash-x'],
    ['repos/.purged-x.git', 'repos/x.git'],
  ]
  for (let done = 0; done <= steps.length; done++) {
    const dir = await mkdtemp(join(tmpdir(), 'purge-steps-'))
    const folders = { dataDir: join(dir, 'data'), reposDir: join(dir, 'repos') }
    for (const [name, text] of Object.entries({ store: 'old', 'store-purged': 'new', search: 'old', lfs: 'kept' })) {
      await mkdir(join(folders.dataDir, name), { recursive: true })
      await writeFile(join(folders.dataDir, name, 'content'), text)
    }
    for (const [name, text] of Object.entries({ 'x.git': 'old', '.purged-x.git': 'new', '.remotes': 'old' })) {
      await mkdir(join(folders.reposDir, name), { recursive: true })
      await writeFile(join(folders.reposDir, name, 'content'), text)
    }
    await commitPurge(folders, { space: 'x', lfs: [] })
    for (const [from, to] of steps.slice(0, done)) await rename(join(dir, from), join(dir, to))
    await resumePurge(folders)
    const found = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('content')).sort()
    assert.equal(found, ['data/lfs/content', 'data/store/content', 'repos/x.git/content'], `after ${done} steps`)
    for (const name of ['data/store', 'repos/x.git'])
      assert.is(await readFile(join(dir, name, 'content'), 'utf8'), 'new', `after ${done} steps`)
    assert.not.ok(readdirSync(folders.dataDir).includes('purge.json'))
    await rm(dir, { recursive: true })
  }
})

test('removed files and people do not return with a push from an old clone', async () => {
  const { here, desk } = await story()
  const clone = await Clone.of(here, desk.space, here.admin)
  const author = { GIT_AUTHOR_NAME: 'Gone Person', GIT_AUTHOR_EMAIL: 'gone@example.org' }
  await git(
    clone.dir,
    ['commit', '-q', '--allow-empty', '-m', 'Theirs\n\nCo-authored-by: Gone Person <gone@example.org>'],
    undefined,
    author,
  )
  await clone.git('push', '-q', addressOf(here, desk.space, here.admin), 'HEAD:main')
  const pages = await shown(desk)
  await here.service.close()
  const report = await purge(here, desk.space, { path: ['guide.md'], person: ['gone@example.org'], yes: true })
  assert.equal(
    report.files.map(({ path }) => path),
    ['guide.md'],
  )
  assert.equal(await placesOf(here.dir, 'Gone Person', 'gone@example.org', 'First paragraph.'), [])
  await here.restart()
  assert.equal(
    await shown(desk),
    pages.filter((page) => !page.includes('Guide')),
  )
  assert.match(
    await desk.git('log', '--format=%an <%ae> %B', 'main'),
    /Removed person <removed@invalid> Theirs\s+Co-authored-by: Removed person <removed@invalid>/,
  )
  await clone.commit({ 'README.md': '# Home\n\nFrom an old clone.\n' })
  const seen = await clone.see('push', addressOf(here, desk.space, here.admin), 'HEAD:refs/for/main')
  assert.is.not(seen.code, 0, seen.text)
  assert.match(seen.text, /was removed from the history of this space for good. Clone the space again/)
  assert.equal(await placesOf(here.dir, 'Gone Person', 'First paragraph.'), [])
  await here.close()
})

test('a remote that still has the text is rejected until its history is replaced', async () => {
  const served = await mkdtemp(join(tmpdir(), 'remotes-'))
  const remotes = await startGitHttp({ root: served })
  const remote = await remotes.createRepository('docs.git', { files: FILES })
  const here = await startService()
  const { body: space } = await here.admin
    .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Synced' })
    .expect(201)
  const url = `/v1/spaces/${space.id}`
  const sync = async (direction: 'import' | 'export') => {
    const body = {
      url: remote.url,
      ref: 'refs/heads/main',
      ...(direction === 'export' ? { commitMessage: 'Out' } : {}),
    }
    await here.admin.call('post', `${url}/git/${direction}`, body)
    await here.service.idle()
    const { body: info } = await here.admin.call('get', `${url}/git/info`).expect(200)
    return JSON.stringify(info)
  }
  await sync('import')
  const before = flat((await here.admin.call('get', `${url}/content/pages`).expect(200)).body.pages)
  await here.service.close()
  const report = await purge(here, space.id, { text: [await secretFile()], yes: true })
  assert.ok(report.done)
  await here.restart()
  for (const direction of ['import', 'export'] as const) {
    assert.match(await sync(direction), /was removed from the history of this space for good/)
    assert.equal(await placesOf(here.dir, SECRET), [])
  }
  const clone = await Clone.of(here, space.id, here.admin)
  await clone.git('push', '-q', '--force', remote.url, 'HEAD:main')
  assert.not.match(await sync('import'), /was removed/)
  await remote.commit({ 'README.md': '# Home\n\nFrom the remote.\n' })
  assert.not.match(await sync('import'), /was removed/)
  const after = flat((await here.admin.call('get', `${url}/content/pages`).expect(200)).body.pages)
  assert.equal(
    after.map(({ id, path }) => [id, path]),
    before.map(({ id, path }) => [id, path]),
  )
  const { body: home } = await here.admin.call('get', `${url}/content/path/readme`)
  assert.match(JSON.stringify(home), 'From the remote.')
  await here.close()
  await remotes.close()
  await rm(served, { recursive: true, force: true })
})

test.run()
