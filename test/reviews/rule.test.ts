import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openCase } from './fixture.js'

const [test, here] = await suiteWith('reviews: a merge needs approvals', startService)

const state = (review: { status: string; stale: boolean; counts: boolean }) => [
  review.status,
  review.stale,
  review.counts,
]

test('without a rule, reviews are advisory', async () => {
  const { base, review } = await openCase(here)
  const other = await here.caller('review')
  assert.equal(state(await review(other, 'changes-requested')), ['changes-requested', false, true])
  await here.admin.call('post', `${base}/merge`).expect(200)
})

test('only an admin sets the approval rule, from 0 to 20', async () => {
  const { space } = await openCase(here, 20)
  const reviewer = await here.caller('create')
  await reviewer.call('patch', `/v1/spaces/${space}`, { requiredApprovals: 0 }).expect(403)
  for (const bad of [-1, 21, 1.5, '1', null]) {
    const { body } = await here.admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals: bad }).expect(400)
    assert.is(body.error.details[0].path, '/requiredApprovals')
  }
  assert.is((await here.admin.call('get', `/v1/spaces/${space}`).expect(200)).body.requiredApprovals, 20)
})

test('the rule counts approvals of others and reports how many are missing', async () => {
  const { base, review, refused } = await openCase(here, 2)
  const [one, two] = [await here.caller('review'), await here.caller('create')]
  assert.match(await refused(), /needs 2 approvals .* has 0; 2 approvals missing/)
  await review(one, 'approved')
  await review(one, 'approved')
  assert.match(await refused(), /has 1; 1 approval missing/)
  await review(two, 'approved')
  await here.admin.call('post', `${base}/merge`).expect(200)
  await here.admin.call('post', `${base}/merge`).expect(200)
  await two.call('post', `${base}/reviews`, { status: 'approved' }).expect(409)
})

test('the author may review the change request, but that review has no effect', async () => {
  const { admin } = here
  const { space } = await openCase(here, 1)
  await admin.call('post', `/v1/spaces/${space}/change-requests`).expect(201)
  const base = `/v1/spaces/${space}/change-requests/2`
  const own = await admin.call('post', `${base}/reviews`, { status: 'approved' }).expect(201)
  assert.equal(state(own.body), ['approved', false, false])
  await admin.call('post', `${base}/merge`).expect(409)
  await admin.call('post', `${base}/reviews`, { status: 'changes-requested' }).expect(201)
  const other = await here.caller('review')
  await other.call('post', `${base}/reviews`, { status: 'approved' }).expect(201)
  await admin.call('post', `${base}/merge`).expect(200)
})

test('requested changes block a merge until that reviewer approves', async () => {
  const { base, review, refused, reviews } = await openCase(here, 1)
  const [one, two] = [await here.caller('review'), await here.caller('review')]
  await review(one, 'approved')
  await review(two, 'changes-requested')
  const { displayName } = (await here.admin.call('get', `/v1/users/${two.user}`).expect(200)).body
  assert.match(await refused(), new RegExp(`Changes are requested by ${displayName}`))
  await review(two, 'approved')
  assert.equal((await reviews()).map(state), [
    ['approved', false, true],
    ['changes-requested', false, false],
    ['approved', false, true],
  ])
  await here.admin.call('post', `${base}/merge`).expect(200)
})

test('new commits make approvals stale, and requested changes stay', async () => {
  const { admin } = here
  const { space, base, edit, review, refused, reviews } = await openCase(here, 1)
  const [one, two] = [await here.caller('review'), await here.caller('review')]
  const repository = join(here.dir, 'repos', `${space}.git`)
  const ways: [string, () => Promise<unknown>][] = [
    ['commit', () => edit()],
    [
      'update from main',
      async () => {
        await admin
          .call('post', `/v1/spaces/${space}/content`, {
            changes: [{ operation: 'insert_page', title: 'Main', document: { markdown: 'M\n' } }],
          })
          .expect(200)
        await admin.call('post', `${base}/update`).expect(200)
      },
    ],
    [
      'push',
      async () => {
        const ref = 'refs/heads/change-requests/1'
        const head = await git(repository, ['rev-parse', ref])
        const commit = await git(repository, ['commit-tree', '-p', head, '-m', 'By hand', `${head}^{tree}`])
        await git(repository, ['update-ref', ref, commit])
      },
    ],
  ]
  for (const [what, change] of ways) {
    await review(one, 'approved')
    await change()
    assert.equal(state((await reviews())[0]), ['approved', true, false], what)
    assert.match(await refused(), /1 approval missing/, what)
  }
  await review(two, 'changes-requested')
  await edit()
  assert.equal(state((await reviews())[0]), ['changes-requested', true, true])
  await review(one, 'approved')
  assert.match(await refused(), /Changes are requested by/)
  await review(two, 'approved')
  await admin.call('post', `${base}/merge`).expect(200)
  assert.equal((await reviews()).slice(0, 2).map(state), [
    ['approved', false, true],
    ['approved', false, true],
  ])
})

