import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { remoteEnvironment } from '../../../src/git/remote/environment.js'
import { runGit } from '../../../src/git/remote/run.js'
import { parseRemoteUrl } from '../../../src/git/remote/url.js'
import { sharedLauncher } from '../../support/remote-operations.js'
import { suite } from '../../support/suite.js'

const test = suite('remotes: arguments of ssh')

const accepted = (url: string) => {
  try {
    return parseRemoteUrl(url, ['ssh'])
  } catch {
    return null
  }
}
/** Texts that could be read as an option, in every part of an address. */
const nasty = fc.oneof(
  fc.constantFrom(
    '-oProxyCommand=touch$IFS/tmp/x',
    '--',
    '-F/tmp/x',
    '-',
    '%2doProxyCommand=x',
    '$(x)',
    '`x`',
    "'x'",
    '"x"',
    '[-x]',
    '[::1]',
    '127.0.0.1',
    'host',
    'git',
    '~',
    '*',
    '%h',
  ),
  fc.string({ maxLength: 12 }),
)

test('no part of an accepted address can be read as an option or by a shell', () => {
  let taken = 0
  const sample = fc
    .tuple(fc.boolean(), fc.option(nasty), nasty, fc.option(nasty), nasty)
    .map(([scheme, user, host, port, path]) => {
      const login = user === null ? '' : `${user}@`
      return scheme ? `ssh://${login}${host}${port === null ? '' : `:${port}`}/${path}` : `${login}${host}:${path}`
    })
  fc.assert(
    fc.property(sample, (url) => {
      const address = accepted(url)
      if (!address) return
      taken++
      assert.match(address.host, /^[a-z0-9_:][a-z0-9._:-]*$/)
      if (address.sshUser !== undefined) assert.match(address.sshUser, /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/)
      assert.not.match(address.path, /^-/)
    }),
    { numRuns: 5000 },
  )
  assert.ok(taken > 100, `only ${taken} were accepted`)
})

test('Git passes our options, the login, the host and one command to ssh', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ssh-arguments-'))
  try {
    const said = join(folder, 'arguments')
    await writeFile(join(folder, 'ssh'), `#!/bin/sh\nprintf '%s\\0' "$@" > '${said}'\nexit 1\n`)
    await chmod(join(folder, 'ssh'), 0o755)
    const paths = ["/a'b/$(touch)/`x`", '/--upload-pack=x', '/~root/-x', '/a;b|c&d']
    for (const path of paths) {
      const address = parseRemoteUrl(`ssh://git@docs.example:2222${path}`, ['ssh'])
      const env = remoteEnvironment(address, ['203.0.113.7'], {
        sshKeyFile: '/keys/one key',
        knownHostsFile: '/keys/hosts',
      })
      await runGit(
        { launcher: await sharedLauncher(), env: { ...env, PATH: `${folder}:${env.PATH}` } },
        ['ls-remote', '--', address.url],
        {
          timeoutMs: 20_000,
        },
      )
      const given = (await readFile(said, 'utf8')).split('\0').slice(0, -1)
      const host = given.indexOf('git@docs.example')
      assert.equal(given.slice(host), [
        'git@docs.example',
        `git-upload-pack '${(path.startsWith('/~') ? path.slice(1) : path).replaceAll("'", "'\\''")}'`,
      ])
      assert.equal(given.slice(0, 2), ['-F', '/dev/null'])
      assert.equal(given.slice(host - 2, host), ['-p', '2222'])
      const options = given.slice(2, host - 2)
      assert.ok(
        options.every((one, index) => (index % 2 === 0 ? one === '-o' : /^[A-Za-z]+=/.test(one))),
        options.join(' '),
      )
      assert.ok(options.includes('IdentityFile="/keys/one key"'))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test.run()
