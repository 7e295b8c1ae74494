import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { connections, jobs } from '../../src/model/index.js'
import { as, organization } from '../people/fixture.js'
import { startGitHttp } from '../support/git-http.js'
import { startService } from '../support/service.js'
import { startSmtp } from '../support/smtp.js'
import { suiteWith } from '../support/suite.js'

const ignoreSilent = ({ url }: { url: string }): Promise<void> | undefined =>
  url.includes('silent') ? new Promise(() => {}) : undefined

/** A service, a Git server, a website and a mail server. URLs with "silent" get no response until the end. */
const [test, here] = await suiteWith('job queues', async () => {
  const smtp = await startSmtp()
  const service = await startService({
    env: {
      BINDERY_SMTP_URL: smtp.url,
      BINDERY_MAIL_FROM: 'docs@people.example',
      BINDERY_IMPORT_DELAY_MS: '0',
      BINDERY_REMOTE_TIMEOUT_SECONDS: '600',
    },
  })
  const remotes = await startGitHttp({ root: join(service.dir, 'remotes') })
  remotes.behaviour.onRequest = ignoreSilent
  const site = createServer((request, response) => {
    if (!request.url?.includes('silent'))
      response.setHeader('content-type', 'text/html').end('<main><h1>Docs</h1><p>Text.</p></main>')
  })
  await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready))
  const { url } = await remotes.createRepository('docs.git', { files: { 'README.md': '# Docs\n' } })
  const close = async (): Promise<void> => {
    site.closeAllConnections()
    site.close()
    await remotes.close()
    await service.close()
    await smtp.close()
  }
  return {
    service,
    smtp,
    remotes,
    git: url,
    silent: `${remotes.url}/silent`,
    site: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    close,
  }
})
const { admin, organization: first } = here.service

const spaceOf = async (org: string): Promise<string> =>
  `/v1/spaces/${(await admin.call('post', `/v1/orgs/${org}/spaces`, { title: 'Docs' }).expect(201)).body.id}`
const stateOf = async (space: string): Promise<string> =>
  (await admin.call('get', `${space}/git/info`).expect(200)).body.state
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 50))
}
const startImport = async (org: string, url: string): Promise<string> => {
  const space = await spaceOf(org)
  await admin.call('post', `${space}/git/import`, { url, ref: 'refs/heads/main' }).expect(204)
  return space
}
const areUnderWay = async (spaces: readonly string[]): Promise<boolean> => {
  const states = await Promise.all(spaces.map(stateOf))
  return states.every((state) => state === 'queued' || state === 'running')
}

test('imports from a silent host do not delay other syncs or emails', async () => {
  const stuck: string[] = []
  for (let n = 0; n < 3; n++) stuck.push(await startImport(first, `${here.silent}${n}.git`))
  await until(async () => (await Promise.all(stuck.map(stateOf))).includes('running'))
  const other = await organization(here.service)
  const imported = await startImport(other, here.git)
  await until(async () => (await stateOf(imported)) === 'success')
  await as(here.service, null, 'post', '/v1/sign-in', { email: 'someone@people.example' }).expect(202)
  await admin.call('post', `/v1/orgs/${other}/invites`, { emails: ['new@people.example'] }).expect(200)
  await here.smtp.mailTo('new@people.example')
  const own = await startImport(first, here.git)
  await until(async () => (await stateOf(own)) === 'success')
  assert.ok(await areUnderWay(stuck), 'no import from the silent host is over')
})

test('polls of a silent host do not delay other polls', async () => {
  const other = await organization(here.service)
  const connect = async (
    org: string,
    name: string,
  ): Promise<{ id: string; space: string; push: (files: Record<string, string>) => Promise<unknown> }> => {
    const repository = await here.remotes.createRepository(`${name}.git`, { files: { 'README.md': '# Docs\n' } })
    const space = await spaceOf(org)
    const input = { url: repository.url, ref: 'refs/heads/main', direction: 'import' }
    const { body } = await admin.call('post', `${space}/git/connections`, input).expect(201)
    await until(
      async () => (await admin.call('get', `${space}/git/connections/${body.id}`)).body.lastRun?.state === 'success',
    )
    return { id: body.id, space, push: (files) => repository.commit(files) }
  }
  const quiet: string[] = []
  for (let n = 0; n < 6; n++) quiet.push((await connect(first, `later-${n}`)).id)
  const live = await connect(other, 'live')
  let waiting = 0
  here.remotes.behaviour.onRequest = ({ url }) =>
    /later-/.test(url) ? new Promise<void>(() => void waiting++) : undefined
  const { app } = here.service.service
  for (const connection of quiet) app.wakes.connections({ connection })
  await until(async () => waiting > 0)
  await live.push({ 'new.md': '# New\n' })
  app.wakes.connections({ connection: live.id })
  await until(async () => (await admin.call('get', `${live.space}/content/pages`)).text.includes('"New"'))
  const failures = await Promise.all(quiet.map((id) => app.store.get(connections, id)))
  assert.ok(
    failures.every((one) => one?.failure === undefined),
    'no poll of the silent host is over',
  )
  here.remotes.behaviour.onRequest = ignoreSilent
})

test('content imports from a silent website do not delay others', async () => {
  // Their responses are sent when the website is closed, at the end.
  for (let n = 0; n < 4; n++) {
    const space = await spaceOf(first)
    void admin.call('post', `${space}/content/import`, { url: `${here.site}/silent${n}`, source: 'website' }).then(
      () => {},
      () => {},
    )
  }
  const { store } = here.service.service.app
  const states = async (): Promise<string[]> =>
    (await store.all(jobs)).filter(({ kind }) => kind === 'content-import').map(({ state }) => state)
  await until(async () => (await states()).length === 4 && (await states()).includes('running'))
  const other = await organization(here.service)
  const space = await spaceOf(other)
  const { body } = await admin
    .call('post', `${space}/content/import`, { url: `${here.site}/docs`, source: 'website' })
    .expect(201)
  assert.is(body.state, 'completed')
  assert.is((await states()).filter((state) => state === 'done').length, 1, 'no import from the silent website is over')
})

test.run()
