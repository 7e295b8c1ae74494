/** Backups of an installation in a database, and what they restore. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { backup } from '../../src/commands/backup/backup.js'
import { restore } from '../../src/commands/backup/restore.js'
import { type Config, loadConfig } from '../../src/config.js'
import { startPostgres } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @own-process: it starts a server of PostgreSQL
const test = suite('backups of a database')
const tell = (): void => {}

const configOf = (dir: string, url: string, key: string): Config =>
  loadConfig({
    BINDERY_DATA_DIR: join(dir, 'data'),
    BINDERY_REPOS_DIR: join(dir, 'repos'),
    BINDERY_PORT: '0',
    BINDERY_SITES_PORT: '0',
    ...(url === '' ? {} : { BINDERY_DATABASE_URL: url }),
    ...(key === '' ? {} : { BINDERY_SIGNING_KEY: key }),
  })

test('a backup of a running node is verified, and restores into an empty database', async () => {
  const postgres = await startPostgres()
  const key = 'ab'.repeat(32)
  const url = await postgres.database()
  const env = { BINDERY_DATABASE_URL: url, BINDERY_SIGNING_KEY: key }
  const here = await startService({ env })
  const target = await mkdtemp(join(tmpdir(), 'backups-'))
  const dir = await mkdtemp(join(tmpdir(), 'restored-'))
  try {
    const { body: space } = await here.admin
      .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' })
      .expect(201)
    const input = { target, incremental: true, passphraseFile: undefined, keep: undefined, verify: false }
    const config = configOf(here.dir, url, key)
    await backup(config, input, tell)
    const change = { operation: 'insert_page', title: 'Later', document: { markdown: 'Words.' } }
    await here.admin.call('post', `/v1/spaces/${space.id}/content`, { changes: [change] }).expect(200)
    await backup(config, { ...input, verify: true }, tell)
    const pages = async (path: string) => (await here.admin.call('get', path).expect(200)).body
    const before = await pages(`/v1/spaces/${space.id}/content/pages`)
    const restoredUrl = await postgres.database()
    await restore(configOf(dir, restoredUrl, key), { target, passphrase: null, tell })
    const restored = await startService({ dir, env: { ...env, BINDERY_DATABASE_URL: restoredUrl } })
    const { body } = await restored.admin.call('get', `/v1/spaces/${space.id}/content/pages`).expect(200)
    assert.equal(
      JSON.stringify(body).replaceAll(restored.url, here.url).replaceAll(restored.service.sites, here.service.sites),
      JSON.stringify(before),
    )
    await restored.service.close()
    const reject = async (config: Config): Promise<string> =>
      restore(config, { target, passphrase: null, tell }).then(
        () => 'it was restored',
        (error: Error) => error.message,
      )
    const other = await mkdtemp(join(tmpdir(), 'restored-'))
    assert.match(await reject(configOf(other, url, key)), /is not empty. Create an empty one/)
    assert.match(
      await reject(configOf(join(other, 'folders'), '', '')),
      /contains a database. Set BINDERY_DATABASE_URL/,
    )
    await rm(other, { recursive: true })
    assert.not.match(await readFile(join(target, 'bindery-backup.json'), 'utf8'), /bindery@/)
  } finally {
    await here.close()
    await postgres.close()
    for (const folder of [target, dir]) await rm(folder, { recursive: true, force: true })
  }
})

test.run()
