import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import * as assert from 'uvu/assert'
import { forgetKey } from '../../src/commands/keys.js'
import { loadConfig } from '../../src/config.js'
import { startPostgres } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('keys of nodes')
const postgres = await startPostgres()
const root = await mkdtemp(join(tmpdir(), 'keys-'))
test.after(async () => {
  await postgres.close()
  await rm(root, { recursive: true, force: true })
})

const KEY = 'ab'.repeat(32)
const OTHER = 'cd'.repeat(32)
let nodes = 0

/** Starts and stops a node on its own folder. Returns the folder, or the reason why the node did not start. */
async function node(
  url: string,
  env: Record<string, string> = {},
  dir = join(root, `node-${++nodes}`),
): Promise<{ dir: string; refused: string | null }> {
  const here = await startService({ env: { BINDERY_DATABASE_URL: url, BINDERY_SIGNING_KEY: '', ...env }, dir }).catch(
    (error: Error) => error,
  )
  if (here instanceof Error) return { dir, refused: here.message }
  await here.service.close()
  return { dir, refused: null }
}

async function everything(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return JSON.stringify([
      (await client.query('SELECT * FROM key_fingerprints')).rows,
      (await client.query('SELECT body FROM documents')).rows,
    ])
  } finally {
    await client.end()
  }
}

test('the first node creates a key, and the error for a node without it names the setting', async () => {
  const url = await postgres.database()
  const first = await node(url)
  assert.is(first.refused, null)
  const file = join(first.dir, 'data', 'signing-key')
  const second = await node(url)
  assert.match(String(second.refused), /has no signing key[\s\S]*BINDERY_SIGNING_KEY_FILE[\s\S]*first node/)
  assert.not.ok(existsSync(join(second.dir, 'data', 'signing-key')), 'none was made')
  assert.is((await node(url, { BINDERY_SIGNING_KEY_FILE: file })).refused, null)
  const key = (await readFile(file, 'utf8')).trim()
  assert.is((await node(url, { BINDERY_SIGNING_KEY: key })).refused, null)
  await mkdir(join(second.dir, 'data'), { recursive: true })
  await copyFile(file, join(second.dir, 'data', 'signing-key'))
  assert.is((await node(url, {}, second.dir)).refused, null)
  assert.not.ok((await everything(url)).includes(key), 'the key is not in the database')
})

test('a node with another key is rejected with fingerprints and without the key', async () => {
  const url = await postgres.database()
  assert.is((await node(url, { BINDERY_SIGNING_KEY: KEY })).refused, null)
  const { refused } = await node(url, { BINDERY_SIGNING_KEY: OTHER })
  assert.match(String(refused), /differs from that of the other nodes[\s\S]*forget-key signing/)
  assert.not.match(String(refused), new RegExp(`${KEY}|${OTHER}`))
  await forgetKey({ databaseUrl: url, dataDir: root }, 'signing')
  assert.is((await node(url, { BINDERY_SIGNING_KEY: OTHER })).refused, null)
  assert.match(String((await node(url, { BINDERY_SIGNING_KEY: KEY })).refused), /differs from that of the other nodes/)
})

test('all nodes of a database sign commits with one key, or none does', async () => {
  const url = await postgres.database()
  const file = join(root, 'commit-key')
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  const env = { BINDERY_SIGNING_KEY: KEY, BINDERY_COMMIT_KEY_FILE: file }
  assert.is((await node(url, env)).refused, null)
  assert.is((await node(url, env)).refused, null)
  assert.match(
    String((await node(url, { BINDERY_SIGNING_KEY: KEY })).refused),
    /sign commits with the key with the fingerprint \w+, and this node with no key/,
  )
  await forgetKey({ databaseUrl: url, dataDir: root }, 'commit')
  assert.is((await node(url, { BINDERY_SIGNING_KEY: KEY })).refused, null)
  assert.match(String((await node(url, env)).refused), /Remove BINDERY_COMMIT_KEY_FILE/)
})

test('without a database, the key in the data folder must match the key setting', async () => {
  const dir = join(root, 'embedded')
  const start = (env: Record<string, string> = {}) => node('', env, dir)
  assert.is((await start()).refused, null)
  const file = join(dir, 'data', 'signing-key')
  const key = (await readFile(file, 'utf8')).trim()
  assert.match(key, /^[0-9a-f]{64}$/)
  assert.is((await start()).refused, null)
  assert.is((await start({ BINDERY_SIGNING_KEY: key })).refused, null)
  assert.match(String((await start({ BINDERY_SIGNING_KEY: OTHER })).refused), /differs from the one in/)
  assert.is((await readFile(file, 'utf8')).trim(), key)
})

test('invalid key settings are rejected without being shown', async () => {
  assert.throws(
    () => loadConfig({ BINDERY_SIGNING_KEY: 'secret-but-short' }),
    (error: Error) => /64 hexadecimal digits/.test(error.message) && !error.message.includes('secret-but'),
  )
  assert.throws(() => loadConfig({ BINDERY_SMTP_URL: 'no mail server' }), /BINDERY_SMTP_URL must be/)
  const file = join(root, 'no-key')
  await writeFile(file, 'not a key')
  await chmod(file, 0o600)
  assert.throws(() => loadConfig({ BINDERY_SIGNING_KEY: KEY, BINDERY_SIGNING_KEY_FILE: file }), /only one of/)
  const { refused } = await node('', { BINDERY_SIGNING_KEY_FILE: file })
  assert.match(String(refused), /is not a signing key/)
  assert.not.match(String(refused), /not a key/)
})

test.run()
