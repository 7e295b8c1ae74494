import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { addressOf, Clone, newSpace } from './fixture.js'

const [test, here] = await suiteWith('Git door', startService)

const changeRequests = async (space: string) =>
  (await here.admin.call('get', `/v1/spaces/${space}/change-requests?status=open`).expect(200)).body.items
/** Returns the words of a description, which is a block tree. */
const wordsOf = (description: unknown): string =>
  JSON.stringify(description)
    .match(/(?<="text":")[^"]*/g)
    ?.join(' ') ?? ''
const head = (space: string, ref: string) => git(join(here.dir, 'repos', `${space}.git`), ['rev-parse', ref])

test('clones and fetches get main and open change requests, but no refs of the service', async () => {
  const space = await newSpace(here)
  const reader = await here.caller('read')
  const { body: open } = await here.admin
    .call('post', `/v1/spaces/${space}/change-requests`, { subject: 'Open' })
    .expect(201)
  const { body: gone } = await here.admin.call('post', `/v1/spaces/${space}/change-requests`, {}).expect(201)
  await here.admin.call('patch', `/v1/spaces/${space}/change-requests/${gone.id}`, { status: 'archived' }).expect(200)
  const clone = await Clone.of(here, space, reader)
  assert.is(await clone.git('rev-parse', 'HEAD'), await head(space, 'main'))
  assert.is((await readFile(join(clone.dir, 'start.md'), 'utf8')).includes('First words.'), true)
  for (const version of ['0', '1', '2']) {
    const refs = (await clone.git('-c', `protocol.version=${version}`, 'ls-remote', '--refs', 'origin'))
      .split('\n')
      .map((line) => line.split('\t')[1])
    assert.equal(refs, [`refs/heads/change-requests/${open.number}`, 'refs/heads/main'], version)
  }
  await clone.git('fetch', '--quiet', 'origin', `change-requests/${open.number}`)
  await clone.git('clone', '--quiet', '--depth=1', clone.origin, join(clone.dir, 'shallow'))
  await clone.git('clone', '--quiet', '--filter=blob:none', clone.origin, join(clone.dir, 'partial'))
})

test('Git accepts a token as the password and checks roles like the API', async () => {
  const space = await newSpace(here)
  const list = (service: string) => request(here.url).get(`/git/${space}.git/info/refs?service=git-${service}`)
  const none = await list('upload-pack').expect(401)
  assert.is(none.headers['www-authenticate'], 'Basic realm="Bindery", charset="UTF-8"')
  await list('upload-pack').auth('git', 'wrong').expect(401)
  const stranger = await here.caller()
  await list('upload-pack').auth('git', stranger.token).expect(404)
  const reviewer = await here.caller('review')
  await list('upload-pack')
    .auth('git', (await here.caller('read')).token)
    .expect(200)
  await list('upload-pack').auth(reviewer.token, '').expect(200)
  await list('receive-pack')
    .auth('git', (await here.caller('comment')).token)
    .expect(403)
  await list('receive-pack')
    .auth('git', (await here.caller('edit')).token)
    .expect(200)
  await list('archive').auth('git', reviewer.token).expect(403)
  await request(here.url).get(`/git/${space}.git/HEAD`).auth('git', reviewer.token).expect(404)
  const { body: readOnly } = await here.admin
    .call('post', '/v1/user/tokens', { label: 'r', readOnly: true })
    .expect(201)
  await list('upload-pack').auth('git', readOnly.token).expect(200)
  await list('receive-pack').auth('git', readOnly.token).expect(403)
})

test('a push to refs/for/main opens a change request, and the same topic adds to it', async () => {
  const space = await newSpace(here)
  const writer = await here.caller('edit')
  const clone = await Clone.of(here, space, writer)
  const first = await clone.commit({ 'start.md': '# Start\n\nSecond words.\n' }, 'Say it better')
  const seen = await clone.see(
    'push',
    'origin',
    'HEAD:refs/for/main',
    '-o',
    'topic=words',
    '-o',
    'title=Better words',
    '-o',
    'description=Why: they were poor.',
  )
  assert.is(seen.code, 0, seen.text)
  const [made, ...others] = await changeRequests(space)
  assert.equal(
    [others.length, made.subject, wordsOf(made.description), made.revision, made.createdBy.id],
    [0, 'Better words', 'Why: they were poor.', first, writer.user],
  )
  assert.match(seen.text, new RegExp(`remote: Change request ${made.number} opened`))
  assert.match(seen.text, `${here.url}/s/${space}/c/${made.number}`)
  assert.match(seen.text, `change-requests/${made.number}`)
  const second = await clone.commit({ 'start.md': '# Start\n\nThird words.\n' })
  assert.is((await clone.see('push', 'origin', 'HEAD:refs/for/main/words')).code, 0)
  const [updated, ...more] = await changeRequests(space)
  assert.equal([more.length, updated.id, updated.revision], [0, made.id, second])
  await here.admin.call('post', `/v1/spaces/${space}/change-requests/${made.id}/merge`).expect(200)
  const page = await here.admin.call('get', `/v1/spaces/${space}/content/path/start`).expect(200)
  assert.match(page.body.markdown, 'Third words.')
  const refused = await clone.see('push', 'origin', 'HEAD:refs/for/main')
  assert.is(refused.code, 1)
  assert.match(refused.text, 'main already has these commits')
})

