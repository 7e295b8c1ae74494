import * as assert from 'uvu/assert'
import { allEvents } from '../support/events.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openCase } from './fixture.js'

const [test, here] = await suiteWith('reviews', startService)

const eventsOf = async (changeRequest: string) => {
  const all = (await allEvents(here.service.app.store)).filter((event) => event.subject.changeRequest === changeRequest)
  return all.sort((a, b) => a.sequence - b.sequence).map(({ type, subject }) => [type, subject.user ?? ''])
}
const idsOf = (body: { items: { user: { id: string } }[] }) => body.items.map(({ user }) => user.id)

test('reviews are requested once from people who may give them, and open a draft', async () => {
  const { base, author, space } = await openCase(here)
  const [one, two, reader] = [await here.caller('review'), await here.caller('admin'), await here.caller('comment')]
  const stranger = await here.caller()
  const bad = await author
    .call('post', `${base}/requested-reviewers`, { users: [one.user, reader.user, stranger.user, 'none', author.user] })
    .expect(400)
  assert.equal(
    bad.body.error.details.map(({ path }: { path: string }) => path),
    ['/users/1', '/users/2', '/users/3', '/users/4'],
  )
  assert.is((await author.call('get', base).expect(200)).body.status, 'draft')
  const asked = await author
    .call('post', `${base}/requested-reviewers`, { users: [one.user], subject: 'Please look' })
    .expect(200)
  assert.equal([asked.body.count, idsOf(asked.body)], [1, [one.user]])
  assert.equal(
    [asked.body.items[0].object, asked.body.items[0].requestedBy.id],
    ['change-request-requested-reviewer', author.user],
  )
  const shown = (await author.call('get', base).expect(200)).body
  assert.equal([shown.status, shown.subject], ['open', 'Please look'])
  const counters = (await author.call('get', `/v1/spaces/${space}`).expect(200)).body
  assert.equal([counters.changeRequestsOpen, counters.changeRequestsDraft], [1, 0])
  await author.call('post', `${base}/requested-reviewers`, { users: [one.user, two.user] }).expect(200)
  assert.equal(
    (await eventsOf(shown.id)).filter(([type]) => type === 'review.requested'),
    [
      ['review.requested', one.user],
      ['review.requested', two.user],
    ],
  )
  for (const users of [[], [one.user, one.user], 'x', Array.from({ length: 51 }, (_, n) => `u${n}`)])
    await author.call('post', `${base}/requested-reviewers`, { users }).expect(400)
  await reader.call('post', `${base}/requested-reviewers`, { users: [one.user] }).expect(403)
  await stranger.call('get', `${base}/requested-reviewers`).expect(404)
  const page = (await reader.call('get', `${base}/requested-reviewers?limit=1`).expect(200)).body
  const rest = (await reader.call('get', `${base}/requested-reviewers?limit=1&page=${page.next.page}`).expect(200)).body
  assert.equal([...idsOf(page), ...idsOf(rest)].sort(), [one.user, two.user].sort())
})

test('review requests end when the review is given or withdrawn, or its reviewer leaves', async () => {
  const { base, author, review, space } = await openCase(here)
  const people = [
    await here.caller('review'),
    await here.caller('review'),
    await here.caller('review'),
    await here.caller('review'),
  ] as const
  const awaited = async () => idsOf((await author.call('get', `${base}/requested-reviewers`).expect(200)).body).sort()
  await author.call('post', `${base}/requested-reviewers`, { users: people.map(({ user }) => user) }).expect(200)
  await review(people[0], 'approved')
  await author.call('delete', `${base}/requested-reviewers/${people[1].user}`).expect(204)
  await author.call('delete', `${base}/requested-reviewers/${people[1].user}`).expect(204)
  await author.call('delete', `${base}/requested-reviewers/nobody`).expect(204)
  await here.admin.call('delete', `/v1/orgs/${here.organization}/members/${people[2].user}`).expect(204)
  assert.equal(await awaited(), [people[3].user])
  await author.call('post', `${base}/requested-reviewers`, { users: [people[0].user] }).expect(200)
  assert.equal(await awaited(), [people[0].user, people[3].user].sort())
  const reader = await here.caller('read')
  await reader.call('delete', `${base}/requested-reviewers/${people[3].user}`).expect(403)
  await author
    .call('delete', `/v1/spaces/${space}/change-requests/99/requested-reviewers/${people[3].user}`)
    .expect(404)
})

