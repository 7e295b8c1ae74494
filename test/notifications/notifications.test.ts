/** Notifications in the app and by mail, items that wait for a user, and the settings for both. */
import * as assert from 'uvu/assert'
import { type ConnectionDoc, connections, notifications } from '../../src/model/index.js'
import { recordConnectionFailure } from '../../src/domain/connections/notices.js'
import type { Draft } from '../../src/kernel/documents.js'
import { openDesk } from '../commits/fixture.js'
import { handClock } from '../support/hand-clock.js'
import { type Caller, startService, type TestService } from '../support/service.js'
import { startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'

const test = suite('notifications')
const smtp = await startSmtp()
const clock = handClock()
const MINUTE_MS = 60_000
let here: TestService
test.before(async () => {
  const env = { BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'Docs <docs@example.org>' }
  here = await startService({ env, overrides: { clock } })
})
test.after(async () => {
  await here.close()
  await smtp.close()
})

interface Notice {
  id: string
  type: string
  read: boolean
  actor?: { id: string }
  changeRequest?: { number: number }
  review?: string
  urls: { app: string }
}

const list = async (who: Caller, query = ''): Promise<{ items: Notice[]; count: number }> =>
  (await who.call('get', `/v1/user/notifications${query}`).expect(200)).body
const types = async (who: Caller, query = ''): Promise<string[]> =>
  (await list(who, query)).items.map(({ type }) => type)
const waiting = async (
  who: Caller,
): Promise<{ type: string; changeRequest?: { number: number }; urls: { app: string } }[]> =>
  (await who.call('get', '/v1/user/waiting').expect(200)).body.items
const emailOf = async (who: Caller): Promise<string> => (await who.call('get', '/v1/user').expect(200)).body.email

/** A change request of a new author, with one change, and a reviewer. */
async function story() {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Home](README.md)\n', 'README.md': '# Home\n' })
  const [author, reviewer] = [await here.caller('edit'), await here.caller('review')]
  const { body: request } = await author
    .call('post', `${desk.url}/change-requests`, { subject: 'Say more' })
    .expect(201)
  const url = `${desk.url}/change-requests/${request.id}`
  const page = await desk.id('readme')
  const changes = [{ operation: 'update_page', page, document: { markdown: '# Home\n\nMore.\n' } }]
  await author.call('post', `${url}/content`, { changes }).expect(200)
  return { desk, author, reviewer, request, url, page }
}

test('a review request notifies the reviewer, and is listed until the review is given', async () => {
  const { desk, author, reviewer, request, url } = await story()
  assert.equal(await waiting(author), [
    { ...(await waiting(author))[0], type: 'draft', urls: { app: `${here.url}/s/${desk.space}/c/${request.number}` } },
  ])
  await author.call('post', `${url}/requested-reviewers`, { users: [reviewer.user] }).expect(200)
  const { items, count } = await list(reviewer)
  assert.equal(
    [count, items[0]?.type, items[0]?.read, items[0]?.actor?.id],
    [1, 'review_requested', false, author.user],
  )
  assert.is(items[0]?.urls.app, `${here.url}/s/${desk.space}/c/${request.number}`)
  assert.equal(
    (await waiting(reviewer)).map(({ type, changeRequest }) => [type, changeRequest?.number]),
    [['review', request.number]],
  )
  assert.equal(await types(author), [], 'users get no notification of what they did themselves')
  await reviewer
    .call('post', `${url}/reviews`, { status: 'changes-requested', comment: { markdown: 'Why?' } })
    .expect(201)
  assert.equal(await waiting(reviewer), [])
  assert.equal(
    (await list(author)).items.map(({ type, review }) => [type, review]),
    [['reviewed', 'changes-requested']],
    'the comment of a review is not reported twice',
  )
  assert.equal(
    (await waiting(author)).map(({ type }) => type),
    ['changes_requested'],
  )
})

test('comments notify the author and other commenters, and a merge notifies the author', async () => {
  const { desk, author, reviewer, url, page } = await story()
  const other = await here.caller('comment')
  const { body: comment } = await other.call('post', `${url}/comments`, { body: { markdown: 'One' }, page }).expect(200)
  assert.equal(await types(author), ['comment'])
  await reviewer.call('post', `${url}/comments/${comment.id}/replies`, { body: { markdown: 'Two' } }).expect(200)
  assert.equal(await types(author), ['reply', 'comment'])
  const [reply] = (await list(other)).items
  assert.is(reply?.type, 'reply')
  assert.match(reply?.urls.app ?? '', new RegExp(`/s/${desk.space}/c/\\d+\\?page=${page}#comment-${comment.id}$`))
  await reviewer.call('post', `${url}/merge`).expect(200)
  assert.equal(await types(author), ['merged', 'reply', 'comment'])
  assert.equal(await types(reviewer), [])
})

