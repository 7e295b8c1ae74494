import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openGit, UnusableKey } from '../../src/git/index.js'
import { runCommand } from '../support/commands.js'
import { git } from '../support/hermetic-git.js'
import { suite } from '../support/suite.js'
import { type Fixture, startFixture } from '../support/sync-fixture.js'

const test = suite('signed commits')
const docs = { 'README.md': '# Home\n', 'guide.md': '# Guide\n' }

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, {
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: '/dev/null', ...env },
  })
  if (code !== 0) throw new Error(`${command}: ${stderr}`)
  return stdout.toString('utf8')
}

/** A key, and the settings for plain Git to verify its signatures. */
interface Key {
  file: string
  verify: string[]
}

async function sshKey(dir: string, type: string): Promise<Key> {
  const file = join(dir, `key-${type}`)
  await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'bindery', '-f', file])
  const [kind, key] = (await run('ssh-keygen', ['-y', '-f', file])).split(' ')
  await writeFile(join(dir, 'allowed'), `bindery@localhost ${kind} ${key?.trim()}\n`)
  return { file, verify: ['-c', `gpg.ssh.allowedSignersFile=${join(dir, 'allowed')}`] }
}

/** An exported GPG key. The verifier has the public key in a separate key ring. */
async function gpgKey(dir: string): Promise<Key> {
  const [home, other] = [join(dir, 'g'), join(dir, 'v')]
  await run('mkdir', ['-m', '700', home, other])
  const gpg = (ring: string, ...args: string[]) =>
    run('gpg', ['--batch', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', '', ...args], { GNUPGHOME: ring })
  await gpg(home, '--quick-generate-key', 'Bindery <bindery@localhost>', 'ed25519', 'sign', 'never')
  const file = join(dir, 'secret.asc')
  await writeFile(file, await gpg(home, '--armor', '--export-secret-keys'), { mode: 0o600 })
  await writeFile(join(dir, 'public.asc'), await gpg(home, '--armor', '--export'))
  await gpg(other, '--import', join(dir, 'public.asc'))
  await run('gpgconf', ['--kill', 'all'], { GNUPGHOME: home })
  const program = join(dir, 'gpg')
  await writeFile(program, `#!/bin/sh\nGNUPGHOME='${other}' exec gpg "$@"\n`)
  await chmod(program, 0o755)
  return { file, verify: ['-c', `gpg.program=${program}`] }
}

async function withKey(
  make: (dir: string) => Promise<Key>,
  work: (f: Fixture, key: Key) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'k-'))
  try {
    const key = await make(dir)
    const f = await startFixture(key.file)
    try {
      await work(f, key)
    } finally {
      await f.close()
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Git's status of each commit: `G` (or `U`: a valid signature of a key without trust) is verified, `N` unsigned. */
const verdicts = async (dir: string, key: Key, range: string): Promise<string> =>
  (await git(dir, [...key.verify, 'log', '--reverse', '--format=%G?', range])).replaceAll('\n', '').replaceAll('U', 'G')

for (const [kind, make] of [
  ['an ed25519 ssh key', (dir: string) => sshKey(dir, 'ed25519')],
  ['an ECDSA ssh key', (dir: string) => sshKey(dir, 'ecdsa')],
  ['a GPG key', gpgKey],
] as const)
  test(`local commits and exports in both modes are verified: ${kind}`, () =>
    withKey(make, async (f, key) => {
      const remote = await f.remotes.createRepository('docs.git', { files: docs })
      const space = await f.space()
      assert.is(await verdicts(space.repo.path, key, 'main'), 'G', 'the first commit of a space')
      await f.import(space, { url: remote.url })
      const before = await remote.head()
      await f.edit(space, { 'guide.md': '# Guide\n\none\n' })
      await f.edit(space, { 'guide.md': '# Guide\n\none\n\ntwo\n' })
      const theirs = await remote.commit({ 'theirs.md': '# Theirs\n' })
      const input = { url: remote.url, exportMode: 'commits' as const }
      assert.is((await f.export(space, input)).error, undefined)
      assert.is(await verdicts(remote.path, key, `${theirs}..main`), 'GG')
      assert.is(
        await verdicts(space.repo.path, key, `${before}..main`),
        'NGGG',
        'two edits and a merge, in addition to the commit of the remote',
      )
      assert.is(await git(remote.path, ['fsck', '--strict']), '')
      await f.edit(space, { 'guide.md': '# Guide\n\none\n\ntwo\n\nthree\n' })
      // A signature may change the commit ID, so a repeated push must push the commits that may have arrived.
      f.remotes.behaviour.pushStatus = 502
      const main = await git(space.repo.path, ['rev-parse', 'main'])
      for (const exportMode of ['commits', 'single'] as const) {
        for (let times = 0; times < 3; times++)
          assert.is((await f.export(space, { ...input, exportMode })).state, 'failure')
        const refs = await git(space.repo.path, [
          'for-each-ref',
          '--format=%(objectname) %(refname)',
          'refs/bindery/sync/',
        ])
        const log = refs.split('\n').find((line) => line.endsWith('/log')) as string
        const offered = (await git(space.repo.path, ['log', '-1', '--format=%B', log.split(' ')[0] as string]))
          .split('\n')
          .filter((line) => line.startsWith('offered') && line.includes(main))
        assert.is(offered.length, exportMode === 'commits' ? 1 : 2, exportMode)
      }
      delete f.remotes.behaviour.pushStatus
      assert.is((await f.export(space, { ...input, exportMode: 'single' })).error, undefined)
      assert.is(await verdicts(remote.path, key, `${theirs}..main`), 'GGG')
      assert.is((await f.import(space, { url: remote.url })).result, 'unchanged')
      assert.is((await f.export(space, input)).result, 'unchanged')
      assert.match(await git(remote.path, [...key.verify, 'log', '-1', '--show-signature', 'main']), /Good .*signature/)
    }))

test('folder exports in both modes and local merges are verified', () =>
  withKey(
    (dir) => sshKey(dir, 'ed25519'),
    async (f, key) => {
      const files = { 'app.js': 'code\n', 'docs/README.md': '# Home\n', 'docs/guide.md': '# Guide\n' }
      const remote = await f.remotes.createRepository('mono.git', { files })
      const input = { url: remote.url, repoProjectDirectory: 'docs' }
      const space = await f.space()
      assert.is((await f.import(space, input)).result, 'adopted')
      for (const exportMode of ['commits', 'single'] as const) {
        for (const text of ['one', 'two']) await f.edit(space, { 'guide.md': `# Guide\n\n${exportMode} ${text}\n` })
        const before = await remote.commit({ 'app.js': `${exportMode}\n`, [`docs/${exportMode}.md`]: '# Theirs\n' })
        const run = await f.export(space, { ...input, exportMode })
        assert.is(run.error, undefined)
        const made = (await git(remote.path, ['rev-list', `${before}..main`])).split('\n')
        assert.is(made.length, exportMode === 'commits' ? 2 : 1)
        // Fails unless the signature is that of an allowed signer.
        for (const commit of made) await git(remote.path, [...key.verify, 'verify-commit', commit])
        await git(space.repo.path, [...key.verify, 'verify-commit', 'main'])
        assert.is(await verdicts(remote.path, key, `${before}~1..${before}`), 'N', 'what people committed is as it was')
      }
      assert.is(await git(remote.path, ['show', 'main:docs/guide.md']), '# Guide\n\nsingle two')
      assert.is(await git(remote.path, ['show', 'main:app.js']), 'single')
      assert.is(await git(remote.path, ['fsck', '--strict']), '')
      // A commit that is mapped again is the same commit. It is not signed again.
      assert.is((await f.import(space, input)).result, 'unchanged')
      assert.equal(await space.repo.upkeep.check(), [])
    },
  ))

test('an unusable key is rejected at the start with the reason', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'k-'))
  try {
    const locked = join(dir, 'locked')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'a passphrase', '-f', locked])
    await writeFile(join(dir, 'nothing'), 'no key\n', { mode: 0o600 })
    await writeFile(join(dir, 'pgp'), '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nxx\n', { mode: 0o600 })
    for (const [name, reason] of [
      ['locked', /ssh-keygen failed/],
      ['nothing', /ssh-keygen failed/],
      ['pgp', /gpg failed/],
    ] as const) {
      const opened = await openGit({
        reposDir: join(dir, 'repos'),
        maxBlobBytes: 1 << 20,
        signingKeyFile: join(dir, name),
      }).catch((error: unknown) => error)
      assert.instance(opened, UnusableKey, name)
      assert.match((opened as Error).message, reason)
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})

test.run()