test('a push without a topic is added to the change request that its commits build on', async () => {
  const space = await newSpace(here)
  const clone = await Clone.of(here, space, await here.caller('edit'))
  await clone.commit({ 'start.md': '# Start\n\nOne.\n' }, 'One\n\nThe reasons.')
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/for/main')
  await clone.commit({ 'start.md': '# Start\n\nTwo.\n' })
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/for/main')
  assert.equal(
    (await changeRequests(space)).map(({ subject, description }: { subject: string; description: unknown }) => [
      subject,
      wordsOf(description),
    ]),
    [['One', 'The reasons.']],
  )
  await clone.git('checkout', '--quiet', '-b', 'other', 'origin/main')
  await clone.commit({ 'guide.md': '# Guide\n\nElse.\n' })
  await clone.git('push', '--quiet', 'origin', 'other')
  await clone.commit({ 'guide.md': '# Guide\n\nElse again.\n' })
  await clone.git('push', '--quiet', 'origin', 'other')
  assert.is((await changeRequests(space)).length, 2)
})

test("a push can go to a change request's branch or to main, and other refs are rejected", async () => {
  const space = await newSpace(here)
  const writer = await here.caller('edit')
  const clone = await Clone.of(here, space, writer)
  const { body: other } = await here.admin
    .call('post', `/v1/spaces/${space}/change-requests`, { subject: 'Mine' })
    .expect(201)
  const branch = `refs/heads/change-requests/${other.number}`
  const commit = await clone.commit({ 'guide.md': '# Guide\n\nPushed.\n' })
  await clone.git('push', '--quiet', 'origin', `HEAD:${branch}`)
  assert.is(await head(space, branch), commit)
  await clone.git('push', '--quiet', 'origin', 'HEAD:main')
  assert.is(await head(space, 'main'), commit)
  const table: [args: string[], says: string | RegExp][] = [
    [['HEAD:refs/heads/change-requests/99'], 'the change request does not exist'],
    [['HEAD:refs/for/other'], 'push to refs/for/main'],
    [['HEAD:refs/tags/v1'], 'tags are not supported'],
    [['HEAD:refs/bindery/keep/x'], 'push to refs/for/main'],
    [[`:${branch}`], 'archive it'],
    [[':main'], 'branches cannot be deleted'],
    [['HEAD~1:refs/heads/main'], /fetch first|non-fast-forward/],
    [['HEAD:refs/for/main', '-o', 'colour=red'], 'colour=red'],
  ]
  for (const [args, says] of table) {
    const seen = await clone.see('push', 'origin', ...args)
    assert.is(seen.code === 0, false, args.join(' '))
    assert.match(seen.text, says)
  }
  const forced = await clone.see('push', '--force', 'origin', 'HEAD~1:refs/heads/main')
  assert.match(forced.text, 'fetch first')
  assert.is(await head(space, 'main'), commit)
})

test('a push to main becomes a change request if main only accepts merges', async () => {
  const space = await newSpace(here)
  await here.admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals: 1 }).expect(200)
  const writer = await here.caller('review')
  const clone = await Clone.of(here, space, writer)
  const before = await head(space, 'main')
  await clone.commit({ 'guide.md': '# Guide\n\nUnreviewed.\n' })
  for (const words of ['Unreviewed.', 'Unreviewed again.']) {
    await clone.commit({ 'guide.md': `# Guide\n\n${words}\n` })
    const seen = await clone.see('push', 'origin', 'HEAD:main')
    assert.is(seen.code, 0, seen.text)
    assert.match(seen.text, 'became a change request')
  }
  assert.is(await head(space, 'main'), before)
  const [made, ...others] = await changeRequests(space)
  assert.is(others.length, 0)
  // The person who pushed cannot approve the change alone, whatever author the commits name.
  await here.admin
    .call('post', `/v1/spaces/${space}/change-requests/${made.id}/reviews`, { status: 'approved' })
    .expect(201)
  await writer.call('post', `/v1/spaces/${space}/change-requests/${made.id}/merge`).expect(200)
})

