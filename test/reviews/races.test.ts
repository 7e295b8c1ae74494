import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { requestedReviews, reviews, spaces } from '../../src/model/index.js'
import { purgeSpace } from '../../src/domain/upkeep/purge-space.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openCase } from './fixture.js'

const [test, here] = await suiteWith('reviews: races', startService)

const ROUNDS = 6

test('concurrent pushes, approvals and merges never merge an unapproved change', async () => {
  let merged = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { space, base, edit, review } = await openCase(here, 1)
    const reviewer = await here.caller('review')
    if (round % 2) await review(reviewer, 'approved')
    const [, pushed, merge] = await Promise.all([
      reviewer.call('post', `${base}/reviews`, { status: 'approved' }),
      edit().catch(() => 'too late'),
      here.admin.call('post', `${base}/merge`),
    ])
    assert.ok([200, 409].includes(merge.status), merge.text)
    if (merge.status === 409) continue
    merged++
    const repository = join(here.dir, 'repos', `${space}.git`)
    const head = await git(repository, ['rev-parse', 'refs/heads/main^2'])
    const approved = (await here.admin.call('get', `${base}/reviews`).expect(200)).body.items.map(
      ({ revision }: { revision: string }) => revision,
    )
    assert.ok(approved.includes(head), `${head} of ${approved}, ${pushed}`)
  }
  assert.ok(merged > 0)
})

test('concurrent requests, submissions and withdrawals of a review each succeed once', async () => {
  const { base, author } = await openCase(here, 1)
  const reviewer = await here.caller('review')
  const responses = await Promise.all([
    ...Array.from({ length: 4 }, () => author.call('post', `${base}/requested-reviewers`, { users: [reviewer.user] })),
    ...Array.from({ length: 4 }, () =>
      here.admin.call('post', `${base}/requested-reviewers`, { users: [reviewer.user] }),
    ),
  ])
  assert.equal([...new Set(responses.map(({ status }) => status))], [200])
  assert.is((await author.call('get', `${base}/requested-reviewers`).expect(200)).body.count, 1)
  const made = await Promise.all(
    Array.from({ length: 6 }, () => reviewer.call('post', `${base}/reviews`, { status: 'approved' })),
  )
  assert.equal([...new Set(made.map(({ status }) => status))], [201])
  const shown = (await author.call('get', `${base}/reviews`).expect(200)).body
  assert.equal([shown.count, shown.items.filter(({ counts }: { counts: boolean }) => counts).length], [6, 1])
  const at = `${base}/reviews/${shown.items[0].id}/dismiss`
  const gone = await Promise.all([
    reviewer.call('post', at),
    here.admin.call('post', at),
    here.admin.call('post', `${base}/merge`),
  ])
  assert.ok(
    gone.every(({ status }) => status < 500),
    gone.map(({ text }) => text).join(),
  )
})

test('reviews are deleted with their space', async () => {
  const { space, base, author, review } = await openCase(here)
  const [one, two] = [await here.caller('review'), await here.caller('review')]
  await author.call('post', `${base}/requested-reviewers`, { users: [one.user, two.user] }).expect(200)
  await review(one, 'approved', { comment: { markdown: 'Good.' } })
  await here.admin.call('delete', `/v1/spaces/${space}`).expect(204)
  await here.service.app.store.transact(async (tx) => {
    const doc = await tx.get(spaces, space)
    if (doc) await tx.replace(spaces, { ...doc, deletedAt: new Date(0).toISOString() })
  })
  await purgeSpace(here.service.app, space)
  for (const of of [reviews, requestedReviews])
    assert.is(await here.service.app.store.count(of as typeof reviews, 'space', space), 0)
})

test.run()
