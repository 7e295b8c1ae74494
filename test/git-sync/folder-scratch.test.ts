import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { requestImport } from '../../src/domain/git-sync/request.js'
import { listSyncRuns } from '../../src/domain/git-sync/runs.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('folder imports through a scratch repository', startFixture)

const main = (space: LoadedSpace): Promise<string> => git(space.repo.path, ['rev-parse', 'refs/heads/main'])
const scratches = async (): Promise<string[]> =>
  (await readdir(join(f.root, 'repos/.remotes')).catch(() => [])).map((name) => join(f.root, 'repos/.remotes', name))
const blob = (path: string, name: string): Promise<string> => git(path, ['rev-parse', `main:${name}`])
const has = (path: string, oid: string): Promise<boolean> =>
  git(path, ['cat-file', '-e', oid], undefined, { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' }).then(
    () => true,
    () => false,
  )

type Filter = 'allowed' | 'absent' | 'refused'
let made = 0
/** A monorepo with a folder of pages, and the scratch repository that its import creates. */
async function monorepo(filter: Filter = 'allowed') {
  const remote = await f.remotes.createRepository(`mono-${++made}.git`, {
    files: {
      'app.js': 'code\n',
      'docs/README.md': '# Docs\n',
      'docs/deep/page.md': '# Page\n',
      'other/README.md': '# Other\n',
    },
  })
  if (filter !== 'absent') await git(remote.path, ['config', 'uploadpack.allowFilter', 'true'])
  if (filter === 'refused') await git(remote.path, ['config', 'uploadpackfilter.allow', 'false'])
  await remote.commit({ 'app.js': 'more code\n' }, { message: 'Code alone' })
  await remote.commit({ 'docs/deep/page.md': '# Page\n\nText.\n' }, { message: 'A page' })
  const before = await scratches()
  return {
    remote,
    link: { url: remote.url, repoProjectDirectory: 'docs' },
    scratch: async () => (await scratches()).find((one) => !before.includes(one)) as string,
  }
}

const heads = new Map<Filter, string>()
for (const filter of ['allowed', 'absent', 'refused'] as const)
  test(`a space gets only its folder and needs no network for it: filters are ${filter}`, async () => {
    const { remote, link, scratch } = await monorepo(filter)
    const space = await f.space()
    const run = await f.import(space, link)
    assert.is(run.error, undefined)
    assert.is(run.result, 'adopted')
    assert.equal(await f.files(space), { 'README.md': '# Docs', 'deep/page.md': '# Page\n\nText.' })
    assert.is(await git(space.repo.path, ['log', '--format=%s', 'main']), 'A page\nFirst')
    heads.set(filter, await main(space))
    assert.is(heads.get(filter), heads.get('allowed'), 'the same commits, however they came')

    const [code, page] = [await blob(remote.path, 'app.js'), await blob(remote.path, 'docs/deep/page.md')]
    assert.not.ok(await has(space.repo.path, code), 'nothing of the rest of the monorepo')
    assert.not.ok(await has(space.repo.path, run.remoteRevision as string))
    assert.equal(await space.repo.upkeep.check(), [])
    assert.not.match(await readFile(join(space.repo.path, 'config'), 'utf8'), /promisor|remote/)
    assert.is(
      await has(await scratch(), code),
      filter !== 'allowed',
      'files of others are fetched only where they cannot be left out',
    )
    assert.is(await has(await scratch(), page), filter !== 'allowed', 'files of the folder are kept by the space')
  })

test('spaces of one remote share fetched data, and a later commit only transfers its own', async () => {
  const { remote, link, scratch } = await monorepo()
  const [a, b] = [await f.space(), await f.space()]
  await f.import(a, link)
  // Git marks data that it fetched with a filter. Locally written data has no mark.
  const fetched = async () =>
    (await readdir(join(await scratch(), 'objects/pack'))).filter((name) => name.endsWith('.promisor'))
  const before = await fetched()
  assert.ok(before.length > 0)
  assert.is((await f.import(b, { ...link, repoProjectDirectory: 'other' })).result, 'adopted')
  assert.equal(await fetched(), before, 'the second space fetched no history')
  await f.edit(a, { 'here.md': '# Here\n' })
  await remote.commit({ 'docs/new.md': '# New\n', 'app.js': 'newest\n' })
  assert.is((await f.import(a, link)).result, 'merged')
  assert.equal(Object.keys(await f.files(a)), ['README.md', 'deep/page.md', 'here.md', 'new.md'])
  assert.is((await f.import(b, { ...link, repoProjectDirectory: 'other' })).result, 'unchanged')
  assert.is((await f.import(a, link)).result, 'unchanged')
  assert.equal([await a.repo.upkeep.check(), await b.repo.upkeep.check()], [[], []])
})

test('a force-pushed or renamed branch is imported from the data of earlier fetches', async () => {
  const { remote, link } = await monorepo()
  const space = await f.space()
  await f.import(space, link)
  const first = await git(remote.path, ['rev-parse', 'main~2'])
  await git(remote.path, ['update-ref', 'refs/heads/main', first])
  await remote.commit({ 'docs/README.md': '# Rewritten\n' })
  assert.is((await f.import(space, link)).error, undefined)
  assert.equal(await f.files(space), { 'README.md': '# Rewritten', 'deep/page.md': '# Page' })
  await git(remote.path, ['branch', '-m', 'main', 'trunk'])
  assert.match((await f.import(space, link)).error ?? '', /does not exist/)
  assert.is((await f.import(space, { ...link, ref: 'refs/heads/trunk' })).result, 'unchanged')
})

test('an import succeeds with a deleted, damaged or incomplete scratch repository', async () => {
  const { remote, link, scratch } = await monorepo()
  const spaces = [await f.space(), await f.space(), await f.space(), await f.space(), await f.space()]
  const damage: ((path: string) => Promise<unknown>)[] = [
    async () => {},
    // killed during a fetch, and while it wrote a line of the map
    async (path) => {
      await writeFile(join(path, 'config.lock'), '')
      await writeFile(join(path, 'objects/pack/tmp_pack_x'), 'x')
      const map = join(path, 'maps', (await readdir(join(path, 'maps')))[0] as string)
      await writeFile(map, `${(await readFile(map, 'utf8')).slice(0, -60)}`)
    },
    // the map has more commits than the objects
    async (path) => {
      for (const name of await readdir(join(path, 'objects/pack')))
        await rm(join(path, 'objects/pack', name), { force: true })
      for (const name of (await readdir(join(path, 'objects'))).filter((one) => one.length === 2))
        await rm(join(path, 'objects', name), { recursive: true })
    },
    (path) => rm(join(path, 'maps'), { recursive: true }),
    (path) => rm(path, { recursive: true }),
  ]
  const found = new Set<string>()
  for (const [at, space] of spaces.entries()) {
    if (at > 0) await damage[at]?.(await scratch())
    const run = await f.import(space, link)
    assert.is(run.error, undefined, `damage ${at}`)
    found.add(await main(space))
    assert.equal(await space.repo.upkeep.check(), [])
  }
  assert.is(found.size, 1)
  assert.is(await blob(spaces[0]?.repo.path as string, 'deep/page.md'), await blob(remote.path, 'docs/deep/page.md'))
})

test("an import fails if the remote disconnects in the folder's files, and the next one works", async () => {
  const { remote, link } = await monorepo()
  await remote.commit({
    'docs/big.md': `# Big\n\n${Array.from({ length: 2000 }, (_, at) => `line ${at * 7919}`).join('\n')}\n`,
  })
  const space = await f.space()
  let packs = 0
  f.remotes.behaviour.onRequest = (entry) => {
    // the refs, the history, the files
    if (entry.method === 'POST' && ++packs === 3) f.remotes.behaviour.cutAfter = 500
  }
  const run = await f.import(space, link)
  delete f.remotes.behaviour.onRequest
  delete f.remotes.behaviour.cutAfter
  assert.is(run.state, 'failure')
  assert.is(packs >= 3, true)
  assert.equal(Object.keys(await f.files(space)).includes('big.md'), false, 'nothing half done is seen')
  assert.is((await f.import(space, link)).result, 'adopted')
  assert.ok('big.md' in (await f.files(space)))
})

test('an import fails if the remote sends other files than the requested ones', async () => {
  const { remote, link } = await monorepo()
  const [wanted, other] = [await blob(remote.path, 'docs/deep/page.md'), await blob(remote.path, 'app.js')]
  const liar = createServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const body = Buffer.from(
        Buffer.concat(pieces).toString('latin1').replaceAll(`want ${wanted}`, `want ${other}`),
        'latin1',
      )
      const headers = { ...incoming.headers, 'content-length': String(body.length) }
      const passed = ask(`${f.remotes.url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      passed.end(body)
    })
  })
  await new Promise<void>((done) => liar.listen(0, '127.0.0.1', done))
  try {
    const space = await f.space()
    const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}${new URL(link.url).pathname}`
    const run = await f.import(space, { ...link, url })
    assert.is(run.state, 'failure')
    assert.match(run.error ?? '', /did not send all|damaged or dangerous/)
    assert.not.ok(await has(space.repo.path, other))
  } finally {
    liar.closeAllConnections()
    await new Promise((done) => liar.close(done))
  }
})

test("an import rejects oversized files in the folder's history, but ignores other folders", async () => {
  const { remote, link } = await monorepo()
  await remote.commit({ 'video.bin': Buffer.alloc(10_000_001, 1) })
  const fine = await f.space()
  assert.is((await f.import(fine, link)).result, 'adopted')
  await remote.commit({ 'docs/big.bin': Buffer.alloc(10_000_001, 2) })
  await remote.commit({ 'docs/big.bin': null })
  const run = await f.import(await f.space(), link)
  assert.is(run.state, 'failure')
  assert.match(run.error ?? '', /a file of 10000001 bytes, "docs\/big\.bin"/)
})

test('a run reports the number of folder commits that it has read, until the end', async () => {
  const { remote, link } = await monorepo()
  const space = await f.space()
  let packs = 0
  let release: () => void = () => {}
  const gate = new Promise<void>((done) => (release = done))
  const held = new Promise<void>((done) => {
    f.remotes.behaviour.onRequest = async (entry) => {
      // the refs, the history, the files: all commits are read by then
      if (entry.method !== 'POST' || !entry.url.startsWith(new URL(remote.url).pathname) || ++packs !== 3) return
      done()
      await gate
    }
  })
  await requestImport(f.app, f.actor, await f.reload(space), { ...link, ref: 'refs/heads/main' })
  await held
  const [during] = await listSyncRuns(f.app, space)
  release()
  delete f.remotes.behaviour.onRequest
  assert.equal([during?.stage, during?.work], ['checking', { unit: 'commits', done: 3, total: 3 }])
  const after = await f.last(space)
  assert.equal([after.result, after.stage, after.work], ['adopted', 'done', undefined])
})

test('an import that waits for a scratch repository in use can be canceled at once', async () => {
  const { link } = await monorepo()
  const [a, b] = [await f.space(), await f.space()]
  let release: () => void = () => {}
  const gate = new Promise<void>((done) => (release = done))
  const held = new Promise<void>((done) => {
    f.remotes.behaviour.onRequest = async () => {
      done()
      await gate
    }
  })
  await requestImport(f.app, f.actor, await f.reload(a), { ...link, ref: 'refs/heads/main' })
  await held
  await requestImport(f.app, f.actor, await f.reload(b), {
    ...link,
    ref: 'refs/heads/main',
    repoProjectDirectory: 'other',
  })
  let waiting = (await listSyncRuns(f.app, b))[0]
  const until = async (stage: string): Promise<void> => {
    while (waiting?.stage !== stage) {
      await turn()
      waiting = (await listSyncRuns(f.app, b))[0]
    }
  }
  await until('fetching')
  f.app.running.get(waiting?.id ?? '')?.abort()
  await until('done')
  assert.is(waiting?.state, 'cancelled', 'while the other one still fetches')
  release()
  delete f.remotes.behaviour.onRequest
  assert.is((await f.last(a)).result, 'adopted')
})

test('an import gets all of 2,100 new commits, for any batch size', async () => {
  const { remote, link } = await monorepo()
  const space = await f.space()
  await f.import(space, link)
  await f.edit(space, { 'here.md': '# Here\n' })
  // A stream of git-fast-import(1). Every tenth commit is outside the folder.
  const change = (n: number): string => {
    const [path, text] = n % 10 === 0 ? ['app.js', `code ${n}\n`] : ['docs/deep/page.md', `# Page\n\nText ${n}.\n`]
    const from = n === 1 ? 'from refs/heads/main^0\n' : ''
    return `commit refs/heads/main\ncommitter Ben <ben@example.org> ${1_700_000_100 + n} +0000\ndata 4\nEdit\n${from}M 644 inline ${path}\ndata ${text.length}\n${text}\n`
  }
  await git(remote.path, ['fast-import', '--quiet'], Array.from({ length: 2_100 }, (_, n) => change(n + 1)).join(''))
  const before = await main(space)
  const run = await f.import(space, link)
  assert.equal([run.error, run.result, run.remoteRevision], [undefined, 'merged', await remote.head()])
  assert.equal(await f.files(space), {
    'README.md': '# Docs',
    'deep/page.md': '# Page\n\nText 2099.',
    'here.md': '# Here',
  })
  assert.is(
    await git(space.repo.path, ['rev-list', '--count', `${before}..main^2`]),
    '1890',
    'the commits that change the folder',
  )
  assert.is(await git(space.repo.path, ['log', '--format=%an', '-1', 'main^2']), 'Ben')
  assert.equal(await space.repo.upkeep.check(), [])
  // Mapped at once from the start, it is the same history.
  const fresh = await f.space()
  assert.is((await f.import(fresh, link)).result, 'adopted')
  assert.is(await main(fresh), await git(space.repo.path, ['rev-parse', 'main^2']))
  assert.is((await f.import(space, link)).result, 'unchanged')
})

test.run()