test('read marks are stored, and unread notifications are counted', async () => {
  const { author, reviewer, url } = await story()
  for (const text of ['One', 'Two', 'Three'])
    await reviewer.call('post', `${url}/comments`, { body: { markdown: text } }).expect(200)
  const [newest] = (await list(author)).items
  await author.call('patch', '/v1/user/notifications', { read: true, ids: [newest?.id] }).expect(204)
  assert.is((await list(author, '?status=unread&limit=0')).count, 2)
  await author.call('patch', '/v1/user/notifications', { read: true }).expect(204)
  assert.equal([(await list(author, '?status=unread')).count, (await list(author)).count], [0, 3])
  await author.call('patch', '/v1/user/notifications', { read: false, ids: [newest?.id] }).expect(204)
  assert.equal(
    (await list(author, '?status=unread')).items.map(({ id }) => id),
    [newest?.id],
  )
  await reviewer.call('patch', '/v1/user/notifications', { read: true }).expect(204)
  assert.is((await list(author, '?status=unread')).count, 1, 'marks of others change nothing')
})

test('settings select the notifications in the app and by mail', async () => {
  const { author, reviewer, url } = await story()
  const settings = (body: object) => author.call('patch', '/v1/user/settings', body).expect(200)
  await settings({ notifications: { comments: { app: false, mail: false } } })
  await reviewer.call('post', `${url}/comments`, { body: { markdown: 'Unheard' } }).expect(200)
  assert.equal(await types(author), [])
  const { body } = await settings({ notifications: { comments: { mail: true } }, singleKeys: false, language: 'de' })
  assert.equal(body.notifications.comments, { app: false, mail: true })
  assert.equal(body.notifications.merges, { app: true, mail: false })
  assert.equal([body.singleKeys, body.theme, body.language], [false, 'system', 'de'])
  assert.equal((await author.call('get', '/v1/user/settings').expect(200)).body, body)
  await reviewer.call('post', `${url}/comments`, { body: { markdown: 'Only by mail' } }).expect(200)
  assert.equal(await types(author), [])
  clock.forward(6 * MINUTE_MS)
  here.service.app.wakes.jobs()
  const mail = await smtp.mailTo(await emailOf(author))
  assert.match(mail.text, /commented on change request #\d+ "Say more" in Desk/)
  await author.call('patch', '/v1/user/settings', { notifications: { gossip: { app: true } } }).expect(400)
})

test('mails are batched, without notifications that were read in the app', async () => {
  const { author, reviewer, url } = await story()
  const address = await emailOf(author)
  for (const text of ['One', 'Two', 'Three'])
    await reviewer.call('post', `${url}/comments`, { body: { markdown: text } }).expect(200)
  const [newest] = (await list(author)).items
  await author.call('patch', '/v1/user/notifications', { read: true, ids: [newest?.id] }).expect(204)
  clock.forward(6 * MINUTE_MS)
  here.service.app.wakes.jobs()
  const mail = await smtp.mailTo(address)
  assert.is(mail.text.match(/commented on/g)?.length, 2)
  assert.match(mail.raw, /^Subject: 2 notifications$/m)
  assert.match(mail.text, `${here.url}/s/`)
  await here.service.idle()
  assert.equal(await here.service.app.store.find(notifications, 'due', author.user), [])
})

test('notifications about a space that the user may no longer see are omitted everywhere', async () => {
  const { desk, author, reviewer, url } = await story()
  await author.call('post', `${url}/requested-reviewers`, { users: [reviewer.user] }).expect(200)
  await here.admin.call('patch', desk.url, { defaultLevel: null }).expect(200)
  assert.equal([await list(reviewer), await waiting(reviewer)], [{ items: [], count: 0 }, []])
  assert.equal(await waiting(author), [])
  const before = smtp.received.length
  clock.forward(6 * MINUTE_MS)
  here.service.app.wakes.jobs()
  await here.service.idle()
  assert.is(smtp.received.length, before)
  await here.admin.call('delete', desk.url).expect(204)
})

test('a failing connection notifies the members who may repair it once for each cause', async () => {
  const { desk, author } = await story()
  const { app } = here.service
  const now = clock.now().toISOString()
  const made = await app.store.insert(connections, {
    id: 'failing',
    space: desk.space,
    organization: here.organization,
    provider: 'github',
    url: 'https://github.example/a/b.git',
    repository: 'github.example/a/b',
    credential: { kind: 'none', digest: 'none', setAt: now },
    ref: 'refs/heads/main',
    createdBy: here.admin.user,
    createdAt: now,
    updatedAt: now,
  } as unknown as Draft<ConnectionDoc>)
  const fail = (cause: string) =>
    app.store.transact(async (tx) => {
      const stored = (await tx.get(connections, made.id)) ?? made
      await recordConnectionFailure(app, tx, stored, { cause, message: 'GitHub refused the token.' })
    })
  await fail('unauthorized')
  await fail('unauthorized')
  const own = (await list(here.admin)).items.filter(({ type }) => type === 'sync_failed')
  assert.is(own.length, 1)
  assert.is(own[0]?.urls.app, `${here.url}/s/${desk.space}/connection`)
  assert.ok((await waiting(here.admin)).some(({ type }) => type === 'sync_failed'))
  assert.not.ok(
    (await waiting(author)).some(({ type }) => type === 'sync_failed'),
    'writers cannot repair it',
  )
})

test('the newest 200 notifications of a user are kept', async () => {
  const { author, reviewer, url } = await story()
  const { body: comment } = await author.call('post', `${url}/comments`, { body: { markdown: 'Count' } }).expect(200)
  for (let n = 0; n < 205; n++)
    await reviewer.call('post', `${url}/comments/${comment.id}/replies`, { body: { markdown: `${n}` } }).expect(200)
  assert.is((await list(author)).count, 200)
})

test.run()
