import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { memberships } from '../../src/model/index.js'
import { runCommand } from '../../src/start/operator/audit.js'
import { operatorCommands } from '../../src/start/operator/commands.js'
import { Clone, newSpace } from '../git-door/fixture.js'
import { secretOf } from '../people/fixture.js'
import { git } from '../support/hermetic-git.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('quotas of organizations')

test('another space is rejected with the limit and the use, until one is deleted', async () => {
  const here = await startService({ env: { BINDERY_ORG_SPACES: '2' } })
  const create = () => here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Space' })
  const { body: first } = await create().expect(201)
  const { body: second } = await create().expect(201)
  const message = /has 2 of at most 2 spaces\. Delete a space, or ask an operator .*bindery org quota \w+ --spaces/
  for (const refused of [create(), here.admin.call('post', `/v1/spaces/${first.id}/duplicate`)])
    assert.match((await refused.expect(409)).body.error.message, message)
  await here.admin.call('delete', `/v1/spaces/${second.id}`)
  await create().expect(201)
  assert.match(
    (await here.admin.call('post', `/v1/spaces/${second.id}/restore`).expect(409)).body.error.message,
    message,
  )
  await here.close()
})

test('another member and another invitation are rejected with the limit and the use', async () => {
  const here = await startService({ env: { BINDERY_ORG_MEMBERS: '2' } })
  const invite = (email: string) =>
    here.admin.call('post', `/v1/orgs/${here.organization}/invites`, { emails: [email], role: 'edit' })
  const { body: ada } = await invite('ada@example.org').expect(200)
  const { body: bob } = await invite('bob@example.org').expect(200)
  const accept = ({ invites: [one] }: typeof ada) =>
    request(here.url)
      .post('/v1/invites/accept')
      .send({ token: secretOf(one.urls.invite), displayName: 'Someone' })
  await accept(ada).expect(200)
  const message = /has 2 of at most 2 members\. Remove a member, or ask an operator .*bindery org quota \w+ --members/
  for (const refused of [accept(bob), invite('eve@example.org')])
    assert.match((await refused.expect(409)).body.error.message, message)
  await rejected(operate(here, 'org member', { organization: here.organization, email: 'x@example.org', role: 'edit' }))
  assert.is(await here.service.app.store.count(memberships, 'organization', here.organization), 2)
  await here.close()
})

/** Runs a command of the operator on the open service, as the control socket does. */
const operate = (here: TestService, name: string, given: Record<string, unknown>) => {
  const command = operatorCommands.find((one) => one.name === name)
  if (!command) throw new Error(`There is no command ${name}.`)
  const { app } = here.service
  return runCommand(
    command,
    { app, repairs: [], since: null, missing: async () => [], tell: () => {}, signal: new AbortController().signal },
    given,
  )
}

const rejected = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('It succeeded.')
    },
    (error: Error) => error,
  )

const page = (title: string) => ({ operation: 'insert_page', title, document: { markdown: 'Words.' } })

test('the operator sets limits of one organization, which its admins and the audit log see', async () => {
  const here = await startService({ env: { BINDERY_ORG_SPACES: '1' } })
  const { organization } = here
  const create = () => here.admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Space' })
  await create().expect(201)
  await create().expect(409)
  await operate(here, 'org quota', { organization, spaces: '2', files: '100' })
  await create().expect(201)
  assert.match((await create().expect(409)).body.error.message, 'has 2 of at most 2 spaces')
  const { body: usage } = await here.admin.call('get', `/v1/orgs/${organization}/usage`).expect(200)
  assert.equal(
    [usage.spaces, usage.files],
    [
      { used: 2, allowed: 2 },
      { used: 4, allowed: 100 },
    ],
  )
  assert.equal(usage.members, { used: 1, allowed: null })
  assert.ok(usage.bytes.used > 0)
  const { body: log } = await here.admin
    .call('get', `/v1/orgs/${organization}/audit-log?operation=org-quota`)
    .expect(200)
  assert.is(log.items.length, 1)
  assert.match((await rejected(operate(here, 'org quota', { organization, bytes: '-1' }))).message, 'whole number')
  await operate(here, 'org quota', { organization, spaces: 'none' })
  await create().expect(201)
  const { json } = await operate(here, 'org quota', { organization, spaces: 'default', files: 'default' })
  assert.equal((json as typeof usage).spaces, { used: 3, allowed: 1 })
  await here.close()
})

