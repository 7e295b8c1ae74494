import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { checkAll } from '../../src/commands/maintenance.js'
import { loadConfig } from '../../src/config.js'
import { openApiVersions } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { databaseSettings, dropDatabase } from '../support/service-database.js'
import { StoredFiles } from '../support/stored-files.js'
import { suite } from '../support/suite.js'
import { put } from './fixture.js'

const test = suite('openapi/fsck')

test('fsck finds missing and damaged specification files and repairs derived ones', async () => {
  const here = await startService()
  const config = loadConfig({
    BINDERY_DATA_DIR: join(here.dir, 'data'),
    BINDERY_REPOS_DIR: join(here.dir, 'repos'),
    ...(await databaseSettings(here.dir)),
  })
  await put(here, 'pets', { '/a': { get: { responses: { '200': { description: 'x' } } } } })
  await put(here, 'pets', { '/b': { get: { responses: { '200': { description: 'x' } } } } })
  const versions = (await here.service.app.store.all(openApiVersions)).sort((a, b) => a.number - b.number)
  await here.service.close()
  const [first, last] = versions
  if (!first || !last) throw new Error('There are no versions.')
  const files = new StoredFiles(here.dir, 'openapi')
  try {
    assert.equal(await checkAll(config, { deep: true }), { complaints: [], notes: [] })
    const index = await files.read(last.index)
    await files.remove(last.index)
    const { complaints: shallow } = await checkAll(config)
    assert.is(shallow.length, 1)
    assert.match(shallow[0] ?? '', /specification pets .* index \(the file \w+\) is missing\. It was created again/)
    assert.equal(await files.read(last.index), index)
    await files.damage(last.parts)
    const { complaints: deep } = await checkAll(config, { deep: true })
    assert.match(deep.join('\n'), /parts \(the file \w+\) is damaged\. It was created again/)
    assert.equal(await checkAll(config, { deep: true }), { complaints: [], notes: [] })
    await files.damage(first.content)
    await files.damage(last.content)
    const { complaints } = await checkAll(config, { deep: true })
    assert.match(
      complaints.join('\n'),
      new RegExp(`${first.id}: its document, the file ${first.content}, is damaged. The version was removed`),
    )
    assert.match(
      complaints.join('\n'),
      new RegExp(`${last.id}: its document, the file ${last.content}, is damaged. It is read again`),
    )
    await here.restart()
    await put(here, 'pets', { '/b': { get: { responses: { '200': { description: 'x' } } } } })
    const { body } = await here.admin.call('get', `/v1/orgs/${here.organization}/openapi/pets/versions`).expect(200)
    assert.equal([body.count, body.items[0].id], [1, last.id])
    await here.service.close()
    assert.equal((await checkAll(config, { deep: true })).complaints, [])
  } finally {
    rmSync(here.dir, { recursive: true, force: true })
    await dropDatabase(here.dir)
  }
})

test('a specification document with a flipped bit causes an error and is never sent', async () => {
  const here = await startService()
  try {
    await put(here, 'pets', { '/a': { get: { responses: { '200': { description: 'x' } } } } })
    const [version] = await here.service.app.store.all(openApiVersions)
    const content = `/v1/orgs/${here.organization}/openapi/pets/versions/latest/content`
    await here.admin.call('get', content).expect(200)
    await new StoredFiles(here.dir, 'openapi').damage(version?.content as string)
    const { body } = await here.admin.call('get', content).expect(503)
    assert.match(body.error.message, /missing or damaged on the server/)
  } finally {
    await here.close()
  }
})

test.run()
