import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { migrations } from '../../src/domain/upkeep/migrations.js'
import { openStore, table } from '../../src/store/index.js'
import { sampleEnv, samples } from '../api/samples/index.js'
import { CHANGING, pathsOf, responsesOf, stable } from '../support/all-responses.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

// Opens the data folders that releases wrote. `MAKE_RELEASE=0.2.0 npm test -- upkeep/release` writes the one of a new release.
const test = suite('upkeep/release')
const RELEASES = ['0.1.0']
const env = { ...sampleEnv, BINDERY_SIGNING_KEY: 'ab'.repeat(32) }
const run = promisify(execFile)
const archiveOf = (release: string): string => new URL(`release-${release}.tar.gz`, import.meta.url).pathname

/** Writes the archive: every kind of resource, and the responses of all GET operations that succeed. */
async function make(release: string): Promise<void> {
  const here = await startService({ env })
  const paths = pathsOf(await samples(here))
  // A start ends what was in progress, so the expected responses are those after one.
  await here.restart()
  const expected = await responsesOf(here, paths)
  await writeFile(join(here.dir, 'expected.json'), JSON.stringify(expected))
  await here.service.close()
  const repository = new URL(`../../../../test/upkeep/release-${release}.tar.gz`, import.meta.url).pathname
  await run('tar', ['-czf', repository, '--exclude=data/control', '-C', here.dir, 'data', 'repos', 'expected.json'])
  await rm(here.dir, { recursive: true, force: true })
}

/**
 * Whether a response has everything that the earlier release returned. A later one may add members. `urls.app` named the
 * API, since there was no app.
 */
function keeps(now: unknown, before: unknown): boolean {
  if (typeof before !== 'object' || before === null) return now === before
  if (typeof now !== 'object' || now === null || Array.isArray(now) !== Array.isArray(before)) return false
  if (Array.isArray(before) && before.length !== (now as unknown[]).length) return false
  return Object.entries(before).every(
    ([name, value]) => name === 'app' || keeps((now as Record<string, unknown>)[name], value),
  )
}

if (process.env.MAKE_RELEASE !== undefined) await make(process.env.MAKE_RELEASE)

for (const release of RELEASES)
  test(
    `a data folder of release ${release} opens with the same responses`,
    async () => {
      const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
      await run('tar', ['-xzf', archiveOf(release), '-C', dir])
      const expected = JSON.parse(await readFile(join(dir, 'expected.json'), 'utf8')) as Record<string, unknown>
      const here = await startService({ dir, env })
      assert.ok(Object.keys(expected).length > 60, String(Object.keys(expected).length))
      const different: string[] = []
      for (const [path, body] of Object.entries(expected)) {
        if (CHANGING.test(path)) continue
        const response = await here.admin.call('get', path)
        if (!keeps(stable(here, response.body), body)) different.push(path)
      }
      assert.equal(different, [])
      const space = Object.keys(expected).flatMap((path) => /^\/v1\/spaces\/(\w+)$/.exec(path)?.[1] ?? [])[0]
      const { body } = await here.admin.call('post', `/v1/spaces/${space}/change-requests`, {}).expect(201)
      assert.is(body.status, 'draft')
      await here.close()
    },
    { embeddedOnly: 'data-folder' },
  )

test('a data folder of a development build is rejected', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
  const before = await openStore({ dir, migrations: migrations.slice(0, 3) })
  await before.insert(table<{ id: string }>()({ name: 'users', indexes: {} }), { id: 'ada' })
  await before.close()
  const message = await openStore({ dir, migrations }).then(
    () => 'opened',
    (error: Error) => error.message,
  )
  assert.match(message, /development build before 0\.1\.0/)
  await rm(dir, { recursive: true })
})

test.run()
