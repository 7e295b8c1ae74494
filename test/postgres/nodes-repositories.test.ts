/**
 * Tests two servers on one database: each sees the other's changes to a space at once, through the API and through Git.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { admin } from '../git/fixture.js'
import { addressOf, Clone, newSpace } from '../git-door/fixture.js'
import { refreshSpace } from '../../src/commands/refresh.js'
import { loadConfig } from '../../src/config.js'
import { git } from '../support/hermetic-git.js'
import { startPostgres } from '../support/postgres.js'
import { type Caller, startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('repositories of two servers on one database')
const postgres = await startPostgres()
test.after(() => postgres.close())
const env = { BINDERY_DATABASE_URL: await postgres.database() }
const a = await startService({ env })
const b = await startService({ env })
test.after(() => Promise.all([a.close(), b.close()]))

/** A caller of node a, on another node. */
const on = (node: TestService, { token }: Caller): Caller => ({ ...node.admin, token, call: callOf(node, token) })

const callOf =
  (node: TestService, token: string): Caller['call'] =>
  (method, path, body) =>
    node.admin.call(method, path, body).set('Authorization', `Bearer ${token}`)

const adminOn = (node: TestService): Caller => on(node, a.admin)

const textOf = async (node: TestService, path: string): Promise<string> => {
  const { body } = await adminOn(node).call('get', `${path}?format=markdown`).expect(200)
  return body.markdown ?? JSON.stringify(body)
}

test('an edit on one server can be read on the other at once, in both directions', async () => {
  const space = await newSpace(a)
  assert.match(await textOf(b, `/v1/spaces/${space}/content/path/start`), /First words/)
  for (let n = 0; n < 6; n++) {
    const [writer, reader] = n % 2 === 0 ? [b, a] : [a, b]
    const change = {
      operation: 'insert_page',
      title: `Page ${n}`,
      slug: `page-${n}`,
      document: { markdown: `# Page ${n}\n\nText ${n}.\n` },
    }
    await adminOn(writer)
      .call('post', `/v1/spaces/${space}/content`, { changes: [change] })
      .expect(200)
    assert.match(await textOf(reader, `/v1/spaces/${space}/content/path/page-${n}`), new RegExp(`Text ${n}`))
  }
})

test('concurrent edits of one space on both servers are all kept', async () => {
  const space = await newSpace(a)
  const add = (node: TestService, n: number) =>
    adminOn(node)
      .call('post', `/v1/spaces/${space}/content`, {
        changes: [
          {
            operation: 'insert_page',
            title: `Race ${n}`,
            slug: `race-${n}`,
            document: { markdown: `# R\n\nRace ${n}.\n` },
          },
        ],
      })
      .expect(200)
  await Promise.all(Array.from({ length: 12 }, (_, n) => add(n % 2 === 0 ? a : b, n)))
  for (const node of [a, b])
    for (let n = 0; n < 12; n++)
      assert.match(await textOf(node, `/v1/spaces/${space}/content/path/race-${n}`), new RegExp(`Race ${n}`))
})

test('a change request of one server is edited and merged on the other', async () => {
  const space = await newSpace(a)
  const { body: request } = await adminOn(a)
    .call('post', `/v1/spaces/${space}/change-requests`, { subject: 'More' })
    .expect(201)
  const change = { operation: 'insert_page', title: 'New', slug: 'new', document: { markdown: '# New\n\nProposed.\n' } }
  await adminOn(b)
    .call('post', `/v1/spaces/${space}/change-requests/${request.id}/content`, { changes: [change] })
    .expect(200)
  assert.match(await textOf(a, `/v1/spaces/${space}/change-requests/${request.id}/content/path/new`), /Proposed/)
  await adminOn(b).call('post', `/v1/spaces/${space}/change-requests/${request.id}/merge`, {}).expect(200)
  assert.match(await textOf(a, `/v1/spaces/${space}/content/path/new`), /Proposed/)
})

