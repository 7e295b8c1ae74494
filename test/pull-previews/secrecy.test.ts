import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { git } from '../support/hermetic-git.js'
import { processTexts } from '../support/processes.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, startPreviewing } from './fixture.js'

/** Unique to this test: tests that run at the same time start processes with their own. */
const TOKEN = 'Zq-preview-s3cr3t-token+deploy-0123456789'

const logged: string[] = []

/** A GPG key without a passphrase, exported to a file from a temporary key ring. */
async function gpgKey(folder: string): Promise<string> {
  const env = { ...process.env, GNUPGHOME: folder }
  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(
      'gpg',
      ['--batch', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', '', ...args],
      {
        env,
        encoding: 'utf8',
      },
    )
    assert.is(status, 0, stderr)
    return stdout
  }
  run('--quick-generate-key', 'Docs <docs@example.org>', 'ed25519', 'sign', 'never')
  const file = join(folder, 'exported.asc')
  await writeFile(file, run('--armor', '--export-secret-keys'), { mode: 0o600 })
  spawnSync('gpgconf', ['--kill', 'all'], { env })
  return file
}

const [test, { here, key }] = await suiteWith('previews: secrecy of the token and the signing key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gpg-'))
  const file = await gpgKey(folder)
  const log = createLog({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } })
  const here = await startPreviewing({ BINDERY_COMMIT_KEY_FILE: file }, { log })
  const close = async (): Promise<void> => {
    await here.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { here, key: await readFile(file, 'utf8'), close }
})

/**
 * The secret in every form in which it could be written: lines of the armor, their decoded bytes, the token alone and
 * as a password.
 */
function forms(): string[] {
  const lines = key.split('\n').filter((line) => /^[A-Za-z0-9+/]{40,}$/.test(line))
  assert.ok(lines.length >= 3)
  const secret = Buffer.from(lines.join(''), 'base64').subarray(0, 160)
  return [
    ...lines,
    secret.toString('latin1'),
    secret.toString('hex'),
    TOKEN,
    Buffer.from(`x-access-token:${TOKEN}`).toString('base64'),
    Buffer.from(TOKEN).toString('hex'),
  ]
}
const leaks = (texts: readonly string[], secrets: readonly string[]): string[] =>
  texts.flatMap((text) =>
    secrets
      .filter((secret) => text.includes(secret))
      .map((secret) => `${secret.slice(0, 8)}… in ${text.slice(0, 300)}`),
  )

test('no log or file contains the secrets after previews, host errors and a signed export', async () => {
  const docs = await here.connected('github', { token: TOKEN })
  here.remotes.behaviour.auth = { username: 'x-access-token', password: TOKEN }
  const seen: string[] = []
  here.remotes.behaviour.onRequest = () => void seen.push(...processTexts())
  const number = await docs.open({ 'guide.md': `# Guide\n\n[Gone](gone.md)\n` })
  await here.forward(POLL_MS)
  assert.is((await docs.preview(number)).status.state, 'failure')
  // A host that repeats the request in its error.
  await docs.push(number, { 'guide.md': '# Guide\n\n[Lost](lost.md)\n' })
  docs.host.failures.push({ status: 500, body: { message: `bad token ${TOKEN}` } })
  await here.forward(POLL_MS)
  docs.host.failures.push({ status: 422, body: { message: `bad token ${TOKEN}`, errors: [{ message: TOKEN }] } })
  await here.forward(POLL_MS)
  const failed = await docs.shown()
  const changes = [{ operation: 'insert_page', title: 'Ours', document: { markdown: '# Ours\n' } }]
  await here.admin.call('post', `/v1/spaces/${docs.space}/content`, { changes }).expect(200)
  await here.forward(20_000)
  assert.match(await git(docs.bare.path, ['cat-file', '-p', 'main']), /BEGIN PGP SIGNATURE/, 'the key is used')
  const answers = [JSON.stringify(failed)]
  const organization = `/v1/orgs/${here.service.organization}`
  for (const path of [
    docs.base,
    `${docs.base}/pull-requests`,
    `${docs.base}/runs`,
    `/v1/spaces/${docs.space}/git/info`,
    `${organization}/events`,
    `${organization}/audit-log`,
  ])
    answers.push(JSON.stringify((await here.admin.call('get', path).expect(200)).body))
  answers.push(JSON.stringify((await here.admin.call('post', `${docs.base}/test`).expect(200)).body))
  assert.ok(
    seen.some((text) => text.includes(docs.bare.path.split('/').slice(-2).join('/'))),
    'processes were looked at while they ran',
  )
  const secrets = forms()
  assert.equal(leaks([...answers, ...logged, ...seen], secrets), [])
  const entries = (await readdir(here.service.dir, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  )
  const names = entries.map((one) => join(one.parentPath, one.name))
  const stored = await Promise.all(names.map((name) => readFile(name, 'latin1').catch(() => '')))
  assert.ok(stored.length > 20)
  assert.equal(
    names.filter((_, at) => leaks([stored[at] as string], secrets).length > 0),
    [],
  )
  // The texts that people on the host can read.
  assert.equal(
    leaks(
      docs.host.repository.statuses.map((one) => JSON.stringify(one)),
      secrets,
    ),
    [],
  )
})

test.run()
