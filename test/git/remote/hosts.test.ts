import * as assert from 'uvu/assert'
import { isAllowedAddress } from '../../../src/kernel/addresses.js'
import { remoteEnvironment } from '../../../src/git/remote/environment.js'
import { sshCommand } from '../../../src/git/remote/ssh.js'
import { allowedAddresses } from '../../../src/git/remote/hosts.js'
import { remoteOptions } from '../../../src/git/remote/connection.js'
import { runGit } from '../../../src/git/remote/run.js'
import { parseRemoteUrl } from '../../../src/git/remote/url.js'
import { sharedLauncher } from '../../support/remote-operations.js'
import { suite } from '../../support/suite.js'
import { inWorld, MAIN, remoteError } from './fixture.js'

const test = suite('hosts of remotes')

const closed = [
  '127.0.0.1',
  '127.9.9.9',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '::7f00:1',
  'fe80::1',
  'fd00::1',
  'fec0::1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '2001:0:1::1',
]
test('private, local and disguised addresses are blocked, and public ones are allowed', () => {
  for (const address of closed) assert.is(isAllowedAddress(address, false), false, address)
  for (const address of ['8.8.8.8', '140.82.121.3', '2606:4700::1111'])
    assert.is(isAllowedAddress(address, false), true, address)
})

test('single private networks can be allowed', () => {
  assert.is(isAllowedAddress('10.1.2.3', ['10.1.0.0/16']), true)
  assert.is(isAllowedAddress('::ffff:10.1.2.3', ['10.1.0.0/16']), true)
  assert.is(isAllowedAddress('10.2.0.1', ['10.1.0.0/16']), false)
  assert.is(isAllowedAddress('fd00::5', ['10.1.0.0/16', 'fd00::/64']), true)
  assert.is(isAllowedAddress('127.0.0.1', true), true)
  assert.throws(() => remoteOptions({ allowedProtocols: [], allowPrivateNetworks: ['10.0.0.0'] }), /is not a network/)
})

test('a name is checked by its addresses, and a literal address in every notation', async () => {
  const disguises = [
    'http://localhost/a',
    'http://127.1/a',
    'http://0x7f.0.0.1/a',
    'http://017700000001/a',
    'http://[::ffff:127.0.0.1]/a',
    'ssh://git@2130706433/a',
    'git@localhost:a',
    'git@[::1]:a',
  ]
  for (const url of disguises) {
    const error = await remoteError('refused-url', allowedAddresses(parseRemoteUrl(url), false))
    assert.match(error.message, /private network/)
  }
  assert.equal(await allowedAddresses(parseRemoteUrl('file:///srv/a'), false), [])
  await remoteError('unreachable', allowedAddresses(parseRemoteUrl('https://no-such-host.invalid/a'), false))
})

test(
  'nothing is sent to a private address',
  inWorld({ options: { allowPrivateNetworks: false } }, async (world) => {
    const { operations, ours, remote, server } = world
    await remoteError('refused-url', operations.remoteHead(ours.path, remote, MAIN))
    assert.is(server.requests.length, 0)
  }),
)

test(
  'Git connects to the checked address, even if the name resolves to another one later',
  inWorld({}, async ({ theirs, ours, server }) => {
    const address = parseRemoteUrl(`http://docs.invalid:${new URL(server.url).port}/theirs.git`)
    const env = { ...remoteEnvironment(address, ['127.0.0.1'], {}), GIT_DIR: ours.path }
    const run = await runGit({ launcher: await sharedLauncher(), env }, ['ls-remote', '--', address.url, MAIN], {
      timeoutMs: 20_000,
    })
    assert.is(run.stdout, `${await theirs.head()}\t${MAIN}\n`, run.stderr)
  }),
)

test('ssh is pinned, never prompts, and uses only the configured key and known hosts', () => {
  const command = sshCommand(parseRemoteUrl('ssh://git@example.com:2222/a'), '203.0.113.7', {
    sshKeyFile: "/keys/o'ne",
    knownHostsFile: '/keys/hosts',
  })
  for (const option of [
    'HostName=203.0.113.7',
    'HostKeyAlias=[example.com]:2222',
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    'IdentitiesOnly=yes',
    'GlobalKnownHostsFile=/dev/null',
    'IdentityAgent=none',
    'UserKnownHostsFile="/keys/hosts"',
  ]) {
    assert.ok(command.includes(`-o '${option}'`), option)
  }
  assert.ok(command.includes(`'IdentityFile="/keys/o'\\''ne"'`))
  assert.match(command, /^ssh -F \/dev\/null /)
})
test.run()