test('an import on one server can be read on the other', async () => {
  const remote = join(a.dir, 'remote')
  mkdirSync(remote)
  await git(remote, ['init', '--quiet', '-b', 'main'])
  writeFileSync(join(remote, 'README.md'), '# Home\n\nFrom afar.\n')
  writeFileSync(join(remote, 'SUMMARY.md'), '# Table of contents\n\n* [Home](README.md)\n')
  await git(remote, ['add', '.'])
  await git(remote, ['commit', '--quiet', '-m', 'First'])
  const { body: space } = await adminOn(a)
    .call('post', `/v1/orgs/${a.organization}/spaces`, { title: 'Imported' })
    .expect(201)
  await adminOn(a)
    .call('post', `/v1/spaces/${space.id}/git/import`, { url: `file://${remote}`, ref: 'refs/heads/main' })
    .expect(204)
  await Promise.all([a.service.idle(), b.service.idle()])
  const { body: info } = await adminOn(b).call('get', `/v1/spaces/${space.id}/git/info`).expect(200)
  assert.is(info.url, `file://${remote}`)
  for (const node of [b, a]) {
    const { body } = await adminOn(node).call('get', `/v1/spaces/${space.id}/content`).expect(200)
    assert.match(JSON.stringify(body.pages), /Home/)
  }
})

test('a clone from one server contains the pushes to the other', async () => {
  const space = await newSpace(a)
  const caller = on(b, a.admin)
  const clone = await Clone.of(b, space, caller)
  const pushed = await clone.commit({ 'guide.md': '# Guide\n\nPushed by Git.\n' })
  await clone.git('push', '--quiet', 'origin', 'main')
  assert.is((await git(a.dir, ['ls-remote', addressOf(a, space, a.admin), 'refs/heads/main'])).split('\t')[0], pushed)
  assert.match(await textOf(a, `/v1/spaces/${space}/content/path/guide`), /Pushed by Git/)
  const other = await Clone.of(a, space, a.admin, 'other')
  assert.is(await other.git('rev-parse', 'HEAD'), pushed)
})

test('a duplicate exists on both servers, and a purge deletes a space from both disks', async () => {
  const space = await newSpace(a)
  const { body: copy } = await adminOn(b).call('post', `/v1/spaces/${space}/duplicate`, {}).expect(201)
  assert.match(await textOf(a, `/v1/spaces/${copy.id}/content/path/guide`), /How to/)
  await b.service.app.git.remove(space)
  await a.service.app.git.trimScratches()
  for (const node of [a, b]) assert.not.ok(readdirSync(join(node.dir, 'repos')).includes(`${space}.git`))
  assert.ok(existsSync(join(a.dir, 'repos', `${copy.id}.git`)))
})

test('an admin reads refreshed copies with plain Git, and a manually moved ref causes an event', async () => {
  const space = await newSpace(a)
  const config = loadConfig({ ...env, BINDERY_DATA_DIR: join(b.dir, 'data'), BINDERY_REPOS_DIR: join(b.dir, 'repos') })
  const path = await refreshSpace(config, space)
  const head = await git(path, ['rev-parse', 'main'])
  assert.is(head, await git(join(a.dir, 'repos', `${space}.git`), ['rev-parse', 'main']))
  const said = await refreshSpace(config, 'none').catch((error: Error) => error.message)
  assert.match(said, /no repository none/)
  const byHand = await git(path, ['commit-tree', `${head}^{tree}`, '-p', head, '-m', 'By hand'])
  admin({ path }, ['update-ref', 'refs/heads/main', byHand])
  await refreshSpace(config, space)
  assert.is(await git(path, ['rev-parse', 'main']), head)
  assert.match(await git(path, ['for-each-ref', 'refs/bindery/set-aside']), new RegExp(byHand))
  for (let tries = 0; tries < 200; tries++) {
    const { body } = await adminOn(a).call('get', `/v1/orgs/${a.organization}/events?limit=100`).expect(200)
    const event = body.items.find(({ type }: { type: string }) => type === 'space.ref_set_aside')
    if (event) return assert.is(event.data.found, byHand)
    await new Promise((done) => setTimeout(done, 50))
  }
  assert.unreachable('there is no event')
})

test.run()