test('a dismissed or withdrawn review does not bring back an older one', async () => {
  const { base, author, review, refused } = await openCase(here, 1)
  const [one, two] = [await here.caller('review'), await here.caller('review')]
  await review(one, 'approved')
  const against = await review(one, 'changes-requested')
  const at = `${base}/reviews/${against.id}/dismiss`
  await author.call('post', at).expect(403)
  await two.call('post', at).expect(403)
  const dismissed = (await here.admin.call('post', at).expect(200)).body
  assert.equal([dismissed.counts, dismissed.dismissedBy.id], [false, here.admin.user])
  assert.is((await one.call('post', at).expect(200)).body.dismissedBy.id, here.admin.user)
  assert.match(await refused(), /has 0; 1 approval missing/)
  const mine = await review(one, 'approved')
  await one.call('post', `${base}/reviews/${mine.id}/dismiss`).expect(200)
  assert.match(await refused(), /1 approval missing/)
  await review(two, 'approved')
  await here.admin.call('post', `${base}/merge`).expect(200)
  await one.call('post', at).expect(409)
})

test('a review counts as long as its author may review the space', async () => {
  const { base, review, refused } = await openCase(here, 1)
  const [one, two] = [await here.caller('review'), await here.caller('review')]
  const member = (user: string) => `/v1/orgs/${here.organization}/members/${user}`
  await review(one, 'approved')
  await review(two, 'changes-requested')
  await here.admin.call('patch', member(one.user), { role: 'edit' }).expect(200)
  assert.match(await refused(), /has 0; 1 approval missing.*Changes are requested/)
  await here.admin.call('delete', member(two.user)).expect(204)
  assert.not.match(await refused(), /Changes are requested/)
  await here.admin.call('patch', member(one.user), { role: 'review' }).expect(200)
  await here.admin.call('post', `${base}/merge`).expect(200)
})

test('authors and conflict resolvers cannot merge their own work on their own approval', async () => {
  const { space, base, author, edit, review, reviews } = await openCase(here, 1)
  const [writer, other] = [await here.caller('review'), await here.caller('review')]
  await edit(writer)
  await review(writer, 'approved')
  const { body } = await writer.call('post', `${base}/merge`).expect(409)
  assert.match(body.error.message, /You wrote in it, so your own approval does not count if you merge it/)
  assert.is((await reviews())[0].counts, true)
  await other.call('post', `${base}/merge`).expect(200)

  const pages = (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body.pages
  const update = (markdown: string) => ({
    changes: [{ operation: 'update_page', page: pages.at(-1).id, document: { markdown } }],
  })
  await author.call('post', `/v1/spaces/${space}/change-requests`).expect(201)
  const second = `/v1/spaces/${space}/change-requests/2`
  await author.call('post', `${second}/content`, update('Theirs.\n')).expect(200)
  await here.admin.call('post', `/v1/spaces/${space}/content`, update('Ours.\n')).expect(200)
  const [{ path }] = (await writer.call('get', `${second}/conflicts`).expect(200)).body.items
  await writer.call('post', `${second}/update`, { resolve: [{ path, content: 'My own.\n' }] }).expect(200)
  await writer.call('post', `${second}/reviews`, { status: 'approved' }).expect(201)
  await writer.call('post', `${second}/merge`).expect(409)

  await author.call('post', `/v1/spaces/${space}/change-requests`).expect(201)
  const third = `/v1/spaces/${space}/change-requests/3`
  await author
    .call('post', `${third}/content`, {
      changes: [{ operation: 'insert_page', title: 'Third', document: { markdown: 'Third.\n' } }],
    })
    .expect(200)
  await here.admin.call('post', `/v1/spaces/${space}/content`, update('Ours again.\n')).expect(200)
  await writer.call('post', `${third}/update`).expect(200)
  await writer.call('post', `${third}/reviews`, { status: 'approved' }).expect(201)
  await writer.call('post', `${third}/merge`).expect(200)
})

test.run()
