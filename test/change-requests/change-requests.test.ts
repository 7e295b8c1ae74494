import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('api: change requests', startService)

const pages = ['A', 'B', 'C']
const page = (title: string, markdown: string) => ({ operation: 'insert_page', title, document: { markdown } })

/** A space whose change request 1 and main both changed three pages. */
async function inConflict(): Promise<string> {
  const { admin } = here
  const space = (await admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)).body
    .id
  const base = `/v1/spaces/${space}`
  const made = await admin
    .call('post', `${base}/content`, { changes: pages.map((title) => page(title, 'one\n')) })
    .expect(200)
  const edits = (markdown: string) => ({
    changes: made.body.changes.map((one: { page: string }) => ({
      operation: 'update_page',
      page: one.page,
      document: { markdown },
    })),
  })
  await admin.call('post', `${base}/change-requests`).expect(201)
  await admin.call('post', `${base}/change-requests/1/content`, edits('mine\n')).expect(200)
  await admin.call('post', `${base}/content`, edits('theirs\n')).expect(200)
  return base
}

test('conflicts are returned with their paths and listed in pages', async () => {
  const base = await inConflict()
  const cr = `${base}/change-requests/1`
  for (const what of ['merge', 'update']) {
    const { body } = await here.admin.call('post', `${cr}/${what}`).expect(409)
    assert.equal(body.error.paths, ['a.md', 'b.md', 'c.md'])
  }
  const seen: string[] = []
  for (let query = 'limit=1'; query !== ''; ) {
    const { body } = await here.admin.call('get', `${cr}/conflicts?${query}`).expect(200)
    assert.is(body.count, 3)
    seen.push(...body.items.map((one: { path: string }) => one.path))
    query = body.next ? `limit=1&page=${body.next.page}` : ''
  }
  assert.equal(seen, ['a.md', 'b.md', 'c.md'])
})

test('a list with details names the reviewers with their states, and counts the changed pages', async () => {
  const { admin } = here
  const base = await inConflict()
  const [author, ben, cem] = [await here.caller('edit'), await here.caller('review'), await here.caller('review')]
  const requests = `${base}/change-requests`
  const list = async (query: string) =>
    (await author.call('get', `${requests}?status=open&${query}`).expect(200)).body.items
  await admin.call('post', `${requests}/1/requested-reviewers`, { users: [ben.user, cem.user] }).expect(200)
  await ben.call('post', `${requests}/1/reviews`, { status: 'approved' }).expect(201)
  const names = async () =>
    (await list('details=true')).map((one: any) => [
      one.number,
      one.changedPages,
      one.reviewers.map(({ user, state }: any) => [user.id, state]).sort(),
    ])
  assert.equal(await names(), [
    [
      1,
      3,
      [
        [ben.user, 'approved'],
        [cem.user, 'requested'],
      ].sort(),
    ],
  ])
  // Another commit of the branch makes the approval one of an earlier revision.
  const pageOf = async (number: number, path: string): Promise<string> =>
    (await admin.call('get', `${requests}/${number}/content/pages`).expect(200)).body.pages.find(
      (one: any) => one.path === path,
    ).id
  await admin.call('post', `${requests}/1/content`, { changes: [page('D', 'four\n')] }).expect(200)
  await cem.call('post', `${requests}/1/reviews`, { status: 'changes-requested' }).expect(201)
  const after = [
    [ben.user, 'earlier-approval'],
    [cem.user, 'changes-requested'],
  ].sort()
  assert.equal(await names(), [[1, 4, after]])
  // A file that only moves is one page.
  await admin.call('post', requests).expect(201)
  const moved = { operation: 'update_page', page: await pageOf(2, 'b'), slug: 'elsewhere' }
  await admin.call('post', `${requests}/2/content`, { changes: [moved] }).expect(200)
  await admin.call('patch', `${requests}/2`, { status: 'open' }).expect(200)
  assert.equal((await names())[0], [2, 1, []])
  const [plain] = await list('limit=1000')
  assert.equal([plain.reviewers, plain.changedPages], [undefined, undefined])
})

test('a merged change request cannot be reopened, and filters follow each status', async () => {
  const { admin } = here
  const base = `/v1/spaces/${(await admin.call('post', `/v1/orgs/${here.organization}/spaces`).expect(201)).body.id}/change-requests`
  const first = await admin.call('post', base, { subject: 'First' }).expect(201)
  assert.is(first.headers.location, `${base}/${first.body.id}`)
  assert.equal([first.body.status, first.body.number, first.body.outdated], ['draft', 1, false])
  assert.equal((await admin.call('get', base).expect(200)).body, { items: [], count: 0 })
  await admin.call('patch', `${base}/1`, { status: 'merged' }).expect(400)
  await admin.call('patch', `${base}/1`, { status: 'archived' }).expect(200)
  await admin.call('post', `${base}/1/merge`).expect(409)
  await admin.call('patch', `${base}/${first.body.id}`, { status: 'open' }).expect(200)
  assert.is((await admin.call('get', `${base}?contributor=${admin.user}`).expect(200)).body.count, 1)
  assert.is((await admin.call('get', `${base}?contributor=nobody`).expect(200)).body.count, 0)
  const merged = (await admin.call('post', `${base}/1/merge`).expect(200)).body
  assert.equal((await admin.call('post', `${base}/1/merge`).expect(200)).body, merged)
  await admin.call('patch', `${base}/1`, { status: 'open' }).expect(409)
  await admin.call('post', `${base}/1/content`, { changes: [page('Late', '')] }).expect(409)
})

test('change requests cannot be created or merged while main is missing', async () => {
  const base = await inConflict()
  const repo = join(here.dir, 'repos', `${base.split('/').at(-1)}.git`)
  const main = await git(repo, ['rev-parse', 'refs/heads/main'])
  await git(repo, ['update-ref', '-d', 'refs/heads/main'])
  await here.admin.call('post', `${base}/change-requests`).expect(404)
  await here.admin.call('post', `${base}/change-requests/1/merge`).expect(404)
  await here.admin.call('post', `${base}/change-requests/1/update`).expect(404)
  await here.admin.call('post', `${base}/content`, { changes: [page('New', '')] }).expect(404)
  await here.admin.call('get', base).expect(200)
  await git(repo, ['update-ref', 'refs/heads/main', main])
  assert.is((await here.admin.call('get', `${base}/change-requests?status=draft`).expect(200)).body.count, 1)
  assert.is((await here.admin.call('get', base).expect(200)).body.revision, main)
})

test('a revision contains the current subject of the change request that it merged', async () => {
  const { admin } = here
  const base = `/v1/spaces/${(await admin.call('post', `/v1/orgs/${here.organization}/spaces`).expect(201)).body.id}`
  await admin.call('post', `${base}/change-requests`, { subject: 'Before' }).expect(201)
  await admin.call('post', `${base}/change-requests/1/content`, { changes: [page('New', '')] }).expect(200)
  await admin.call('post', `${base}/change-requests/1/merge`).expect(200)
  const first = await admin.call('get', `${base}/content`).expect(200)
  assert.equal([first.body.type, first.body.mergedFrom.subject], ['merge', 'Before'])
  await admin
    .call('get', `${base}/content`)
    .set('If-None-Match', first.headers.etag as string)
    .expect(304)
  await admin.call('patch', `${base}/change-requests/1`, { subject: 'After' }).expect(200)
  const second = await admin
    .call('get', `${base}/content`)
    .set('If-None-Match', first.headers.etag as string)
    .expect(200)
  assert.is(second.body.mergedFrom.subject, 'After')
})

test.run()
