/** A service with damaged files of documents: what still works, what it says, and the repair. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { offline } from '../../src/commands/maintenance.js'
import { findSampleSite } from '../../src/domain/sites/sample-site.js'
import { loadConfig } from '../../src/config.js'
import { check, describeStatus } from '../../src/start/operator/upkeep.js'
import { StoreDamaged } from '../../src/store/index.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @embedded-only: data-folder
const test = suite('damaged documents')

const configOf = (here: TestService) =>
  loadConfig({ BINDERY_DATA_DIR: join(here.dir, 'data'), BINDERY_REPOS_DIR: join(here.dir, 'repos') })

const documents = (here: TestService, table: string): string => join(here.dir, 'data/store/documents', table)

/** The checkpoint file of a table that contains a text. */
async function fileWith(here: TestService, table: string, text: string): Promise<string> {
  for (const name of await readdir(documents(here, table))) {
    const file = join(documents(here, table), name)
    if ((await readFile(file, 'utf8')).includes(text)) return file
  }
  return assert.unreachable(`no file of ${table} contains ${text}`) as never
}

/** Truncates a file in its last line, so that the documents before stay readable. */
const ruin = async (file: string): Promise<void> => {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.slice(0, text.lastIndexOf('],') - 1))
}

/** A service with two spaces that each have a page and a change request. */
async function withSpaces(
  documents: { maxKeptLogBytes?: number } = {},
): Promise<{ here: TestService; sound: string; broken: string }> {
  const here = await startService({ overrides: { documents } })
  const made: string[] = []
  for (const title of ['Sound', 'Broken']) {
    const { body } = await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)
    made.push(body.id)
    await edit(here, body.id, title).expect(200)
    await here.admin.call('post', `/v1/spaces/${body.id}/change-requests`, { subject: title }).expect(201)
  }
  await here.service.close()
  return { here, sound: made[0] as string, broken: made[1] as string }
}

const edit = (here: TestService, space: string, title: string) =>
  here.admin.call('post', `/v1/spaces/${space}/content`, {
    changes: [{ operation: 'insert_page', title, document: { markdown: 'Words.' } }],
    message: title,
  })

test('a damaged space returns 503 with the remedy while other spaces are edited', async () => {
  const { here, sound, broken } = await withSpaces()
  const file = await fileWith(here, 'spaces', broken)
  await ruin(file)
  const ruined = await readFile(file, 'utf8')
  await here.restart()

  for (const path of ['', '/content', '/change-requests']) {
    const { body } = await here.admin.call('get', `/v1/spaces/${broken}${path}`).expect(503)
    assert.match(body.error.message, /store\/documents\/spaces\/.*damaged.*bindery fsck --repair/)
    assert.not.match(body.error.message, here.dir)
  }
  await edit(here, broken, 'Rejected').expect(503)
  await here.admin.call('get', `/v1/spaces/${sound}/content`).expect(200)
  await edit(here, sound, 'Accepted').expect(200)
  await here.admin.call('post', `/v1/spaces/${sound}/change-requests/1/merge`).expect(200)

  const ready = await fetch(`${here.url}/readyz`)
  assert.is(ready.status, 200)
  const { warnings } = (await ready.json()) as { warnings: string[] }
  assert.match(warnings[0] ?? '', 'store/documents/spaces/')
  assert.match(warnings[1] ?? '', /The log of the documents has [1-9][\d,]* bytes\. It grows/)
  const operation = { app: here.service.app, repairs: [], since: new Date(), missing: async () => [] }
  const signal = new AbortController().signal
  const status = await describeStatus({ ...operation, tell: () => {}, signal })
  assert.ok(status.problems)
  assert.match(status.text, file)
  assert.match(status.text, /The log of the documents has [1-9][\d,]* bytes/)
  const refusal = await check({ ...operation, tell: () => {}, signal }, { deep: false, repair: true }).catch(String)
  assert.match(String(refusal), 'Stop the server first')

  await here.service.close()
  assert.is(await readFile(file, 'utf8'), ruined, 'the server wrote nothing to it')
})

