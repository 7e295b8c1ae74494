import { execFile, spawn } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { loadConfig } from '../../src/config.js'
import { RemoteError } from '../../src/git/errors.js'
import type { RefName } from '../../src/kernel/ids.js'
import { type BareRepository, createBareRepository } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { startService, type TestService } from '../support/service.js'
import { remoteOperations } from '../support/remote-operations.js'
import { fingerprintOf, makeKey, startSshd } from '../support/sshd.js'
import { suiteWith } from '../support/suite.js'

const MAIN = 'refs/heads/main' as RefName
let repositories = 0
const [test, sshd] = await suiteWith('sync: ssh remotes', startSshd)

const bare = (files?: Record<string, string>): Promise<BareRepository> =>
  createBareRepository(join(sshd.folder, `r${++repositories}.git`), files ? { files } : {})
const knownHosts = async (text: string): Promise<string> => {
  const file = join(sshd.folder, `known hosts ${++repositories}`)
  await writeFile(file, text)
  return file
}
const operations = (identity: { sshKeyFile?: string; knownHostsFile?: string }) =>
  remoteOperations({ allowedProtocols: ['ssh'], allowPrivateNetworks: true, ...identity })
const refusal = async (work: Promise<unknown>): Promise<RemoteError> => {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  )
  assert.instance(error, RemoteError)
  return error as RemoteError
}

test('a space is imported from an ssh server and exported to it', async () => {
  const env = { BINDERY_SSH_KEY_FILE: sshd.key, BINDERY_SSH_KNOWN_HOSTS: await knownHosts(`${sshd.hostLine}\n`) }
  const here: TestService = await startService({ env })
  try {
    const theirs = await bare({ 'README.md': '# Docs\n', 'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n' })
    const { id } = (
      await here.admin
        .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs', editMode: 'live' })
        .expect(201)
    ).body
    const synced = async (): Promise<{ state: string; error?: string }> => {
      for (;;) {
        const { body } = await here.admin.call('get', `/v1/spaces/${id}/git/info`).expect(200)
        if (['success', 'failure', 'conflict'].includes(body.state)) return body
        await new Promise((done) => setTimeout(done, 20))
      }
    }
    const remote = { url: sshd.url(theirs.path), ref: MAIN }
    await here.admin.call('post', `/v1/spaces/${id}/git/import`, remote).expect(204)
    const imported = await synced()
    assert.is(imported.state, 'success', JSON.stringify(imported))
    const changes = [{ operation: 'insert_page', title: 'More', document: { markdown: '# More\n' } }]
    await here.admin.call('post', `/v1/spaces/${id}/content`, { changes }).expect(200)
    await here.admin.call('post', `/v1/spaces/${id}/git/export`, { ...remote, commitMessage: 'More' }).expect(204)
    const exported = await synced()
    assert.is(exported.state, 'success', JSON.stringify(exported))
    assert.match(await git(theirs.path, ['show', 'main:more.md']), '# More')
    assert.ok((await sshd.commands()).some((command) => command.startsWith('git-receive-pack ')))
  } finally {
    await here.close()
  }
})

test('an unknown host is rejected with its key, and the message has the line that allows it', async () => {
  const [theirs, ours] = [await bare({ 'README.md': '# Docs\n' }), await bare()]
  const remote = { url: sshd.url(theirs.path) }
  const knownHostsFile = await knownHosts(
    'example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\n',
  )
  const before = sshd.log().match(/Accepted publickey/g)?.length ?? 0
  const { kind, message } = await refusal(
    operations({ sshKeyFile: sshd.key, knownHostsFile }).remoteHead(ours.path, remote, MAIN),
  )
  assert.is(kind, 'unreachable')
  assert.match(
    message,
    `does not know the ssh host [127.0.0.1]:${sshd.port}. Its key is ${sshd.fingerprint} (ssh-ed25519)`,
  )
  assert.match(message, 'BINDERY_SSH_KNOWN_HOSTS')
  assert.ok(message.endsWith(sshd.hostLine), message)
  assert.not.match(message, sshd.folder)
  assert.match(
    (await refusal(operations({ sshKeyFile: sshd.key }).remoteHead(ours.path, remote, MAIN))).message,
    sshd.fingerprint,
  )
  assert.is(sshd.log().match(/Accepted publickey/g)?.length ?? 0, before)
  assert.match(await readFile(knownHostsFile, 'utf8'), /^example.org [^\n]*\n$/)
  await writeFile(knownHostsFile, `${message.slice(message.indexOf(`[127.0.0.1]:${sshd.port} ssh-`))}\n`)
  assert.is(
    await operations({ sshKeyFile: sshd.key, knownHostsFile }).remoteHead(ours.path, remote, MAIN),
    await theirs.head(),
  )
})

