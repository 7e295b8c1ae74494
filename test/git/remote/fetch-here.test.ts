import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdirSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import * as assert from 'uvu/assert'
import { remoteOptions, type Repository } from '../../../src/git/index.js'
import type { FetchLimits } from '../../../src/git/types.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import type { BareRepository, Files } from '../../support/bare-repository.js'
import { startGitHttp } from '../../support/git-http.js'
import { git, gitBytes } from '../../support/hermetic-git.js'
import { anyLease } from '../../support/lease.js'
import { suiteWith } from '../../support/suite.js'
import { clear, MAIN, makePlace } from '../fixture.js'
import { limits, remoteError } from './fixture.js'

const [test, place] = await suiteWith('fetches without Git processes except the check', async () => {
  const made = await makePlace({
    remote: remoteOptions({ allowedProtocols: ['http'], allowPrivateNetworks: true }),
  })
  const server = await startGitHttp({ root: made.dir })
  return {
    ...made,
    server,
    close: async () => {
      await server.close()
      await clear(made)
    },
  }
})

const docs: Files = { 'README.md': '# Docs\n', 'docs/a.md': 'a\n', 'docs/b.md': `${'b'.repeat(3000)}\n` }
let last = 0

interface Pair {
  remote: BareRepository & { url: string }
  here: Repository
  first: CommitId
}

/** A remote, and a local repository that has its first commit. */
async function begin(files: Files = docs): Promise<Pair> {
  const name = `here-${++last}`
  const remote = await place.server.createRepository(`${name}-remote.git`, { files })
  const here = await place.git.create(name)
  const { head: first } = await fetchFrom({ remote, here }, { unrelated: true })
  await here.refs.move([{ ref: MAIN, from: null, to: first }], 'begin', anyLease)
  return { remote, here, first }
}

const fetchFrom = ({ remote, here }: Pick<Pair, 'remote' | 'here'>, some: Partial<FetchLimits>) =>
  here.remote.fetch({ url: remote.url }, MAIN, { ...limits, ...some })

/** The outcome of a fetch: the number of its processes, and its requests to the remote. */
async function watched(pair: Pair, some: Partial<FetchLimits>) {
  const [processes, requests] = [place.git.processesStarted, place.server.requests.length]
  const found = await fetchFrom(pair, some)
  return {
    ...found,
    processes: place.git.processesStarted - processes,
    asked: place.server.requests.slice(requests).map(({ method }) => method),
  }
}

const isSound = async ({ here }: Pair, head: string): Promise<void> =>
  assert.is(await git(here.path, ['fsck', '--strict', '--no-dangling', head]), '')

test('a first or later fetch starts one process and requests the refs and a pack', async () => {
  const pair = await begin()
  await pair.remote.commit({ 'docs/b.md': `${'b'.repeat(3000)}!\n` })
  const head = await pair.remote.commit({ 'docs/c/d.md': 'd\n', 'README.md': null })
  const found = await watched(pair, { known: pair.first })
  assert.is(found.head, head)
  assert.equal([found.processes, found.asked], [1, ['POST', 'POST']], 'how the remote speaks is known')
  await isSound(pair, head)
  assert.equal(
    readdirSync(`${pair.here.path}/objects`).filter((name) => name.startsWith('tmp_')),
    [],
  )
  const fresh = await place.git.create(`${last}-fresh`)
  assert.is((await watched({ ...pair, here: fresh }, { unrelated: true })).head, head)
  assert.is(await git(fresh.path, ['fsck', '--strict', '--no-dangling', head]), '')
})

test('a known head starts no process and writes nothing', async () => {
  const pair = await begin()
  const found = await watched(pair, { known: pair.first, maxEntries: 0 })
  assert.equal([found.head, found.objects, found.processes, found.asked], [pair.first, 0, 0, ['POST']])
})