test('a user who pushed commits by others cannot merge them with only their own approval', async () => {
  const space = await newSpace(here)
  await here.admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals: 1 }).expect(200)
  const [author, pusher] = [await here.caller('edit'), await here.caller('review')]
  const { body: made } = await author
    .call('post', `/v1/spaces/${space}/change-requests`, { subject: 'Shared' })
    .expect(201)
  await author.call('patch', `/v1/spaces/${space}/change-requests/${made.id}`, { status: 'open' }).expect(200)
  const clone = await Clone.of(here, space, pusher)
  await clone.commit({ 'guide.md': '# Guide\n\nBy somebody.\n' })
  await clone.git('push', '--quiet', 'origin', `HEAD:refs/heads/change-requests/${made.number}`)
  await pusher
    .call('post', `/v1/spaces/${space}/change-requests/${made.id}/reviews`, { status: 'approved' })
    .expect(201)
  const refused = await pusher.call('post', `/v1/spaces/${space}/change-requests/${made.id}/merge`).expect(409)
  assert.match(refused.body.error.message, 'You wrote in it')
})

test('a push with invalid content is rejected with the location of the error', async () => {
  const space = await newSpace(here)
  const clone = await Clone.of(here, space, await here.caller('edit'))
  const summary = await readFile(join(clone.dir, 'SUMMARY.md'), 'utf8')
  await clone.commit({ 'SUMMARY.md': `${summary}* [Lost](lost.md)\n` })
  const broken = await clone.see('push', 'origin', 'HEAD:refs/for/main')
  assert.is(broken.code, 1)
  assert.match(broken.text, /remote: SUMMARY\.md:\d+: /)
  assert.is((await changeRequests(space)).length, 0)
  await clone.git('reset', '--quiet', '--hard', 'origin/main')
  await clone.commit({ 'guide.md': '---\ntitle: [\n---\n\nText.\n' })
  const warned = await clone.see('push', 'origin', 'HEAD:refs/for/main')
  assert.is(warned.code, 0, warned.text)
  assert.match(warned.text, /remote: guide\.md:\d+: /)
  await clone.git('checkout', '--quiet', '-b', 'forged', 'origin/main')
  await clone.git('-c', 'user.name=x', 'commit', '--quiet', '--allow-empty', '-m', 'ours')
  const forged = await git(clone.dir, ['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'forged'], undefined, {
    GIT_COMMITTER_EMAIL: 'bindery@localhost',
  })
  const seen = await clone.see('push', 'origin', `${forged}:refs/for/main`)
  assert.match(seen.text, 'has the committer bindery@localhost')
  const blob = await git(clone.dir, ['hash-object', '-w', '--stdin'], 'x')
  const inner = await git(clone.dir, ['mktree'], `100644 blob ${blob}\tconfig\n`)
  const tree = await git(clone.dir, ['mktree'], `040000 tree ${inner}\t.git\n`)
  const evil = await git(clone.dir, ['commit-tree', tree, '-p', 'origin/main', '-m', 'evil'])
  const dotGit = await clone.see('push', 'origin', `${evil}:refs/for/main`)
  assert.match(dotGit.text, /"\.git", in commit [0-9a-f]{40}/)
  const orphan = await git(clone.dir, ['commit-tree', 'origin/main^{tree}', '-m', 'orphan'])
  assert.match((await clone.see('push', 'origin', `${orphan}:refs/for/main`)).text, 'no common history with main')
})

test('a shallow clone can push, and the audit log records the user', async () => {
  const space = await newSpace(here)
  const writer = await here.caller('edit')
  const full = await Clone.of(here, space, writer)
  await full.git('clone', '--quiet', '--depth=1', full.origin, join(full.dir, 'shallow'))
  const dir = join(full.dir, 'shallow')
  await git(dir, ['commit', '--quiet', '--allow-empty', '-m', 'From the shallows'])
  await git(dir, ['push', '--quiet', 'origin', 'HEAD:refs/for/main'])
  assert.is((await changeRequests(space))[0].subject, 'From the shallows')
  const { body } = await here.admin
    .call('get', `/v1/orgs/${here.organization}/audit-log?space=${space}&operation=gitPush`)
    .expect(200)
  assert.equal(
    [body.items.length, body.items[0].actor.user, body.items[0].members],
    [1, writer.user, ['refs/for/main']],
  )
})

test('a locked space rejects pushes, and requests outside the protocol get an error', async () => {
  const space = await newSpace(here)
  const writer = await here.caller('edit')
  const clone = await Clone.of(here, space, writer)
  await clone.commit({ 'guide.md': '# Guide\n\nLate.\n' })
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  assert.match((await clone.see('push', 'origin', 'HEAD:refs/for/main')).text, 'The space is locked')
  assert.match((await clone.see('push', 'origin', 'HEAD:main')).text, 'The space is locked')
  const path = new URL(addressOf(here, space, writer)).pathname
  const send = (body: string) =>
    request(here.url)
      .post(`${path}/git-receive-pack`)
      .auth('git', writer.token)
      .type('application/x-git-receive-pack-request')
      .send(Buffer.from(body).toString())
  for (const body of ['zzzz', '0003', 'ffff', '0010no command', '00']) await send(body).expect(400)
  await send('0000').expect(200)
})

test.run()
