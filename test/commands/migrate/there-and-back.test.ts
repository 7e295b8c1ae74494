import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import * as assert from 'uvu/assert'
import { migrate } from '../../../src/commands/migrate/migrate.js'
import { loadConfig } from '../../../src/config.js'
import { migrations } from '../../../src/domain/upkeep/migrations.js'
import { journals } from '../../../src/model/index.js'
import { digestOf, openEmbeddedSource } from '../../../src/store/index.js'
import { moduleArguments } from '../../support/own-process.js'
import { startPostgres } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { suite } from '../../support/suite.js'
import { allBytes, keptFiles, makeInstallation, refsAndChecks } from './installation.js'

const test = suite('migrate in both directions')
const postgres = await startPostgres()
const source = await makeInstallation()
test.after(async () => {
  await postgres.close()
  await rm(source.dir, { recursive: true, force: true })
})

const embedded = loadConfig({ BINDERY_DATA_DIR: source.data, BINDERY_REPOS_DIR: source.repos })
const onNodes = (url: string, env: Record<string, string> = {}) =>
  loadConfig({
    BINDERY_DATA_DIR: join(source.dir, 'node-data'),
    BINDERY_REPOS_DIR: join(source.dir, 'node-repos'),
    BINDERY_DATABASE_URL: url,
    ...env,
  })
const KEY = { BINDERY_SIGNING_KEY_FILE: join(source.data, 'signing-key') }

async function run(
  work: (tell: (line: string) => void) => Promise<void>,
): Promise<{ said: string; refused: string | null }> {
  const lines: string[] = []
  const refused = await work((line) => void lines.push(line)).then(
    () => null,
    (error: Error) => error.message,
  )
  return { said: lines.join('\n'), refused }
}
const digest = async (data: string) => {
  const store = await openEmbeddedSource({ dir: join(data, 'store'), migrations, journals })
  try {
    return await digestOf(store)
  } finally {
    await store.close()
  }
}

test('a URL of another database is not taken for a folder and is not printed', async () => {
  for (const to of ['http://secret@db.example/x', 'mysql://secret@db/x', 'POSTGRESQL+x://secret@db/x']) {
    const { refused } = await run((tell) => migrate(embedded, to, tell))
    assert.match(
      refused ?? '',
      /^--to starts with [\w+]+:\/\/, .* Use postgresql:\/\/user@host\/database, or a folder\.$/,
    )
    assert.not.match(refused ?? '', /secret/)
  }
})

const url = await postgres.database()