test('review requests to strangers end when their space moves to another organization', async () => {
  const { base, author, space } = await openCase(here)
  const reviewer = await here.caller('review')
  await author.call('post', `${base}/requested-reviewers`, { users: [reviewer.user, here.admin.user] }).expect(200)
  const organization = (await here.admin.call('post', '/v1/orgs', { title: 'Elsewhere' }).expect(201)).body.id
  await here.admin.call('post', `/v1/spaces/${space}/transfer`, { organization }).expect(200)
  assert.equal(idsOf((await here.admin.call('get', `${base}/requested-reviewers`).expect(200)).body), [here.admin.user])
})

test('reviews contain the reviewed revision, a comment and an address', async () => {
  const { base, review, edit } = await openCase(here)
  const reviewer = await here.caller('review')
  const before = (await reviewer.call('get', base).expect(200)).body
  const made = await reviewer
    .call('post', `${base}/reviews`, {
      status: 'changes-requested',
      comment: { markdown: '**No.**' },
      revision: before.revision,
    })
    .expect(201)
  assert.equal(
    [made.body.object, made.body.reviewer.id, made.body.revision],
    ['change-request-review', reviewer.user, before.revision],
  )
  assert.is(new URL(made.body.urls.location).pathname, made.headers.location)
  assert.equal((await reviewer.call('get', made.headers.location as string).expect(200)).body, made.body)
  const { comment } = made.body
  assert.equal(
    [comment.body.markdown, comment.target.review, comment.target.revision],
    ['**No.**', made.body.id, before.revision],
  )
  assert.equal((await reviewer.call('get', `${base}/comments/${comment.id}`).expect(200)).body, comment)
  assert.is((await reviewer.call('get', base).expect(200)).body.comments, before.comments + 1)
  const document = (await reviewer.call('get', `${base}/reviews?format=document`).expect(200)).body.items[0].comment
    .body.document
  assert.is(document.object, 'document')
  await reviewer.call('delete', `${base}/comments/${comment.id}`).expect(204)
  assert.is((await reviewer.call('get', made.headers.location as string).expect(200)).body.comment, undefined)
  await edit()
  await reviewer.call('post', `${base}/reviews`, { status: 'approved', revision: before.revision }).expect(409)
  await review(reviewer, 'approved')
  assert.equal(
    (await eventsOf(before.id)).filter(([type]) => type === 'review.created'),
    [
      ['review.created', ''],
      ['review.created', ''],
    ],
  )
})

test('only permitted reviewers review change requests that are not closed', async () => {
  const { base, author, space } = await openCase(here)
  const [reviewer, commenter, stranger] = [
    await here.caller('review'),
    await here.caller('comment'),
    await here.caller(),
  ]
  await author.call('post', `${base}/reviews`, { status: 'approved' }).expect(403)
  await commenter.call('post', `${base}/reviews`, { status: 'approved' }).expect(403)
  await stranger.call('post', `${base}/reviews`, { status: 'approved' }).expect(404)
  for (const body of [
    {},
    { status: 'maybe' },
    { status: 'approved', comment: 'x' },
    { status: 'approved', comment: { markdown: '' } },
    { status: 'approved', x: 1 },
  ])
    await reviewer.call('post', `${base}/reviews`, body).expect(400)
  const blank = await reviewer
    .call('post', `${base}/reviews`, { status: 'approved', comment: { markdown: ' \n' } })
    .expect(400)
  assert.is(blank.body.error.details[0].path, '/comment/markdown')
  assert.is((await commenter.call('get', `${base}/reviews`).expect(200)).body.count, 0)
  await author.call('patch', base, { status: 'archived' }).expect(200)
  await reviewer.call('post', `${base}/reviews`, { status: 'approved' }).expect(409)
  await author.call('post', `${base}/requested-reviewers`, { users: [reviewer.user] }).expect(409)
  await author.call('patch', base, { status: 'open' }).expect(200)
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  const made = (await reviewer.call('post', `${base}/reviews`, { status: 'approved' }).expect(201)).body
  const { body: other } = await author.call('post', `/v1/spaces/${space}/change-requests`).expect(201)
  await reviewer.call('get', `/v1/spaces/${space}/change-requests/${other.id}/reviews/${made.id}`).expect(404)
})

test('reviews are listed newest first in stable pages', async () => {
  const { base, review } = await openCase(here)
  const reviewer = await here.caller('review')
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift((await review(reviewer, 'approved')).id)
  const seen: string[] = []
  for (let query = 'limit=2'; query !== ''; ) {
    const { body } = await reviewer.call('get', `${base}/reviews?${query}`).expect(200)
    seen.push(...body.items.map(({ id }: { id: string }) => id))
    query = body.next ? `limit=2&page=${body.next.page}` : ''
    await review(reviewer, 'changes-requested')
  }
  assert.equal(seen, made)
})

test.run()