test('a host with a changed key is rejected, and the message states it', async () => {
  const [theirs, ours] = [await bare({ 'README.md': '# Docs\n' }), await bare()]
  const other = (await readFile(`${await makeKey(sshd.folder, 'former-host')}.pub`, 'utf8')).split(' ')
  const knownHostsFile = await knownHosts(`[127.0.0.1]:${sshd.port} ${other[0]} ${other[1]}\n`)
  const { kind, message } = await refusal(
    operations({ sshKeyFile: sshd.key, knownHostsFile }).remoteHead(ours.path, { url: sshd.url(theirs.path) }, MAIN),
  )
  assert.is(kind, 'unreachable')
  assert.match(message, 'has a different key than this server knows')
  assert.match(message, sshd.fingerprint)
  assert.not.match(message, sshd.folder)
})

test('only the configured key is used, none of an agent or of the user', async () => {
  const [theirs, ours] = [await bare({ 'README.md': '# Docs\n' }), await bare()]
  const knownHostsFile = await knownHosts(`${sshd.hostLine}\n`)
  const socket = join(sshd.folder, 'agent')
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] })
  const before = process.env.SSH_AUTH_SOCK
  try {
    await new Promise((listening) => agent.stdout.once('data', listening))
    process.env.SSH_AUTH_SOCK = socket
    // The key that would be accepted.
    await promisify(execFile)('ssh-add', ['-q', sshd.key])
    const from = sshd.log().length
    const { kind, message } = await refusal(
      operations({ sshKeyFile: sshd.otherKey, knownHostsFile }).remoteHead(
        ours.path,
        { url: sshd.url(theirs.path) },
        MAIN,
      ),
    )
    assert.is(kind, 'unauthorized')
    assert.match(message, 'deploy key')
    const offered = [
      ...sshd
        .log()
        .slice(from)
        .matchAll(/Failed publickey for \S+ from 127.0.0.1 port \d+ ssh2: \S+ (SHA256:\S+)/g),
    ].map(([, key]) => key)
    assert.equal([...new Set(offered)], [await fingerprintOf(sshd.otherKey)])
  } finally {
    if (before === undefined) delete process.env.SSH_AUTH_SOCK
    else process.env.SSH_AUTH_SOCK = before
    agent.kill()
  }
})

test('ssh without a key is rejected with an explanation of what to do', async () => {
  const here = await startService()
  try {
    const { id } = (
      await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)
    ).body
    const { body } = await here.admin
      .call('post', `/v1/spaces/${id}/git/import`, { url: sshd.url('/r.git'), ref: MAIN })
      .expect(400)
    assert.match(JSON.stringify(body.error), 'BINDERY_SSH_KEY_FILE')
  } finally {
    await here.close()
  }
  const ours = await bare()
  const { kind, message } = await refusal(operations({}).remoteHead(ours.path, { url: sshd.url('/r.git') }, MAIN))
  assert.is(kind, 'refused-url')
  assert.match(message, 'BINDERY_SSH_KEY_FILE')
})

test('a private address is not asked for its host key', async () => {
  const ours = await bare()
  const connections = () => sshd.log().match(/Connection from/g)?.length ?? 0
  const before = connections()
  const guarded = remoteOperations({ allowedProtocols: ['ssh'], allowPrivateNetworks: false, sshKeyFile: sshd.key })
  assert.is((await refusal(guarded.remoteHead(ours.path, { url: sshd.url('/r.git') }, MAIN))).kind, 'refused-url')
  assert.is(connections(), before)
})

test('ssh settings are checked at the start', async () => {
  const wrong = (env: Record<string, string>): string => {
    try {
      loadConfig(env)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.match(
    wrong({ BINDERY_SSH_KEY_FILE: join(sshd.folder, 'none') }),
    /BINDERY_SSH_KEY_FILE must be the path of an existing, readable file/,
  )
  assert.match(
    wrong({ BINDERY_SSH_KNOWN_HOSTS: sshd.folder }),
    /BINDERY_SSH_KNOWN_HOSTS must be the path of an existing, readable file/,
  )
  assert.match(wrong({ BINDERY_SSH_KEY_FILE: '/keys/%h' }), /without quotes/)
  const open = await makeKey(sshd.folder, 'open')
  await chmod(open, 0o644)
  assert.match(wrong({ BINDERY_SSH_KEY_FILE: open }), /chmod 600/)
  assert.is(wrong({ BINDERY_SSH_KEY_FILE: sshd.key, BINDERY_SSH_KNOWN_HOSTS: open }), '')
})

test.run()