test('writes return 507 with the damaged file when the log has its maximum size', async () => {
  const { here, sound, broken } = await withSpaces({ maxKeptLogBytes: 40_000 })
  await ruin(await fileWith(here, 'spaces', broken))
  await here.restart()
  let status = 200
  for (let n = 0; n < 60 && status === 200; n++) ({ status } = await edit(here, sound, `Page ${n}`))
  assert.is(status, 507)
  for (let restarts = 0; restarts < 2; restarts++) {
    const { body } = await edit(here, sound, 'Rejected').expect(507)
    assert.match(
      body.error.message,
      /cannot store data.*store\/documents\/spaces\/.*bindery fsck --repair.*Reading works/,
    )
    assert.not.match(body.error.message, here.dir)
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Rejected' }).expect(507)
    await here.admin.call('get', `/v1/spaces/${sound}/content/path/page-0`).expect(200)
    const ready = await fetch(`${here.url}/readyz`)
    assert.is(ready.status, 503)
    assert.match(await ready.text(), /log of the documents has reached .*cannot grow.*fsck --repair/)
    await here.restart()
  }
  await here.service.close()
  await (await offline(configOf(here), { repair: true })).close()
  await here.restart()
  await edit(here, sound, 'Accepted').expect(200)
  assert.is((await fetch(`${here.url}/readyz`)).status, 200)
})

test('a repair restores a truncated file, and a full check names it once', async () => {
  const { here, sound, broken } = await withSpaces()
  const file = await fileWith(here, 'change-requests', broken)
  await writeFile(file, (await readFile(file, 'utf8')).replace(/,\n"crc32".*/s, ''))
  const repaired = await offline(configOf(here), { repair: true })
  const { signal } = new AbortController()
  const operation = { app: repaired.app, repairs: [], since: null, missing: async () => [], tell: () => {}, signal }
  const { text } = await check(operation, { deep: false, repair: true })
  await repaired.close()
  assert.match(text, `${file} was damaged`)
  assert.match(text, '1 document was readable')
  await here.restart()
  assert.equal(here.service.app.store.damaged, [])
  for (const space of [sound, broken]) {
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/change-requests/1`).expect(200)
    assert.is(body.number, 1)
  }
})

test('the journal of an organization is repaired from its segments', async () => {
  const { here } = await withSpaces()
  const [name] = await readdir(documents(here, 'journal-audit-log'))
  await ruin(join(documents(here, 'journal-audit-log'), name as string))
  await here.restart()
  await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log`).expect(503)
  await here.admin.call('get', '/v1/user').expect(200)
  await here.service.close()
  await (await offline(configOf(here), { repair: true })).close()
  await here.restart()
  const { body } = await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log`).expect(200)
  assert.ok(body.items.some((entry: { operation: string }) => entry.operation === 'createChangeRequestInSpace'))
})

test('the start does not need a damaged site, whose address stays taken', async () => {
  const { here } = await withSpaces()
  await here.restart()
  const sites = `/v1/orgs/${here.organization}/sites`
  const { body } = await here.admin.call('post', sites, { title: 'Broken' }).expect(201)
  await here.service.close()
  await ruin(await fileWith(here, 'sites', body.id))
  await here.restart()
  assert.is(await findSampleSite(here.service.app, here.organization), null)
  await here.admin.call('get', `${sites}/${body.id}`).expect(503)
  await here.admin.call('post', sites, { title: 'Broken' }).expect(503)
  await here.admin.call('get', '/v1/user').expect(200)
})

test('damage of the first admin stops the start with the file and the remedy', async () => {
  const { here } = await withSpaces()
  const [name] = await readdir(documents(here, 'organizations'))
  const file = join(documents(here, 'organizations'), name as string)
  await ruin(file)
  try {
    await here.restart()
    assert.unreachable()
  } catch (error) {
    assert.instance(error, StoreDamaged)
    assert.match(String(error), file)
    assert.match(String(error), 'bindery fsck --repair')
  }
})

test.run()
