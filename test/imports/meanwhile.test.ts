/**
 * Concurrent changes while an import reads: it writes one commit on top of them, or none with a reason. A killed
 * service finishes it once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { caller as callerOf } from '../races/client.js'
import { startServer, TOKEN } from '../races/server-process.js'
import { random } from '../simulation/two-sided/random.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { seeds } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { ask, contentOf, ended, type Import, newSpace, serve, type Web } from './story-support.js'

const [test, here] = await suiteWith('imports and concurrent changes', () =>
  startService({ env: { BINDERY_IMPORT_DELAY_MS: '0', BINDERY_IMPORT_WAIT_SECONDS: '0' } }),
)

/** A website of some pages whose last one is sent when the test allows it. */
async function held(): Promise<Web & { asked: Promise<void>; release: () => void }> {
  let release = (): void => {}
  let asked = (): void => {}
  const free = new Promise<void>((done) => (release = done))
  const arrived = new Promise<void>((done) => (asked = done))
  const html = (title: string, body: string): string =>
    `<html><head><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`
  const web = await serve(async (request, response) => {
    const name = request.url ?? ''
    if (!['/', '/one', '/two'].includes(name)) return void response.writeHead(404).end()
    if (name === '/two') {
      asked()
      await free
    }
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        name === '/'
          ? html('Home', '<p>homeword <a href="/one">1</a> <a href="/two">2</a></p>')
          : html(name.slice(1), `<p>${name.slice(1)}word</p>`),
      )
  })
  return { ...web, asked: arrived, release }
} // prettier-ignore

interface Scene {
  space: string
  url: string
  /** Runs a function while the import waits for its last page. */
  meanwhile: () => Promise<unknown>
  by?: typeof here.admin
  at?: string
}

async function play({
  space,
  meanwhile,
  by = here.admin,
  at = `/v1/spaces/${space}/content`,
}: Omit<Scene, 'url'>): Promise<Import | null> {
  const web = await held()
  try {
    const { id } = await ask(by, at, { url: `${web.origin}/`, source: 'website' })
    await web.asked
    await meanwhile()
    web.release()
    const gone = (await here.admin.call('get', `/v1/spaces/${space}`)).status === 404
    return gone ? null : await ended(here.admin, space, id)
  } finally {
    web.release()
    await web.close()
  }
}

const edit = (at: string, changes: object[]) => here.admin.call('post', `${at}/content`, { changes })

test('an import is one commit on top of the concurrent edits of others', async () => {
  const space = await newSpace(here)
  const over = await play({
    space,
    meanwhile: async () => {
      for (const title of ['home', 'Home', 'One'])
        await edit(`/v1/spaces/${space}`, [
          { operation: 'insert_page', title, document: { markdown: `otherword${title}z` } },
        ]).expect(200)
    },
  })
  assert.is(over?.state, 'completed', over?.error)
  const content = await contentOf(here, space)
  for (const word of ['homeword', 'oneword', 'twoword', 'otherwordhomez', 'otherwordHomez', 'otherwordOnez'])
    content.fileOf(word)
  assert.is(content.commits, 5)
})

test('two concurrent imports and edits are each applied once', async () => {
  const space = await newSpace(here)
  const web = await held()
  web.release()
  const asked = await Promise.all(
    [1, 2, 3].map(() => ask(here.admin, `/v1/spaces/${space}/content`, { url: `${web.origin}/`, source: 'website' })),
  )
  for (let i = 0; i < 5; i++)
    await edit(`/v1/spaces/${space}`, [
      { operation: 'insert_page', title: `Home ${i}`, document: { markdown: `otherword${i}z` } },
    ]).expect(200)
  for (const { id } of asked) assert.is((await ended(here.admin, space, id)).state, 'completed')
  await web.close()
  const content = await contentOf(here, space)
  for (let i = 0; i < 5; i++) content.fileOf(`otherword${i}z`)
  assert.is(content.texts().filter(([, text]) => text.includes('homeword')).length, 3)
  assert.is(content.commits, 1 + 5 + 3)
})

test('a page that is deleted during an import gets no subpages', async () => {
  const space = await newSpace(here)
  await edit(`/v1/spaces/${space}`, [
    { operation: 'insert_page', title: 'Target', document: { markdown: 'targetword' } },
  ]).expect(200)
  const { body } = await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  const target = body.pages.find(({ title }: { title: string }) => title === 'Target').id
  const over = await play({
    space,
    at: `/v1/spaces/${space}/content/page/${target}`,
    meanwhile: () => edit(`/v1/spaces/${space}`, [{ operation: 'delete_page', page: target }]).expect(200),
  })
  assert.is(over?.state, 'failed')
  assert.match(over?.error as string, /page/i)
  assert.is((await contentOf(here, space)).has('homeword'), false)
})