test('a file from earlier in the history and a restored folder are found', async () => {
  const pair = await begin()
  const second = (await pair.remote.commit({ 'docs/a.md': 'changed\n', 'docs/b.md': null })) as CommitId
  await fetchFrom(pair, { known: pair.first })
  await pair.here.refs.move([{ ref: MAIN, from: pair.first, to: second }], 'follow', anyLease)
  await git(pair.remote.path, ['repack', '-adq', '--write-bitmap-index'])
  const third = await pair.remote.commit(docs)
  assert.is((await fetchFrom(pair, { known: second })).head, third)
  await isSound(pair, third)
})

test('a reset branch, or one with a new history, is left to Git', async () => {
  const pair = await begin()
  const second = (await pair.remote.commit({ 'docs/a.md': 'changed\n' })) as CommitId
  await fetchFrom(pair, { known: pair.first })
  await pair.here.refs.move([{ ref: MAIN, from: pair.first, to: second }], 'follow', anyLease)
  await git(pair.remote.path, ['update-ref', MAIN, pair.first])
  const other = await pair.remote.commit({ 'docs/other.md': 'other\n' })
  const found = await watched(pair, { known: second })
  assert.is(found.head, other)
  await isSound(pair, other)
  const tree = await git(pair.remote.path, ['mktree'], '')
  const alone = await git(pair.remote.path, ['commit-tree', '-m', 'Anew', tree])
  await git(pair.remote.path, ['update-ref', MAIN, alone])
  assert.is((await fetchFrom(pair, { known: second })).head, alone)
  await isSound(pair, alone)
})

test('each request has the credential, and nothing is fetched without it', async () => {
  const pair = await begin()
  const head = await pair.remote.commit({ 'docs/a.md': 'secret\n' })
  place.server.behaviour.auth = { username: 'joe', password: 's3cr3t/with@signs' }
  const [processes, requests] = [place.git.processesStarted, place.server.requests.length]
  const options = { ...limits, known: pair.first }
  await remoteError('unauthorized', pair.here.remote.fetch({ url: pair.remote.url }, MAIN, options))
  await remoteError(
    'unauthorized',
    pair.here.remote.fetch({ url: pair.remote.url, username: 'joe', password: 'wrong' }, MAIN, options),
  )
  assert.ok(place.git.processesStarted > processes && place.server.requests.length > requests)
  const [again, asked] = [place.git.processesStarted, place.server.requests.length]
  assert.is(
    (await pair.here.remote.fetch({ url: pair.remote.url, ...place.server.behaviour.auth }, MAIN, options)).head,
    head,
  )
  delete place.server.behaviour.auth
  assert.is(place.git.processesStarted - again, 1)
  assert.equal(
    place.server.requests.slice(asked).map(({ status }) => status),
    [200, 200, 200],
  )
})

test('the protocol is requested again after a remote was unreachable', async () => {
  const pair = await begin()
  const head = await pair.remote.commit({ 'docs/a.md': 'next\n' })
  await rename(pair.remote.path, `${pair.remote.path}-away`)
  await remoteError('not-a-repository', fetchFrom(pair, { known: pair.first }))
  await rename(`${pair.remote.path}-away`, pair.remote.path)
  const found = await watched(pair, { known: pair.first })
  assert.equal([found.head, found.asked], [head, ['GET', 'POST', 'POST']])
})

