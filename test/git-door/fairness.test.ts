import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { getPriority as nice } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import * as assert from 'uvu/assert'
import { git, hermeticEnv } from '../support/hermetic-git.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { addressOf, Clone, newSpace } from './fixture.js'
import { basic, FLUSH, pkt, servingProcesses } from './raw.js'

const [test, here] = await suiteWith('fairness of the Git door', startService)

const MIB = 1024 * 1024
const open: Socket[] = []
const leave = (): void => {
  for (const socket of open.splice(0)) socket.destroy()
}

/** A user without a role here, who has an organization with a space, and two tokens. */
async function newStranger(): Promise<{ space: string; tokens: string[]; caller: Caller }> {
  const caller = await here.caller()
  const { body: organization } = await caller.call('post', '/v1/orgs', { title: 'Elsewhere' }).expect(201)
  const { body: space } = await caller
    .call('post', `/v1/orgs/${organization.id}/spaces`, { title: 'Theirs', editMode: 'live' })
    .expect(201)
  const { body: second } = await caller.call('post', '/v1/user/tokens', { label: 'second' }).expect(201)
  return { space: space.id, tokens: [caller.token, second.token], caller }
}

/**
 * Sends a request whose body may end early, and reads nothing of the response. Resolves when the server has received
 * it.
 */
function sendAndStop(path: string, token: string, service: string, body: Buffer, length: number): Promise<Socket> {
  const { hostname, port } = new URL(here.url)
  const lines = [
    `POST ${path}/git-${service} HTTP/1.1`,
    'Host: test',
    `Content-Type: application/x-git-${service}-request`,
    `Authorization: ${basic('git', token)}`,
    'Git-Protocol: version=2',
    `Content-Length: ${length}`,
  ]
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    open.push(socket)
    socket.once('error', reject)
    socket.pause()
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    socket.write(body, () => resolve(socket))
  })
}

/** Commits a file to main that is larger than the buffers between server and client. Returns the commit. */
async function addLargeFile(space: string): Promise<string> {
  const repository = join(here.dir, 'repos', `${space}.git`)
  const large = await git(repository, ['hash-object', '-w', '--stdin'], randomBytes(24 * MIB))
  const tree = await git(repository, ['mktree'], `100644 blob ${large}\tlarge.bin\n`)
  const main = await git(repository, ['commit-tree', tree, '-p', 'main', '-m', 'Large'])
  await git(repository, ['update-ref', 'refs/heads/main', main])
  return main
}

const wish = (commit: string): Buffer =>
  Buffer.concat([pkt('command=fetch\n'), Buffer.from('0001'), pkt(`want ${commit}\n`), pkt('done\n'), FLUSH])

/** A connection to the server that reads the first `bytes` of the responses and nothing more. */
async function narrowLine(bytes: number): Promise<Server> {
  const { hostname, port } = new URL(here.url)
  let left = bytes
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) })
    client.pipe(upstream)
    upstream.on('data', (piece: Buffer) => {
      client.write(piece)
      left -= piece.length
      if (left < 0) upstream.pause()
    })
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Lets other tasks run for a moment, even if `setTimeout` is stopped. */
const moment = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      clearInterval(timer)
      resolve()
    }, 10)
  })
/**
 * The uploads of this service. Other processes may belong to an earlier file in this process, and the shell that ends the
 * uploads with the service has another command line.
 */
const uploads = () =>
  servingProcesses().filter(
    ({ line, cwd }) => cwd.startsWith(realpathSync(here.dir)) && /^\S*git\S* .*(upload-pack|pack-objects)/.test(line),
  )
/** Waits until the condition is true. Throws after about two minutes, with the uploads of that moment. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let left = 6000; !isTrue(); left--) {
    assert.ok(left > 0, `still waiting, with these uploads: ${JSON.stringify(uploads())}`)
    await moment()
  }
}

test('pushes that send nothing do not block other clones and pushes', async () => {
  const stranger = await newStranger()
  const space = await newSpace(here)
  const writer = await here.caller('edit')
  const command = Buffer.concat([
    pkt(`${'0'.repeat(40)} ${'a'.repeat(40)} refs/for/main\0 report-status`),
    FLUSH,
    Buffer.from('PACK'),
  ])
  for (let n = 0; n < 8; n++)
    await sendAndStop(`/git/${stranger.space}.git`, stranger.tokens[n % 2] as string, 'receive-pack', command, MIB)
  const clone = await Clone.of(here, space, writer)
  await clone.commit({ 'start.md': '# Start\n\nOther words.\n' })
  const seen = await clone.see('push', 'origin', 'HEAD:refs/heads/main')
  assert.is(seen.code, 0, seen.text)
  leave()
})

test('fetches that the client does not read do not block other users', async () => {
  const stranger = await newStranger()
  const space = await newSpace(here)
  const reader = await here.caller('read')
  const main = await addLargeFile(stranger.space)
  const body = wish(main)
  for (let n = 0; n < 8; n++)
    await sendAndStop(`/git/${stranger.space}.git`, stranger.tokens[n % 2] as string, 'upload-pack', body, body.length)
  // Only the list of refs, which needs no slot.
  const origin = addressOf(here, stranger.space, stranger.caller)
  assert.match(await git(here.dir, ['-c', 'protocol.version=0', 'ls-remote', origin]), `${main}\trefs/heads/main`)
  const clone = await Clone.of(here, space, reader)
  assert.ok(await clone.git('rev-parse', 'HEAD'))
  await git(here.dir, ['clone', '--quiet', origin, join(here.dir, 'work-of-stranger')])
  leave()
})

test('a fetch has low priority and limited processor time, and ends with its client', async () => {
  const space = await newSpace(here)
  const reader = await here.caller('read')
  await addLargeFile(space)
  const line = await narrowLine(MIB)
  const { port } = line.address() as AddressInfo
  const origin = addressOf(here, space, reader).replace(new URL(here.url).host, `127.0.0.1:${port}`)
  const client = spawn('git', ['clone', '--quiet', origin, join(here.dir, 'stalled')], {
    env: hermeticEnv,
    detached: true,
    stdio: 'ignore',
  })
  let seen = uploads()
  await until(() => {
    seen = uploads()
    return seen.some(({ line: command }) => command.includes('pack-objects'))
  })
  for (const { line: command, nice: given, limits } of seen) {
    assert.is(given, nice() + 10, command)
    assert.match(limits, /Max cpu time +6\d +unlimited/, command)
  }
  process.kill(-(client.pid as number), 'SIGKILL')
  await until(() => uploads().length === 0)
  line.close()
})

test('a fetch ends after an hour, even if its client was reading the whole time', async () => {
  const space = await newSpace(here)
  const reader = await here.caller('read')
  const body = wish(await addLargeFile(space))
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const socket = await sendAndStop(`/git/${space}.git`, reader.token, 'upload-pack', body, body.length)
    while (socket.bytesRead === 0) {
      socket.read(1)
      await moment()
    }
    mock.timers.tick(3_599_000)
    await moment()
    assert.ok(uploads().length > 0)
    mock.timers.tick(2000)
    await until(() => uploads().length === 0)
  } finally {
    mock.timers.reset()
    leave()
  }
})

test.run()
