/** The past of a page shows nothing of a text that was removed from the history of its space. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { purgeSecret } from '../../src/commands/purge-secret.js'
import { loadConfig } from '../../src/config.js'
import { openDesk } from '../commits/fixture.js'
import { nodeKey } from '../support/node-key.js'
import { databaseSettings } from '../support/service-database.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { publishSite } from './published.js'

// @embedded-only: plain-git
const test = suite('sites: past versions after a purge')
const SECRET = 'sk_live_4eC39HqLyjWD'
const DAY = 24 * 60 * 60

test('old commits are missing, and no version, mark or list contains the removed text', async () => {
  const here = await startService()
  const now = Math.floor(Date.now() / 1000)
  const desk = await openDesk(here, { 'README.md': '# Start\n\nText.\n' })
  const commit = (daysAgo: number, text: string) =>
    desk.human({ 'guide.md': `# Guide\n\n${text}\n` }, { seconds: now - daysAgo * DAY })
  const first = await commit(9, 'One.')
  const leaked = await commit(6, `The key is ${SECRET}.`)
  const last = await commit(3, 'The key is in the vault.')
  const { base, api } = await publishSite(here, [desk.space])
  await here.admin.call('patch', api, { pastVersions: true, changesSince: true }).expect(200)
  const read = async (path: string) => {
    const response = await fetch(`${here.service.sites}${base}${path}`)
    return { status: response.status, text: await response.text() }
  }
  const day = new Date((now - 5 * DAY) * 1000).toISOString().slice(0, 10)
  const below = [`/~/at/${leaked}/guide`, `/~/at/${leaked}/guide.md`, `/~/at/${day}/guide`]
  for (const path of below) assert.match((await read(path)).text, SECRET, path)
  const oldMap = (await read('/~/timemap/guide')).text
  for (const id of [first, leaked, last]) assert.match(oldMap, id)
  await here.service.close()
  const file = join(await mkdtemp(join(tmpdir(), 'secret-')), 'text')
  await writeFile(file, `${SECRET}\n`)
  const config = loadConfig({
    BINDERY_DATA_DIR: join(here.dir, 'data'),
    BINDERY_REPOS_DIR: join(here.dir, 'repos'),
    BINDERY_SAMPLE_SITE: 'false',
    ...(await databaseSettings(here.dir)),
    ...nodeKey({}),
  })
  assert.ok((await purgeSecret(config, desk.space, { path: [], text: [file], person: [], yes: true })).done)
  await here.restart()
  for (const id of [leaked, last])
    for (const path of [`/~/at/${id}/guide`, `/~/at/${id.slice(0, 9)}/guide`, `/~/at/${id}/guide.md`])
      assert.is((await read(path)).status, 404, path)
  assert.is((await read(`/~/at/${first}/guide`)).status, 200, 'a commit before the text stays')
  const map = (await read('/~/timemap/guide')).text
  const ids = [...map.matchAll(/\/~\/at\/([0-9a-f]{40})/g)].map(([, id = '']) => id)
  assert.is(ids.length, 3)
  for (const id of [leaked, last]) assert.not.match(map, id)
  const others = [
    '/guide',
    `/guide?since=${leaked}`,
    `/guide?since=${ids[1]}`,
    `/guide?since=${day}`,
    '/~/versions/guide',
  ]
  for (const path of [...below, ...others, ...ids.map((id) => `/~/at/${id}/guide`)])
    assert.not.match((await read(path)).text, SECRET, path)
  assert.match((await read(`/~/at/${day}/guide`)).text, 'The key is')
  await here.close()
})

test.run()
