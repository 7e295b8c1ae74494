import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { until } from '../races/server-process.js'
import { createBareRepository } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { startGitHub } from '../support/hosts/github.js'
import { processTexts } from '../support/processes.js'
import { makeKey, startSshd } from '../support/sshd.js'
import { suiteWith } from '../support/suite.js'
import { QUIET_MS, startConnected } from './connected.js'

const logged: string[] = []

const [test, { here, sshd, github, commitKey }] = await suiteWith('secrecy of connection keys', async () => {
  const sshd = await startSshd()
  const commitKey = await makeKey(sshd.folder, 'commits')
  const log = createLog({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } })
  const here = await startConnected({ overrides: { log }, env: { BINDERY_COMMIT_KEY_FILE: commitKey } })
  const github = await startGitHub(() => here.clock.now())
  return { here, sshd, github, commitKey, close: () => Promise.all([here.close(), sshd.close(), github.close()]) }
})

/** The lines that only this key contains: those between its first two and its last. */
const linesOf = (key: string): string[] => key.trim().split('\n').slice(2, -1)

/** Returns the bytes of every file of the service. */
async function stored(): Promise<string[]> {
  const entries = await readdir(here.service.dir, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((one) => one.isFile())
      .map((one) => readFile(join(one.parentPath, one.name), 'latin1').catch(() => '')),
  )
}

/** Returns the API responses about a connection, its space and the organization. */
async function answers(space: string, base: string): Promise<string[]> {
  const paths = [base, `${base}/runs`, `/v1/spaces/${space}/git/info`, `/v1/spaces/${space}/git/connections`]
  const all = [
    ...paths,
    `/v1/orgs/${here.service.organization}/events`,
    `/v1/orgs/${here.service.organization}/audit-log`,
  ]
  return Promise.all(
    all.map(async (path) => JSON.stringify((await here.service.admin.call('get', path).expect(200)).body)),
  )
}

const leaks = (texts: readonly string[], secrets: readonly string[]): string[] =>
  texts.filter((text) => secrets.some((secret) => text.includes(secret)))

test('a deploy key and the commit signing key are stored and shown nowhere in plain text', async () => {
  const { admin } = here.service
  const theirs = await createBareRepository(join(sshd.folder, 'docs.git'), { files: { 'README.md': '# Home\n' } })
  const privateKey = await readFile(sshd.key, 'utf8')
  const secrets = [...linesOf(privateKey), ...linesOf(await readFile(commitKey, 'utf8'))]
  assert.ok(secrets.length >= 4)
  const space = await here.space()
  // The other end waits for a file, so that `ssh` is running while the test lists processes.
  const go = join(sshd.folder, 'go')
  const commands = join(sshd.folder, 'waiting')
  const command = `#!/bin/sh\n: > '${commands}'\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\nexec git shell -c "$SSH_ORIGINAL_COMMAND"\n`
  await writeFile(join(sshd.folder, 'git-only'), command)
  const connecting = here.connect(space, {
    url: sshd.url(theirs.path),
    credential: { kind: 'sshKey', privateKey, knownHosts: sshd.hostLine },
  })
  await until(() => existsSync(commands) || null)
  const seen = processTexts()
  await writeFile(go, '')
  const { base } = await connecting
  await here.write(space, 'Ours', '# Ours\n')
  await here.forward(QUIET_MS)
  assert.is(await git(theirs.path, ['show', 'main:ours.md']), '# Ours', 'the deploy key is used')
  assert.match(await git(theirs.path, ['cat-file', '-p', 'main']), /BEGIN SSH SIGNATURE/, 'the other key is used')
  // A failure with a notice: the server no longer accepts the key.
  await writeFile(join(sshd.folder, 'authorized_keys'), await readFile(`${sshd.otherKey}.pub`))
  await admin.call('post', `${base}/run`).expect(202)
  await here.idle()
  const failure = (await here.get(base)).failure
  assert.ok(failure)
  const tested = JSON.stringify((await admin.call('post', `${base}/test`).expect(200)).body)
  assert.ok(
    seen.some((text) => text.includes(theirs.path)),
    'processes were looked at while they ran',
  )
  assert.equal(leaks([...seen, ...logged, tested, ...(await answers(space, base))], secrets), [])
  assert.equal(leaks(await stored(), secrets), [])
})

test("a GitHub App's key, installation tokens and signatures appear nowhere in plain text", async () => {
  const { admin } = here.service
  const { app } = github
  const theirs = await here.remotes.createRepository('acme/docs.git', { files: { 'README.md': '# Home\n' } })
  const seen: string[] = []
  here.remotes.behaviour.onRequest = () => {
    here.remotes.behaviour.auth = { username: 'x-access-token', password: app.made.at(-1) ?? 'none yet' }
    seen.push(...processTexts())
  }
  const credential = { kind: 'githubApp', appId: app.id, installationId: app.installation, privateKey: app.privateKey }
  const space = await here.space()
  const { base } = await here.connect(space, { url: theirs.url, provider: 'github', apiUrl: github.apiUrl, credential })
  await here.write(space, 'Ours', '# Ours\n')
  await here.forward(QUIET_MS)
  assert.equal(await here.remoteFiles(theirs), await here.files(space), 'the credential is used')
  // Errors of the API and of Git send notices, too.
  github.failures.push({ status: 403, body: { message: 'Resource not accessible by integration' } })
  const tested = JSON.stringify((await admin.call('post', `${base}/test`).expect(200)).body)
  here.remotes.behaviour.pushStatus = 403
  await here.write(space, 'More', '# More\n')
  await here.forward(QUIET_MS)
  assert.ok((await here.get(base)).failure)
  const tokens = app.made.flatMap((token) => [token, Buffer.from(`x-access-token:${token}`).toString('base64')])
  const signed = github.requests.flatMap(({ headers }) => headers.authorization?.split(' ')[1] ?? [])
  const secrets = [...linesOf(app.privateKey), ...tokens, ...signed]
  assert.ok(tokens.length >= 2 && signed.length > 0)
  assert.ok(
    seen.some((text) => text.includes(theirs.url)),
    'processes were looked at while they ran',
  )
  assert.equal(leaks([...seen, ...logged, tested, ...(await answers(space, base))], secrets), [])
  assert.equal(leaks(await stored(), secrets), [])
})

test.run()
