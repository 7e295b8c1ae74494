import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { forgetKey } from '../../src/commands/keys.js'
import { checkAll } from '../../src/commands/maintenance.js'
import { loadConfig } from '../../src/config.js'
import { startServer } from '../races/server-process.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @embedded-only: plain-git
const test = suite<object>('keys and tokens of an installation')

const configOf = (dir: string) =>
  loadConfig({ BINDERY_DATA_DIR: join(dir, 'data'), BINDERY_REPOS_DIR: join(dir, 'repos'), BINDERY_PORT: '0' })
const statusWith = async (url: string, token: string): Promise<number> =>
  (await request(url).get('/v1/user').set('Authorization', `Bearer ${token}`)).status

async function refusalOf(starting: Promise<unknown>): Promise<string> {
  let refusal = ''
  await starting.catch((error: Error) => (refusal = error.message))
  return refusal
}

test('a changed BINDERY_ADMIN_TOKEN revokes the earlier one, and other tokens stay', async () => {
  const [first, second] = ['bindery_first_admin_token_0123456789', 'bindery_second_admin_token_0123456789']
  const here = await startService({ env: { BINDERY_ADMIN_TOKEN: first } })
  const { body: own } = await here.admin.call('post', '/v1/user/tokens', { label: 'Mine' }).expect(201)
  await here.service.close()
  const later = await startService({ env: { BINDERY_ADMIN_TOKEN: second }, dir: here.dir })
  assert.equal(
    [await statusWith(later.url, first), await statusWith(later.url, second), await statusWith(later.url, own.token)],
    [401, 200, 200],
  )
  await later.close()
})

test('a token from the environment is never printed', async () => {
  const here = await startService()
  await here.service.close()
  const token = 'bindery_another_admin_token_0123456789'
  const server = await startServer(here.dir, { BINDERY_ADMIN_TOKEN: token, BINDERY_LOG_LEVEL: 'info' })
  await server.kill('group')
  assert.match(server.output(), /the one in BINDERY_ADMIN_TOKEN/)
  assert.not.match(server.output(), new RegExp(token))
  rmSync(here.dir, { recursive: true, force: true })
})

test('a missing, damaged or replaced signing key is rejected with the consequences', async () => {
  const here = await startService()
  const file = join(here.dir, 'data/signing-key')
  const key = readFileSync(file, 'utf8')
  await here.service.close()
  rmSync(file)
  assert.match(await refusalOf(here.restart()), /no signing key.*links to files and share links are no longer valid/)
  assert.throws(() => statSync(file), /ENOENT/, 'no new key is made')
  writeFileSync(file, key.slice(0, 40))
  assert.match(await refusalOf(here.restart()), /signing-key is damaged.*64 hexadecimal digits/)
  writeFileSync(file, `${'0123456789abcdef'.repeat(4)}\n`)
  assert.match(
    await refusalOf(here.restart()),
    /is not the one of this installation.*Restore data\/signing-key from a backup/,
  )
  writeFileSync(file, key)
  await here.restart()
  await here.service.close()
  rmSync(file)
  assert.match(await forgetKey(configOf(here.dir), 'signing'), /can no longer be read/)
  await here.restart()
  assert.is.not(readFileSync(file, 'utf8'), key)
  await here.close()
})

test('fsck reports a journal with overwritten bytes', async () => {
  const here = await startService()
  for (let n = 0; n < 5; n++)
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: `Space ${n}` }).expect(201)
  await here.service.close()
  const journals = join(here.dir, 'data/store/journals')
  const [segment] = (readdirSync(journals, { recursive: true }) as string[]).filter((name) => name.endsWith('.jsonl'))
  const path = join(journals, segment as string)
  const bytes = readFileSync(path)
  bytes.write('damaged', bytes.length >> 1)
  writeFileSync(path, bytes)
  const { complaints } = await checkAll(configOf(here.dir))
  assert.is(complaints.length, 1, complaints.join('\n'))
  assert.match(complaints[0] ?? '', /\.jsonl is damaged at byte 0: its checksum is wrong/)
  rmSync(here.dir, { recursive: true, force: true })
})

test.run()
