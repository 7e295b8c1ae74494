import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { unsealCredential } from '../../src/domain/connections/credential.js'
import { createLog } from '../../src/kernel/log.js'
import { connections } from '../../src/model/index.js'
import { processTexts } from '../support/processes.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, QUIET_MS, startConnected } from './connected.js'

const token = 'Zq-s3cr3t/token%41+deploy'
const webhookSecret = 'Zq-webhook-secret-0123456789'
const auth = { username: 'x-access-token', password: token }
const forms = [
  token,
  encodeURIComponent(token),
  Buffer.from(`${auth.username}:${token}`).toString('base64'),
  webhookSecret,
]
const logged: string[] = []

const [test, here] = await suiteWith('secrecy of connections', () => {
  const log = createLog({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } })
  return startConnected({ overrides: { log } })
})

/** Returns the bytes of every file below a folder. */
async function textsBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((one) => one.isFile())
      .map((one) => readFile(join(one.parentPath, one.name), 'latin1').catch(() => '')),
  )
}
const leaksIn = (texts: readonly string[]): string[] =>
  texts.filter((text) => forms.some((form) => text.includes(form)))

test('no document, configuration, log, process, response or error contains the credential', async () => {
  const { admin } = here.service
  here.remotes.behaviour.auth = auth
  const seen: string[] = []
  here.remotes.behaviour.onRequest = () => void seen.push(...processTexts())
  const answers: string[] = []
  const call = async (method: 'get' | 'post' | 'patch', path: string, sent?: object): Promise<void> => {
    const { headers, text } = await admin.call(method, path, sent)
    answers.push(JSON.stringify([headers, text]))
  }
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const body = {
    url: theirs.url,
    ref: 'refs/heads/main',
    provider: 'github',
    credential: { kind: 'token', token },
    webhookSecret,
  }
  const all = `/v1/spaces/${space}/git/connections`
  const made = (await admin.call('post', all, body).expect(201)).body
  assert.is(made.webhookSecret, webhookSecret)
  const base = `${all}/${made.id}`
  await here.idle()
  await here.write(space, 'Ours', '# Ours\n')
  await here.forward(QUIET_MS)
  assert.equal(await here.remoteFiles(theirs), await here.files(space), 'the credential is used')
  for (const [method, path] of [
    ['post', `${base}/test`],
    ['get', `${base}/branches`],
    ['get', base],
    ['get', all],
    ['get', `${base}/runs`],
    ['patch', base],
    ['post', `${base}/run`],
  ] as const)
    await call(method, path, method === 'patch' ? { url: `${theirs.url}x`, commitMessage: 'x' } : undefined)
  await here.idle()
  here.remotes.behaviour.pushStatus = 403
  await here.write(space, 'More', '# More\n')
  await here.forward(QUIET_MS)
  here.remotes.behaviour.auth = { username: 'x', password: 'y' }
  await here.forward(POLL_MS * 2)
  for (const path of [
    base,
    `${base}/runs`,
    `/v1/orgs/${here.service.organization}/events`,
    `/v1/spaces/${space}/git/info`,
    `/v1/orgs/${here.service.organization}/audit-log`,
  ])
    await call('get', path)
  await call('post', all, { ...body, url: theirs.url.replace('http://', `http://u:${encodeURIComponent(token)}@`) })
  assert.ok(
    seen.some((text) => text.includes(theirs.url)),
    'processes were looked at while they ran',
  )
  assert.equal(leaksIn([...seen, ...answers, ...logged]), [])
  assert.equal(leaksIn(await textsBelow(here.service.dir)), [])
})

test('a stored credential is never sent to another server', async () => {
  const { admin } = here.service
  here.remotes.behaviour.auth = auth
  delete here.remotes.behaviour.pushStatus
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base } = await here.connect(space, { url: theirs.url, credential: { kind: 'token', token } })
  for (const change of [
    { url: 'http://localhost:1/r.git' },
    { url: theirs.url.replace('http:', 'https:') },
    { apiUrl: 'http://127.0.0.1:1/api' },
  ])
    await admin.call('patch', base, change).expect(400)
  await admin.call('patch', base, { url: 'http://localhost:1/r.git', credential: { kind: 'none' } }).expect(200)
})

test('a secret that is sealed for one connection cannot be opened for another', async () => {
  const { app } = here.service.service
  const [one, two] = (await app.store.all(connections)).filter(({ credential }) => credential.sealed !== undefined)
  assert.ok(one)
  assert.is(unsealCredential(app, one).kind, 'token')
  assert.throws(() => unsealCredential(app, { ...one, id: two?.id ?? 'another' }), /Set it again/)
})

test.run()