/** A server with the minimal protocol to offer `head`. It sends a pack of the given objects. */
async function serverOf(head: string, pack: Buffer): Promise<{ url: string; close: () => void }> {
  const line = (text: string | Buffer): Buffer =>
    Buffer.concat([Buffer.from((Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')), Buffer.from(text)])
  const flush = Buffer.from('0000')
  const bodyOf = async (request: IncomingMessage): Promise<string> => {
    let body = ''
    for await (const piece of request) body += piece
    return body
  }
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    response.setHeader(
      'content-type',
      `application/x-git-upload-pack-${request.method === 'GET' ? 'advertisement' : 'result'}`,
    )
    if (request.method === 'GET')
      return response.end(Buffer.concat([line('version 2\n'), line('ls-refs\n'), line('fetch\n'), flush]))
    if (body.includes('command=ls-refs')) return response.end(Buffer.concat([line(`${head} ${MAIN}\n`), flush]))
    const acknowledged = body.includes('done') ? [] : [line('acknowledgments\n'), line('ready\n'), Buffer.from('0001')]
    response.end(
      Buffer.concat([...acknowledged, line('packfile\n'), line(Buffer.concat([Buffer.from([1]), pack])), flush]),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('a remote that omits objects is rejected, even if some of them are present locally', async () => {
  const pair = await begin()
  const { remote, here, first } = pair
  const blob = await git(remote.path, ['hash-object', '-w', '--stdin'], 'lost\n')
  const folder = await git(remote.path, ['mktree'], `100644 blob ${blob}\tlost.md\n`)
  const root = await git(remote.path, ['mktree'], `040000 tree ${folder}\tfolder\n`)
  const head = await git(remote.path, ['commit-tree', '-m', 'With a folder', '-p', first, root])
  // Here, the folder exists without its file, as a prune may leave it. Nothing refers to it.
  const raw = await gitBytes(remote.path, ['cat-file', 'tree', folder])
  assert.is(await git(here.path, ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], raw), folder)
  const pack = await gitBytes(remote.path, ['pack-objects', '--stdout', '-q'], `${head}\n${root}\n`)
  for (const some of [{ known: first }, { unrelated: true }]) {
    const server = await serverOf(head, pack)
    await remoteError('unsafe-content', here.remote.fetch({ url: server.url }, MAIN, { ...limits, ...some }))
    server.close()
    assert.not(await here.objects.hasCommit(head))
  }
  const whole = await gitBytes(
    remote.path,
    ['pack-objects', '--stdout', '-q'],
    `${head}\n${root}\n${folder}\n${blob}\n`,
  )
  const server = await serverOf(head, whole)
  assert.is((await here.remote.fetch({ url: server.url }, MAIN, { ...limits, known: first })).head, head)
  server.close()
  await isSound(pair, head)
})

test('an invalid pack or response is left to Git, and nothing is stored', async () => {
  const pair = await begin()
  const head = await pair.remote.commit({ 'docs/a.md': 'next\n' })
  const pack = await gitBytes(
    pair.remote.path,
    ['pack-objects', '--stdout', '-q', '--revs'],
    `${head}\n^${pair.first}\n`,
  )
  const before = readdirSync(`${pair.here.path}/objects`).sort()
  for (const bytes of [pack.subarray(0, pack.length - 30), Buffer.from('no pack at all'), Buffer.alloc(0)]) {
    const server = await serverOf(head, bytes)
    const error = await pair.here.remote
      .fetch({ url: server.url }, MAIN, { ...limits, known: pair.first })
      .catch((thrown: unknown) => thrown)
    server.close()
    assert.ok(error instanceof Error, 'it fails')
    assert.equal(readdirSync(`${pair.here.path}/objects`).sort(), before)
  }
  assert.is((await fetchFrom(pair, { known: pair.first })).head, head)
})

test('a connection that breaks late in a large pack is an error at once, and nothing is stored', async () => {
  const noise = randomBytes(3_000_000)
  const { remote } = await begin(
    Object.fromEntries([0, 1, 2, 3].map((n) => [`${n}.bin`, noise.subarray(n * 750_000, (n + 1) * 750_000)])),
  )
  const fresh = await place.git.create(`broken-${++last}`)
  place.server.behaviour.cutAfter = 2_000_000
  const asked = place.server.requests.length
  const error = await remoteError('unreachable', fetchFrom({ remote, here: fresh }, { unrelated: true }))
  delete place.server.behaviour.cutAfter
  assert.match(error.message, /was interrupted/)
  assert.is(place.server.requests.length - asked, 2)
  assert.equal(
    readdirSync(`${fresh.path}/objects`).filter((name) => name.startsWith('tmp_')),
    [],
  )
  await fetchFrom({ remote, here: fresh }, { unrelated: true })
  rmSync(remote.path, { recursive: true })
})

test.run()