test('an import writes nothing if the space is locked or the user loses the role', async () => {
  const space = await newSpace(here)
  const editor = await here.caller(null)
  const grant = (role: string) =>
    here.admin.call('post', `/v1/spaces/${space}/permissions`, { role, users: [editor.user] }).expect(204)
  const before = await contentOf(here, space)
  await grant('edit')
  const demoted = await play({ space, by: editor, meanwhile: () => grant('read') })
  assert.is(demoted?.state, 'failed')
  assert.match(demoted?.error as string, /no longer allowed|role|permission/i)
  await grant('edit')
  const gone = await play({
    space,
    by: editor,
    meanwhile: () => here.admin.call('delete', `/v1/spaces/${space}/permissions/users/${editor.user}`).expect(204),
  })
  assert.is(gone?.state, 'failed')
  await grant('edit')
  const locked = await play({
    space,
    by: editor,
    meanwhile: () => here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200),
  })
  assert.is(locked?.state, 'failed')
  assert.match(locked?.error as string, /locked/i)
  assert.is((await contentOf(here, space)).commits, before.commits)
  await here.admin
    .call('post', `/v1/spaces/${space}/content/import`, { url: 'http://127.0.0.1:9/', source: 'website' })
    .expect(423)
})

test('an import writes nothing to a change request that is archived or merged during it', async () => {
  const space = await newSpace(here)
  for (const how of ['archived', 'merged']) {
    const { body } = await here.admin.call('post', `/v1/spaces/${space}/change-requests`, { subject: how }).expect(201)
    const at = `/v1/spaces/${space}/change-requests/${body.id}`
    await edit(at, [{ operation: 'insert_page', title: how, document: { markdown: `${how}word` } }]).expect(200)
    const end = () =>
      (how === 'merged'
        ? here.admin.call('post', `${at}/merge`)
        : here.admin.call('patch', at, { status: 'archived' })
      ).expect(200)
    const over = await play({ space, at: `${at}/content`, meanwhile: end })
    assert.is(over?.state, 'failed')
    assert.match(over?.error as string, new RegExp(how))
  }
  assert.is((await contentOf(here, space)).has('homeword'), false)
})

test('deletion of a space ends its import, and the queue continues', async () => {
  const space = await newSpace(here)
  await play({
    space,
    meanwhile: () =>
      here.admin.call('delete', `/v1/spaces/${space}`).expect((response) => assert.ok(response.status < 300)),
  })
  const over = await play({ space: await newSpace(here), meanwhile: async () => {} })
  assert.is(over?.state, 'completed')
})

test('a stopping service requeues the import, and the next start finishes it once', async () => {
  const space = await newSpace(here)
  const web = await held()
  try {
    const { id } = await ask(here.admin, `/v1/spaces/${space}/content`, { url: `${web.origin}/`, source: 'website' })
    await web.asked
    await here.restart()
    web.release()
    assert.is((await ended(here.admin, space, id)).state, 'completed')
    const content = await contentOf(here, space)
    for (const word of ['homeword', 'oneword', 'twoword']) content.fileOf(word)
    assert.is(content.commits, 2)
  } finally {
    await web.close()
  }
})

for (const seed of seeds(1, 20))
  test(
    `a service that is killed at random finishes each import once, seed ${seed}`,
    async () => {
      const next = random(seed)
      const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
      const env = {
        BINDERY_IMPORT_DELAY_MS: '0',
        BINDERY_IMPORT_WAIT_SECONDS: '0',
        BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
      }
      const pages = 40
      const page = (i: number): string =>
        `<html><head><title>P${i}</title></head><body><main><h1>P${i}</h1><p>word${i}z <a href="/${(i + 1) % pages}">next</a> <a href="/${(i * 7) % pages}">other</a></p></main></body></html>`
      const web = await serve((request, response) => {
        const at = request.url === '/' ? 0 : Number((request.url ?? '').slice(1))
        if (Number.isInteger(at) && at < pages) response.writeHead(200, { 'content-type': 'text/html' }).end(page(at))
        else response.writeHead(404).end()
      })
      let server = await startServer(dir, env)
      try {
        let call = callerOf(server.url, TOKEN, () => {})
        const space = (await call('POST', `/v1/orgs/${server.organization}/spaces`, { title: 'Docs' })).body.id
        const { body } = await call('POST', `/v1/spaces/${space}/content/import`, {
          url: `${web.origin}/`,
          source: 'website',
        })
        for (let kills = 2 + next(2); kills > 0; kills--) {
          await sleep(next(900))
          await server.kill('tree')
          server = await startServer(dir, env)
          call = callerOf(server.url, TOKEN, () => {})
        }
        let over = (await call('GET', `/v1/spaces/${space}/content/imports/${body.import}`)).body
        while (over.state !== 'completed' && over.state !== 'failed') {
          await sleep(100)
          over = (await call('GET', `/v1/spaces/${space}/content/imports/${body.import}`)).body
        }
        assert.is(over.state, 'completed', over.error)
        assert.is(over.importedResources, pages)
        const content = await contentOf({ ...here, dir }, space)
        assert.is(content.commits, 2)
        for (let i = 0; i < pages; i++) content.fileOf(`word${i}z`)
        await git(join(dir, 'repos', `${space}.git`), ['fsck', '--strict'])
      } finally {
        await server.kill('tree')
        await web.close()
        await rm(dir, { recursive: true, force: true })
      }
    },
    { timeoutMs: 180_000 },
  )

test.run()
