import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { addressOf, Clone, newSpace } from './fixture.js'
import { basic, FLUSH, pkt } from './raw.js'

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

/** Sends a request whose body may end early, and reads nothing of the response. Resolves when the server has it. */
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

test('pushes that send nothing keep no one from cloning and pushing', async () => {
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

test('fetches that no one reads keep no one from cloning, and their own user only for a moment', async () => {
  const stranger = await newStranger()
  const space = await newSpace(here)
  const reader = await here.caller('read')
  const repository = join(here.dir, 'repos', `${stranger.space}.git`)
  const large = await git(repository, ['hash-object', '-w', '--stdin'], randomBytes(24 * MIB))
  const tree = await git(repository, ['mktree'], `100644 blob ${large}\tlarge.bin\n`)
  const main = await git(repository, ['commit-tree', tree, '-p', 'main', '-m', 'Large'])
  await git(repository, ['update-ref', 'refs/heads/main', main])
  const body = Buffer.concat([pkt('command=fetch\n'), Buffer.from('0001'), pkt(`want ${main}\n`), pkt('done\n'), FLUSH])
  for (let n = 0; n < 8; n++)
    await sendAndStop(`/git/${stranger.space}.git`, stranger.tokens[n % 2] as string, 'upload-pack', body, body.length)
  // Only the list of refs, which needs no turn.
  const origin = addressOf(here, stranger.space, stranger.caller)
  assert.match(await git(here.dir, ['-c', 'protocol.version=0', 'ls-remote', origin]), `${main}\trefs/heads/main`)
  const clone = await Clone.of(here, space, reader)
  assert.ok(await clone.git('rev-parse', 'HEAD'))
  await git(here.dir, ['clone', '--quiet', origin, join(here.dir, 'work-of-stranger')])
  leave()
})

test.run()
