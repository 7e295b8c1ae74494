import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import type { Caller } from '../support/service.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { QUIET_MS, type Repository, startConnected } from './connected.js'

const [test, here] = await suiteWith('connections: authors of an export', () => startConnected())
test.afterEach(() => removeConnections(here.service))

const insert = (title: string): object => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: `# ${title}\n` } }],
})

/** Returns the author's address, the subject and the co-authors of the newest commit of the remote. */
async function newest(theirs: Repository): Promise<{ author: string; subject: string; others: string[] }> {
  const [author = '', subject = '', others = ''] = (
    await git(theirs.path, [
      'log',
      '-1',
      '--format=%ae%x00%s%x00%(trailers:key=Co-authored-by,valueonly,separator=%x1f)',
      'main',
    ])
  ).split('\0')
  return { author, subject, others: others.trim() === '' ? [] : others.trim().split('\x1f') }
}

const emailOf = async (who: Caller): Promise<string> => (await who.call('get', '/v1/user').expect(200)).body.email

async function connected(settings: object = {}) {
  const space = await here.space()
  const theirs = await here.repository({ 'README.md': '# Home\n' })
  const connection = await here.connect(space, { url: theirs.url, ...settings })
  const path = `/v1/spaces/${space}`
  /** A change request that several people write, one after the other. */
  const request = async (subject: string, ...writers: readonly Caller[]): Promise<string> => {
    const [first] = writers as [Caller]
    const { body } = await first.call('post', `${path}/change-requests`, { subject }).expect(201)
    const own = `${path}/change-requests/${body.number}`
    for (const [at, who] of writers.entries())
      await who.call('post', `${own}/content`, insert(`${subject} ${at}`)).expect(200)
    return own
  }
  const merge = async (own: string, who: Caller = here.service.admin): Promise<void> =>
    void (await who.call('post', `${own}/merge`).expect(200))
  return { space, theirs, connection, path, request, merge }
}

test('a single change request gives the export its author and its subject', async () => {
  const [grace, ada] = [await here.service.caller('edit'), await here.service.caller('edit')]
  const { theirs, request, merge } = await connected()
  await merge(await request('Add a guide', grace))
  await here.forward(QUIET_MS)
  assert.equal(await newest(theirs), { author: await emailOf(grace), subject: 'Add a guide', others: [] })
  const own = await request('More', ada, grace)
  await here.service.admin.call('post', `${own}/update`).expect(200)
  await merge(own)
  await here.forward(QUIET_MS)
  const { author, subject, others } = await newest(theirs)
  assert.equal([author, subject, others.length], [await emailOf(grace), 'More', 1])
  assert.ok(others[0]?.includes(await emailOf(ada)), others[0])
})

test('an export of a change request without a subject contains its number', async () => {
  const grace = await here.service.caller('edit')
  const { theirs, request, merge } = await connected()
  await merge(await request('', grace))
  await here.forward(QUIET_MS)
  assert.equal(await newest(theirs), { author: await emailOf(grace), subject: 'Change request #1', others: [] })
})

test("an export of several changes has the connection's message and lists each writer once", async () => {
  const [grace, ada] = [await here.service.caller('edit'), await here.service.caller('edit')]
  const { theirs, path, request, merge } = await connected()
  await merge(await request('One', grace))
  await merge(await request('Two', ada, grace))
  await here.forward(QUIET_MS)
  const both = await newest(theirs)
  assert.match(both.subject, /^Update Docs \d+$/)
  assert.equal([both.author, both.others.length], [await emailOf(grace), 1])
  await ada.call('post', `${path}/content`, insert('Three')).expect(200)
  await here.forward(QUIET_MS)
  assert.equal([(await newest(theirs)).author, (await newest(theirs)).others], [await emailOf(ada), []])
})

test('an export keeps the message that an admin configured', async () => {
  const grace = await here.service.caller('edit')
  const { theirs, request, merge } = await connected({ commitMessage: 'Publish' })
  await merge(await request('Add a guide', grace))
  await here.forward(QUIET_MS)
  assert.equal(await newest(theirs), { author: await emailOf(grace), subject: 'Publish', others: [] })
})

test('the user who starts a run is not its author', async () => {
  const [grace, reviewer] = [await here.service.caller('edit'), await here.service.caller('review')]
  const { theirs, connection, path } = await connected()
  await grace.call('post', `${path}/content`, insert('Direct')).expect(200)
  await reviewer.call('post', `${connection.base}/run`, {}).expect(202)
  await here.idle()
  assert.equal([(await newest(theirs)).author, (await newest(theirs)).others], [await emailOf(grace), []])
})

test('an export commit by commit has the writer of each change request as the author', async () => {
  const [grace, ada] = [await here.service.caller('edit'), await here.service.caller('edit')]
  const { theirs, request, merge } = await connected({ exportMode: 'commits' })
  await merge(await request('Add a guide', grace))
  await here.forward(QUIET_MS)
  assert.equal(await newest(theirs), {
    author: await emailOf(grace),
    subject: 'Merge change request #1: Add a guide',
    others: [],
  })
  const own = await request('Both', ada)
  await here.service.admin.call('post', `${own}/content`, insert('By the one who merges')).expect(200)
  await merge(own)
  await here.forward(QUIET_MS)
  const { author, others } = await newest(theirs)
  assert.equal([author, others.length], [await emailOf(here.service.admin), 1])
  assert.ok(others[0]?.includes(await emailOf(ada)), others[0])
})

test('the first export of a space does not credit its creator', async () => {
  const grace = await here.service.caller('edit')
  const space = await here.space()
  await grace.call('post', `/v1/spaces/${space}/content`, insert('First')).expect(200)
  const theirs = await here.repository({ LICENSE: 'MIT\n' })
  await here.connect(space, { url: theirs.url })
  assert.ok((await here.remoteFiles(theirs))['first.md'], JSON.stringify(await here.remoteFiles(theirs)))
  const { author, others } = await newest(theirs)
  assert.equal([author, others], [await emailOf(grace), []])
})

test('an export does not credit work that was imported from the host', async () => {
  const [grace, ada] = [await here.service.caller('edit'), await here.service.caller('edit')]
  const { space, theirs, path, request } = await connected()
  const own = await request('Add a guide', grace)
  // A merge without changes here, since the same page came from the remote.
  const number = own.split('/').at(-1) as string
  const repo = join(here.service.dir, 'repos', `${space}.git`)
  await theirs.commit({
    'SUMMARY.md': await git(repo, ['show', `change-requests/${number}:SUMMARY.md`]).catch(() => null),
    'add-a-guide-0.md': `${await git(repo, ['show', `change-requests/${number}:add-a-guide-0.md`])}\n`,
  })
  await here.forward(400_000)
  await here.service.admin.call('post', `${own}/merge`).expect(200)
  await ada.call('post', `${path}/content`, insert('Later')).expect(200)
  await here.forward(QUIET_MS)
  assert.equal([(await newest(theirs)).author, (await newest(theirs)).others], [await emailOf(ada), []])
})

test.run()