test('a migration to a database compares all data and leaves the source unchanged', async () => {
  const before = await allBytes(source.dir)
  const { said, refused } = await run((tell) => migrate(embedded, url, tell))
  assert.is(refused, null, said)
  assert.match(said, /Documents and journals are equal: \d+ documents and \d+ records of journals, hash [0-9a-f]{16}/)
  assert.match(said, /Repositories are equal: 3 repositories with \d+ refs/)
  assert.match(said, /Files are equal: [1-9]\d* files? with [\d,]+ bytes/)
  assert.match(said, /git fsck --strict` reports no problems/)
  const after = await allBytes(source.dir)
  assert.equal(
    [...after].filter(([path, hash]) => before.get(path) !== hash),
    [],
  )
  assert.is(after.size, before.size)
  const again = await run((tell) => migrate(embedded, url, tell))
  assert.match(again.said, /has already ended/)
})

test('a migration back into folders returns every byte', async () => {
  const target = join(source.dir, 'back')
  const refused = await run((tell) => migrate(onNodes(url), target, tell))
  assert.match(String(refused.refused), /no signing key: set BINDERY_SIGNING_KEY_FILE/)
  const done = await run((tell) => migrate(onNodes(url, KEY), target, tell))
  assert.is(done.refused, null, done.said)
  const [data, repos] = [join(target, 'data'), join(target, 'repos')]
  assert.equal(await digest(data), await digest(source.data))
  assert.equal(await refsAndChecks({ ...source, repos }), await refsAndChecks(source))
  assert.equal(await keptFiles(data), await keptFiles(source.data))
  assert.is(await readFile(join(data, 'signing-key'), 'utf8'), await readFile(join(source.data, 'signing-key'), 'utf8'))
  assert.match((await run((tell) => migrate(onNodes(url, KEY), target, tell))).said, /has already ended/)
  for (const space of source.spaces)
    assert.not.ok(existsSync(join(repos, `${space}.git`, 'bindery-node')), 'it is no copy of a node any more')
})

test('the command `migrate` is in the audit log of each organization without its URL', async () => {
  const target = join(source.dir, 'back')
  execFileSync(
    process.execPath,
    [...moduleArguments('../../../src/main.js', import.meta.url), 'migrate', '--to', target],
    {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        BINDERY_DATA_DIR: join(source.dir, 'node-data'),
        BINDERY_REPOS_DIR: join(source.dir, 'node-repos'),
        BINDERY_DATABASE_URL: url,
        ...KEY,
      },
    },
  )
  const here = await startService({ dir: target, env: { BINDERY_DATABASE_URL: '' } })
  try {
    const { body } = await here.admin.call('get', `/v1/orgs/${source.organization}/audit-log`).expect(200)
    const entries = body.items.filter(({ operation }: { operation: string }) => operation === 'migrate')
    assert.is(entries.length, 1)
    assert.equal(entries[0].members, ['to'])
    assert.not.match(JSON.stringify(entries), /postgres|back/)
  } finally {
    await here.service.close()
  }
})

test('a server on the migrated folders has all data', async () => {
  const env = { BINDERY_DATABASE_URL: '' }
  const here = await startService({ dir: join(source.dir, 'back'), env })
  try {
    assert.equal(here.service.repairs, [])
    const { body } = await here.admin.call('get', `/v1/orgs/${source.organization}/spaces`).expect(200)
    assert.equal(body.items.map(({ id }: { id: string }) => id).sort(), [...source.spaces].sort())
    const [space] = source.spaces as [string]
    const pages = (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body.pages
    assert.ok(pages.some(({ title }: { title: string }) => title === 'Upgrade'))
    const comments = (await here.admin.call('get', `/v1/spaces/${space}/comments`).expect(200)).body.items
    assert.equal(comments.map(({ body: { markdown } }: { body: { markdown: string } }) => markdown.trim()).sort(), [
      'one',
      'three',
      'two 😀',
    ])
    await here.admin.call('get', `/v1/orgs/${source.organization}/openapi/pets/versions/latest/content`).expect(200)
    assert.is((await buffer(here.service.app.lfsFiles.stream(source.oid))).length, 2_500_000)
  } finally {
    await here.service.close()
  }
})

test('a target that is not empty, or belongs to another installation, stays unchanged', async () => {
  const used = await postgres.database()
  const other = await startService({ env: { BINDERY_DATABASE_URL: used } })
  assert.match(
    String((await run((tell) => migrate(embedded, used, tell))).refused),
    /not empty: a server has used this database|Servers are using the database/,
  )
  assert.match(
    String((await run((tell) => migrate(onNodes(used, KEY), join(source.dir, 'no'), tell))).refused),
    /Stop all nodes/,
  )
  await other.close()
  assert.match(String((await run((tell) => migrate(embedded, used, tell))).refused), /not empty/)
  const full = join(source.dir, 'full')
  await mkdir(full)
  await writeFile(join(full, 'mine'), 'mine')
  assert.match(String((await run((tell) => migrate(onNodes(url, KEY), full, tell))).refused), /is not empty/)
  assert.equal([...(await allBytes(full)).keys()], ['mine'])
  assert.match(
    String(
      (await run((tell) => migrate(loadConfig({ BINDERY_DATA_DIR: join(source.dir, 'none') }), url, tell))).refused,
    ),
    /no signing key/,
  )
})

test('a source that a server uses is rejected', async () => {
  const here = await startService({ dir: source.dir, env: { BINDERY_DATABASE_URL: '' } })
  const { refused } = await run(async (tell) => migrate(embedded, await postgres.database(), tell))
  assert.match(String(refused), /in use by process/)
  await here.service.close()
})

test('a damaged file stops the migration with a message that names it and the next step', async () => {
  const target = await postgres.database()
  const path = join(source.data, 'lfs', source.oid.slice(0, 2), source.oid)
  const bytes = await readFile(path)
  await writeFile(
    path,
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes[bytes.length - 1] ?? 0 ^ 1])]).fill(0, 10, 20),
  )
  const stopped = await run((tell) => migrate(embedded, target, tell))
  assert.match(String(stopped.refused), new RegExp(`${source.oid} has .*Delete it`))
  const late = await startService({ env: { BINDERY_DATABASE_URL: target, ...KEY } }).catch(
    (error: Error) => error.message,
  )
  assert.match(String(late), /migration into the database .* is unfinished/)
  await writeFile(path, bytes)
  const { said, refused } = await run((tell) => migrate(embedded, target, tell))
  assert.is(refused, null)
  assert.match(said, /Continuing an interrupted migration/)
})

test('a difference in the final comparison is reported, and the target stays unused', async () => {
  const target = await postgres.database()
  const { refused } = await run((tell) =>
    migrate(embedded, target, (line) => {
      tell(line)
      // Simulates a concurrent write to the database, before the migration continues.
      if (line.includes('(1 of 3)') && line.startsWith('Repository'))
        execFileSync(
          'psql',
          ['--quiet', '--no-psqlrc', '-c', 'DELETE FROM documents WHERE id = (SELECT min(id) FROM documents)', target],
          { timeout: 60_000 },
        )
    }),
  )
  assert.match(String(refused), /Source and target differ[\s\S]*table [\w-]+: \d+ with the hash/)
  assert.is((await run((tell) => migrate(embedded, target, tell))).refused, null, 'the next one repairs it')
})

test.run()