test('changes that add files are rejected above the limit, and deletions are not', async () => {
  const here = await startService()
  const space = await newSpace(here)
  const { organization } = here
  const pages = async () => (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body.pages
  const write = (changes: object[], branch = '') =>
    here.admin.call('post', `/v1/spaces/${space}${branch}/content`, { changes })
  const { body: usage } = await here.admin.call('get', `/v1/orgs/${organization}/usage`).expect(200)
  const allowed = usage.files.used + 1
  await operate(here, 'org quota', { organization, files: String(allowed) })
  const message = new RegExp(`has ${allowed} of at most ${allowed} files, and this would add 1\\. Delete files`)
  const { body: changeRequest } = await here.admin
    .call('post', `/v1/spaces/${space}/change-requests`, { subject: 'One more' })
    .expect(201)
  const branch = `/change-requests/${changeRequest.id}`
  await write([page('Third')], branch).expect(200)
  await write([page('Fourth')]).expect(200)
  const merge = await here.admin.call('post', `/v1/spaces/${space}${branch}/merge`).expect(409)
  assert.match(merge.body.error.message, message)
  const { body: refused } = await write([page('Fifth')]).expect(409)
  assert.match(refused.error.message, message)
  assert.equal(refused.error.details[0].path, '/quotas/files')
  await here.admin.call('post', `/v1/spaces/${space}/duplicate`).expect(409)
  await here.admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Other' }).expect(409)
  const clone = await Clone.of(here, space, here.admin)
  await clone.commit({ 'pushed.md': '# Pushed\n' })
  for (const target of ['HEAD:main', 'HEAD:refs/for/main']) {
    const seen = await clone.see('push', 'origin', target)
    assert.is.not(seen.code, 0)
    assert.match(seen.text, message)
  }
  await clone.commit({ 'pushed.md': null, 'guide.md': '# Guide\n\nOther words.\n' })
  assert.is((await clone.see('push', 'origin', 'HEAD:main')).code, 0)
  const [, guide] = await pages()
  await write([{ operation: 'delete_page', page: guide.id }]).expect(200)
  await here.admin.call('post', `/v1/spaces/${space}${branch}/merge`).expect(200)
  await here.close()
})

test('above the limit of bytes, only deletions, reads and exports continue', async () => {
  const here = await startService()
  const { organization } = here
  const space = await newSpace(here)
  await operate(here, 'org quota', { organization, bytes: '1' })
  const message = /The organization has \d+ of at most 1 bytes\. Delete a space .*bindery org quota \w+ --bytes/
  const write = (changes: object[]) => here.admin.call('post', `/v1/spaces/${space}/content`, { changes })
  const { body: list } = await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  assert.match((await write([page('Third')]).expect(409)).body.error.message, message)
  const upload = { operation: 'insert_files', files: [{ name: 'a.txt', base64: 'QQ==' }] }
  assert.match((await write([upload]).expect(409)).body.error.message, message)
  await here.admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Other' }).expect(409)
  const clone = await Clone.of(here, space, here.admin)
  const before = await clone.git('rev-parse', 'HEAD')
  await clone.commit({ 'pushed.md': '# Pushed\n' })
  for (const target of ['HEAD:main', 'HEAD:refs/for/main']) {
    const seen = await clone.see('push', 'origin', target)
    assert.is.not(seen.code, 0)
    assert.match(seen.text, message)
    assert.not.match(seen.text, 'became a change request')
  }
  await clone.git('reset', '--quiet', '--hard', before)
  await clone.commit({ 'large.md': randomBytes(2 * 1024 * 1024).toString('base64') })
  const large = await clone.see('push', 'origin', 'HEAD:main')
  assert.is.not(large.code, 0)
  assert.match(large.text, message)
  await clone.git('reset', '--quiet', '--hard', before)
  await clone.commit({ 'guide.md': null, 'SUMMARY.md': '# Table of contents\n\n* [Start](start.md)\n' })
  const deletion = await clone.see('push', 'origin', 'HEAD:main')
  assert.is(deletion.code, 0, deletion.text)
  await write([{ operation: 'delete_page', page: list.pages[0].id }]).expect(200)
  await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  await git(here.dir, ['init', '--quiet', '--bare', 'remote.git'])
  const remote = {
    space,
    url: `file://${join(here.dir, 'remote.git')}`,
    branch: 'main',
    message: 'Export',
    force: false,
  }
  assert.match((await operate(here, 'export', remote)).text, 'succeeded')
  await here.admin.call('delete', `/v1/spaces/${space}`).expect(204)
  await here.close()
})

test('an import above the limit of files fails with the reason, and exports continue', async () => {
  const here = await startService()
  const { organization } = here
  const space = await newSpace(here)
  const clone = await Clone.of(here, space, here.admin)
  const url = `file://${join(here.dir, 'remote.git')}`
  await git(here.dir, ['clone', '--quiet', '--bare', clone.dir, join(here.dir, 'remote.git')])
  const remote = { space, url, branch: 'main', force: false }
  const { body: usage } = await here.admin.call('get', `/v1/orgs/${organization}/usage`).expect(200)
  await operate(here, 'org quota', { organization, files: String(usage.files.used) })
  assert.match((await operate(here, 'import', remote)).text, 'succeeded')
  await clone.commit({ 'third.md': '# Third\n' })
  await clone.git('push', '--quiet', url, 'HEAD:main')
  const refused = await operate(here, 'import', remote)
  assert.match(
    refused.text,
    /failed: The organization has (\d+) of at most \1 files, and this would add 1\. Delete files/,
  )
  const other = { ...remote, branch: 'other', message: 'Export' }
  assert.match((await operate(here, 'export', other)).text, 'succeeded')
  await operate(here, 'org quota', { organization, files: 'none' })
  assert.match((await operate(here, 'import', remote)).text, 'succeeded')
  await here.close()
})

test('a transfer is rejected if the target has no room', async () => {
  const here = await startService()
  const space = await newSpace(here)
  const { body: other } = await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)
  const transfer = () => here.admin.call('post', `/v1/spaces/${space}/transfer`, { organization: other.id })
  for (const [quota, limit] of [
    ['files', '1'],
    ['bytes', '100'],
    ['spaces', '1'],
  ] as const) {
    if (quota === 'spaces') await here.admin.call('post', `/v1/orgs/${other.id}/spaces`, { title: 'Own' }).expect(201)
    await operate(here, 'org quota', { organization: other.id, [quota]: limit })
    const { body } = await transfer().expect(409)
    assert.match(body.error.message, new RegExp(`of at most ${limit} ${quota}`))
    await operate(here, 'org quota', { organization: other.id, [quota]: 'none' })
  }
  await transfer().expect(200)
  await here.close()
})

test.run()
