import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Desk } from '../commits/fixture.js'
import { createBareRepository } from '../support/bare-repository.js'
import { handClock } from '../support/hand-clock.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { entry, operation, put, settled, spaceWith } from './fixture.js'

const clock = handClock()
const [test, here] = await suiteWith('openapi/revisions', () => startService({ overrides: { clock } }))
/** Commits record their time in seconds. */
const nextSecond = (): void => clock.forward(1000)

const get = async (url: string, status = 200) => (await here.admin.call('get', url).expect(status)).body
const commits = async (desk: Desk): Promise<string[]> =>
  (await desk.git('log', '--first-parent', '--format=%s', 'refs/heads/main')).split('\n')
const titles = async (url: string): Promise<string[]> =>
  (await get(`${url}/pages`)).pages.slice(1).map(({ title }: { title: string }) => title)
const paths = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [`/${name}`, { get: operation(name, [name]) }]))

test('a new version creates one revision in each space that uses the specification', async () => {
  await put(here, 'one', paths('a'))
  const [byEntry, byBlock, neither] = [
    await spaceWith(here, entry('one')),
    await spaceWith(here, '', { 'README.md': '# Home\n\n{% openapi-operation spec="one" path="/a" method="get" %}\n' }),
    await spaceWith(here, entry('other')),
  ]
  const before = await Promise.all([byEntry, byBlock, neither].map(commits))
  await put(here, 'one', paths('a', 'b'))
  assert.equal(await commits(byEntry), ['Recompute the pages of one', ...before[0]!])
  assert.equal(await commits(byBlock), ['Recompute the pages of one', ...before[1]!])
  assert.equal(await commits(neither), before[2]!)
  const revision = await get(`${byEntry.url}/content`)
  assert.equal([revision.type, revision.git.createdByService, revision.parents.length], ['computed', true, 1])
  const { version } = await get(`/v1/orgs/${here.organization}/openapi/one`).then(({ lastVersion }) => ({
    version: lastVersion,
  }))
  assert.match(revision.git.message, new RegExp(`^OpenAPI-Version: one ${version}$`, 'm'))
  assert.is(await byEntry.git('rev-parse', 'main^{tree}'), await byEntry.git('rev-parse', 'main~^{tree}'))
  // The same content again creates no new version.
  await put(here, 'one', paths('a', 'b'))
  assert.is((await commits(byEntry)).length, before[0]!.length + 1)
  nextSecond()
  await put(here, 'one', paths('c'))
  assert.equal(await titles(`${byEntry.url}/content`), ['c'])
  // An earlier revision still shows its earlier content.
  assert.equal(await titles(`${byEntry.url}/revisions/${revision.id}`), ['a', 'b'])
  await here.admin.call('delete', `/v1/orgs/${here.organization}/openapi/one`).expect(204)
  await settled(here)
  assert.is((await commits(byEntry)).length, before[0]!.length + 3)
  assert.match((await get(`${byEntry.url}/content`)).git.message, /OpenAPI-Version: one deleted/)
  assert.equal(await titles(`${byEntry.url}/content`), ['builtin:openapi'])
  assert.equal(
    (await get(`${byEntry.url}/search?query=a`)).items.filter(({ title }: { title: string }) => title === 'a'),
    [],
  )
})

test('approvals and merge rules do not block a new version, and a lock delays it', async () => {
  await put(here, 'locked', paths('a'))
  const desk = await spaceWith(here, entry('locked'))
  await here.admin
    .call('patch', desk.url, {
      requiredApprovals: 2,
      mergeRules: { type: 'rules', rules: [{ rule: 'require_author_to_merge' }] },
    })
    .expect(200)
  const count = (await commits(desk)).length
  await put(here, 'locked', paths('a', 'b'))
  assert.is((await commits(desk)).length, count + 1)
  await here.admin.call('patch', desk.url, { editMode: 'locked' }).expect(200)
  const { id } = await get(`${desk.url}/content`)
  nextSecond()
  await put(here, 'locked', paths('c'))
  await put(here, 'locked', paths('d'))
  assert.is((await commits(desk)).length, count + 1)
  assert.is((await get(`${desk.url}/content`)).id, id)
  assert.equal(await titles(`${desk.url}/content`), ['a', 'b'])
  await here.admin.call('patch', desk.url, { editMode: 'live' }).expect(200)
  await settled(here)
  assert.is((await commits(desk)).length, count + 2)
  assert.equal(await titles(`${desk.url}/content`), ['d'])
  await here.admin.call('patch', desk.url, { title: 'Later' }).expect(200)
  await settled(here)
  assert.is((await commits(desk)).length, count + 2)
})

test('a new version does not outdate a change request, which shows the newest version', async () => {
  await put(here, 'fresh', paths('a'))
  const desk = await spaceWith(here, entry('fresh'))
  const request = await desk.changeRequest('Mine')
  await request.write([{ operation: 'insert_page', title: 'New', document: { markdown: 'x' } }])
  await here.admin
    .call('patch', desk.url, { mergeRules: { type: 'rules', rules: [{ rule: 'require_up_to_date_change_request' }] } })
    .expect(200)
  await put(here, 'fresh', paths('a', 'b'))
  const { body } = await here.admin.call('get', request.url).expect(200)
  assert.is(body.outdated, false)
  assert.equal((await titles(`${request.url}/content`)).slice(0, 2), ['a', 'b'])
  await request.merge(200)
})

test('a new version is never exported, and imports treat it as equal', async () => {
  await put(here, 'synced', paths('a'))
  const path = join(here.dir, 'remote-of-computed.git')
  const remote = await createBareRepository(path)
  await remote.commit({ 'SUMMARY.md': `* [Home](README.md)\n${entry('synced')}`, 'README.md': '# Home\n' })
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201))
    .body.id
  const url = `/v1/spaces/${space}`
  const sync = async (direction: 'import' | 'export'): Promise<string> => {
    await here.admin
      .call('post', `${url}/git/${direction}`, {
        url: `file://${path}`,
        ref: 'refs/heads/main',
        ...(direction === 'export' ? { commitMessage: 'Export' } : {}),
      })
      .expect(204)
    await settled(here)
    return (await get(`${url}/git/info`)).state
  }
  const head = () => git(path, ['rev-parse', 'refs/heads/main'])
  assert.is(await sync('import'), 'success')
  const first = await head()
  await put(here, 'synced', paths('a', 'b'))
  const computed = await get(`${url}/content`)
  assert.is(computed.type, 'computed')
  assert.is(await sync('export'), 'success')
  assert.is(await head(), first)
  assert.is(await sync('import'), 'success')
  assert.is((await get(`${url}/content`)).id, computed.id)
  await remote.commit({ 'SUMMARY.md': `* [Home](README.md)\n${entry('synced')}`, 'README.md': '# Home\n\nChanged.\n' })
  assert.is(await sync('import'), 'success')
  assert.match((await get(`${url}/content/path/readme`)).markdown, /Changed/)
  assert.is((await get(`${url}/change-requests?status=open`)).count, 0)
  const pushed = await head()
  await put(here, 'synced', paths('c'))
  await here.admin
    .call('post', `${url}/content`, {
      changes: [{ operation: 'insert_page', title: 'Mine', document: { markdown: 'x' } }],
    })
    .expect(200)
  assert.is(await sync('export'), 'success')
  assert.is(await git(path, ['rev-parse', 'refs/heads/main~']), pushed)
  assert.not.match(await git(path, ['log', '-1', '--format=%B', 'refs/heads/main']), /Co-authored-by|OpenAPI-Version/)
})

test.run()
