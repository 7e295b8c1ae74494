/** Removes a text from a space of two nodes: from the database, and from the copies of the node that did not run it. */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import * as assert from 'uvu/assert'
import { purgeSecret } from '../../src/commands/purge-secret.js'
import { loadConfig } from '../../src/config.js'
import { flat } from '../commits/fixture.js'
import { gitBytes } from '../support/hermetic-git.js'
import { nodeKey } from '../support/node-key.js'
import { startPostgres } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('purge-secret on nodes')
const postgres = await startPostgres()
test.after(() => postgres.close())
const env = { BINDERY_DATABASE_URL: await postgres.database() }
const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'

/** Lists the files of a node, and its copies of repositories, that contain the secret. */
async function placesOf({ dir }: TestService): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && (await readFile(path)).includes(SECRET)) found.push(path)
    if (!entry.isDirectory() || !entry.name.endsWith('.git')) continue
    if ((await gitBytes(path, ['cat-file', '--batch-all-objects', '--batch', '--unordered'])).includes(SECRET))
      found.push(path)
  }
  return found
}

/** Lists the tables with a row that contains the secret, and packs that belong to no repository. */
async function tablesWith(): Promise<string[]> {
  const client = new Client({ connectionString: env.BINDERY_DATABASE_URL })
  await client.connect()
  const names = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  const found: string[] = []
  for (const { tablename } of names.rows) {
    const { rows } = await client.query(`SELECT FROM ${tablename} AS t WHERE t::text LIKE $1 LIMIT 1`, [`%${SECRET}%`])
    if (rows.length > 0) found.push(tablename)
  }
  const loose = 'SELECT id FROM packs WHERE NOT EXISTS (SELECT FROM repository_packs WHERE pack = id)'
  found.push(...(await client.query(loose)).rows.map(({ id }) => id))
  await client.end()
  return found
}

test('a text disappears from the database and from all nodes, and the other node continues', async () => {
  const a = await startService({ env })
  const b = await startService({ env })
  const { body: space } = await a.admin
    .call('post', `/v1/orgs/${a.organization}/spaces`, { title: 'Docs', editMode: 'live' })
    .expect(201)
  const url = `/v1/spaces/${space.id}`
  const insert = (title: string, markdown: string) => ({ operation: 'insert_page', title, document: { markdown } })
  const changes = [insert('Keys', `The key is ${SECRET}.`), insert('Other', 'Nothing.')]
  await a.admin.call('post', `${url}/content`, { changes }).expect(200)
  await a.admin.call('post', `${url}/comments`, { body: { markdown: `Remove ${SECRET}.` } }).expect(200)
  const pages = async (node: TestService) =>
    flat(
      (await node.admin.call('get', `${url}/content/pages`).set('Authorization', `Bearer ${a.admin.token}`)).body.pages,
    )
  const before = await pages(b)
  assert.ok((await tablesWith()).includes('documents'))
  for (const node of [a, b])
    await node.admin.call('get', `${url}/search?query=key`).set('Authorization', `Bearer ${a.admin.token}`).expect(200)
  const file = join(await mkdtemp(join(tmpdir(), 'secret-')), 'text')
  await writeFile(file, SECRET)
  const config = loadConfig({
    BINDERY_DATA_DIR: join(a.dir, 'data'),
    BINDERY_REPOS_DIR: join(a.dir, 'repos'),
    BINDERY_SAMPLE_SITE: 'false',
    ...nodeKey(env),
    ...env,
  })
  const purge = () => purgeSecret(config, space.id, { path: [], text: [file], person: [], yes: true })
  await a.service.close()
  await purge().then(
    () => assert.unreachable('another node runs'),
    (error: Error) => assert.match(error.message, 'Stop all nodes'),
  )
  await b.service.close()
  const report = await purge()
  assert.ok(report.done)
  assert.is(report.documents.comments?.length, 1)
  assert.equal(await placesOf(a), [])
  assert.equal(await tablesWith(), [])
  assert.ok((await placesOf(b)).length > 0, 'the other node has not started yet')
  await b.restart()
  assert.equal(
    (await pages(b)).map(({ id, title }) => [id, title]),
    before.map(({ id, title }) => [id, title]),
  )
  assert.equal(await placesOf(b), [])
  await b.admin
    .call('post', `${url}/content`, { changes: [insert('Later', 'More.')] })
    .set('Authorization', `Bearer ${a.admin.token}`)
    .expect(200)
  assert.equal(await b.service.app.git.open(space.id).then((repo) => repo.upkeep.check()), [])
  await b.close()
})

test.run()
