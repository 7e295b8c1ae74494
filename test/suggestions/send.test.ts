import * as assert from 'uvu/assert'
import { removeExpired } from '../../src/domain/upkeep/housekeeping.js'
import { siteSuggestions } from '../../src/model/index.js'
import { suiteWith } from '../support/suite.js'
import { ask, blockOf, blocksOf, draft, openSuggestedSite, setMode } from './support.js'

const CRLF = '# Windows\r\n\r\nFirst line,\r\nsecond lin.\r\n\r\n\r\nLast.'
const NESTED = [
  '# Nested',
  '{% hint style="info" %}\nHint   text.\nSecond  line.\n\n{% if visitor.claims.never %}\nNo.\n{% endif %}\n{% endhint %}',
  '{% tabs %}\n{% tab title="A" %}\nSame.\n{% endtab %}\n\n{% tab title="B" %}\nSame.\n\n> Quoted.\n{% endtab %}\n{% endtabs %}',
  '1.  One <!-- x -->\n    - Inner  item\n    - Other\n      continued <!-- y -->\n2.  Two,\n    in two lines',
  '> {% hint style="info" %}\n> In a quote.\n>\n> Two\n> lines.\n> {% endhint %}\n',
].join('\n\n')
const [test, context] = await suiteWith('suggestions/send', () =>
  openSuggestedSite(
    {
      'SUMMARY.md': '* [Start](README.md)\n* [Windows](windows.md)\n* [Latin](latin.md)\n* [Nested](nested.md)\n',
      'nested.md': NESTED,
      'README.md': '---\ntitle:   Start\n---\n\n# Start\n\n\nA typo heer.\n\n*  odd   list\n*  stays\n',
      'windows.md': CRLF,
      'latin.md': Buffer.from('# Latin\n\nCaf\xe9 is open.\n', 'latin1'),
    },
    'everyone',
  ),
)
const { here, desk, smtp, site } = context
const { admin } = here

const TYPO = { before: 'A typo heer.', after: 'A typo here.' }
const send = (token: string, status: number, caller = admin) =>
  caller.call('post', '/v1/suggestions/send', { token }).expect(status)
const guest = (form: Record<string, string>) =>
  ask(context, {}, { form: { name: 'Ada Guest', email: 'ada@guest.example', as: 'guest', ...form } })
const heads = () => desk.git('for-each-ref', '--format=%(refname) %(objectname)')
const waiting = async (caller = admin) => (await caller.call('get', `${site.api}/suggestions`).expect(200)).body.items
const confirm = (secret: string, method: 'GET' | 'POST') =>
  ask(context, { confirm: secret }, method === 'POST' ? { form: { confirm: secret }, json: false } : { json: false })

/** Sends a suggestion of a guest. Returns the secret in the mail. */
async function mailed(email: string, page = '/', change = TYPO): Promise<string> {
  const { id } = await blockOf(context, page, change.before)
  assert.is((await guest({ page, block: id, text: change.after, email })).status, 200)
  const { text } = await smtp.mailTo(email)
  return /confirm=(\S+)/.exec(text)?.[1] ?? ''
}

test('a member sends a typo as a change request whose difference is one line', async () => {
  const secret = await draft(context, '/', TYPO)
  const opened = await admin.call('post', '/v1/suggestions/open', { token: secret }).expect(200)
  assert.equal([opened.body.before, opened.body.after, opened.body.direct], [TYPO.before, TYPO.after, true])
  const main = await desk.git('rev-parse', 'main')
  const { changeRequest } = (await send(secret, 200)).body
  const ref = `refs/heads/change-requests/${changeRequest.number}`
  assert.is(await desk.git('rev-parse', 'main'), main)
  assert.equal(
    (await desk.git('diff', '-U0', 'main', ref)).split('\n').filter((line) => /^[-+][^-+]/.test(line)),
    ['-A typo heer.', '+A typo here.'],
  )
  assert.is((await desk.git('diff', '--numstat', 'main', ref)).trim(), '1\t1\tREADME.md')
  const shown = await admin.call('get', `${desk.url}/change-requests/${changeRequest.id}`).expect(200)
  assert.equal([shown.body.status, shown.body.subject], ['open', 'Suggestion for Start'])
  await send(secret, 404)
})

test('line ends and other bytes of a file stay', async () => {
  const secret = await draft(context, '/windows', {
    before: 'First line,\nsecond lin.',
    after: 'First line,\r\nsecond line.\nThird.\n\n',
  })
  const { changeRequest } = (await send(secret, 200)).body
  const bytes = await desk.bytes('windows.md', `refs/heads/change-requests/${changeRequest.number}`)
  assert.is(bytes.toString(), CRLF.replace('second lin.', 'second line.\r\nThird.'))
  const latin = { before: 'Café is open.', after: 'Café is closed.' }
  const sent = (await send(await draft(context, '/latin', latin), 200)).body.changeRequest
  assert.equal(
    (await desk.bytes('latin.md', `refs/heads/change-requests/${sent.number}`)).toString('latin1'),
    '# Latin\n\nCaf\xe9 is closed.\n',
  )
  await send(await draft(context, '/latin', { ...latin, after: 'Café is 開.' }), 409)
})

test('parts of hints, tabs, lists and quotes are changed in place, and all other bytes stay', async () => {
  const offered = (await blocksOf(context, '/nested')).map(({ source }) => source)
  const expected = ['# Nested', 'Hint   text.\nSecond  line.', 'Same.', 'Same.', '> Quoted.', '- Inner  item']
  assert.equal(offered, [...expected, '2.  Two,\n    in two lines', 'In a quote.'])
  const change = async (before: string, after: string, index = 0) => {
    const found = (await blocksOf(context, '/nested')).filter(({ source }) => source === before)[index]
    const form = { page: '/nested', block: found?.id ?? '', text: after, as: 'member' }
    const { to } = (await (await ask(context, {}, { form })).json()) as { to: string }
    const sent = (await send(new URL(to).hash.slice(1), 200)).body.changeRequest
    return (await desk.bytes('nested.md', `refs/heads/change-requests/${sent.number}`)).toString()
  }
  const put = (before: string, after: string, from = 0): string =>
    NESTED.slice(0, from) + NESTED.slice(from).replace(before, after)
  assert.is(await change('Hint   text.\nSecond  line.', 'New.'), put('Hint   text.\nSecond  line.', 'New.'))
  assert.is(await change('Same.', 'Other.', 1), put('Same.', 'Other.', NESTED.lastIndexOf('Same.')))
  assert.is(await change('- Inner  item', '- A\n- B'), put('- Inner  item', '- A\n    - B'))
  assert.is(await change('In a quote.', 'One.\n\nTwo.  '), put('In a quote.', 'One.\n>\n> Two.'))
})

test('a member without the role edit sends to the reviewers, and a stranger sends nothing', async () => {
  const reader = await here.caller('read')
  const stranger = await here.caller()
  const secret = await draft(context, '/', TYPO)
  await send(secret, 404, stranger)
  await send(`${secret}x`, 404)
  const { user, token } = admin
  const made = await admin.call('post', '/v1/user/tokens', { label: 'read', readOnly: true }).expect(201)
  await send(secret, 403, {
    ...admin,
    user,
    token,
    call: (method, path, body) =>
      admin.call(method, path, body).set('Authorization', `Bearer ${made.body.secret ?? made.body.token}`),
  })
  assert.equal((await send(secret, 200, reader)).body, { object: 'suggestion-sent' })
  const [one] = await waiting()
  assert.match(one.author.email, /^person-\d+@example\.org$/)
  await admin.call('delete', `${site.api}/suggestions/${one.id}`).expect(204)
  await admin.call('delete', `${site.api}/suggestions/${one.id}`).expect(204)
  assert.equal(await waiting(), [])
})

test('a suggestion of a guest enters Git only when a reviewer accepts it', async () => {
  const before = await heads()
  const secret = await mailed('ada@guest.example')
  const { raw, text } = await smtp.mailTo('ada@guest.example')
  assert.match(raw, /^subject: Confirm your suggestion\r$/im)
  assert.not.match(text, /typo|Ada/)
  assert.equal(await waiting(), [])
  // Programs that open the links in mails only read.
  for (let round = 0; round < 2; round++) {
    const page = await confirm(secret, 'GET')
    assert.is(page.status, 200)
    assert.is(page.headers.get('referrer-policy'), 'strict-origin-when-cross-origin')
    assert.is(page.headers.get('cache-control'), 'no-store')
    assert.match(await page.text(), /A typo here\./)
  }
  assert.equal(await waiting(), [])
  assert.is((await confirm(secret, 'POST')).status, 200)
  for (const method of ['GET', 'POST'] as const) assert.is((await confirm(secret, method)).status, 404)
  assert.is(await heads(), before)
  const [one] = await waiting()
  assert.equal(one.author, { name: 'Ada Guest', email: 'ada@guest.example' })
  const editor = await here.caller('edit')
  await editor.call('get', `${site.api}/suggestions`).expect(403)
  await editor.call('post', `${site.api}/suggestions/${one.id}/accept`).expect(403)
  const reviewer = await here.caller('review')
  const { body } = await reviewer.call('post', `${site.api}/suggestions/${one.id}/accept`).expect(200)
  const ref = `refs/heads/change-requests/${body.changeRequest.number}`
  assert.is((await desk.git('log', '-1', '--format=%an <%ae>', ref)).trim(), 'Ada Guest <ada@guest.example>')
  assert.is((await desk.git('diff', '--numstat', 'main', ref)).trim(), '1\t1\tREADME.md')
  await reviewer.call('post', `${site.api}/suggestions/${one.id}/accept`).expect(404)
  assert.is(await here.service.app.store.get(siteSuggestions, one.id), null)
})

test('reviewers learn of waiting suggestions, with one notification until they read it', async () => {
  const editor = await here.caller('edit')
  const reviewer = await here.caller('review')
  const counted = async (caller = admin) => {
    const { body } = await caller.call('get', site.api).expect(200)
    const list = (await caller.call('get', site.api.replace(/\/[^/]+$/, '')).expect(200)).body.items
    assert.is(list[0].waitingSuggestions, body.waitingSuggestions)
    return body.waitingSuggestions
  }
  const listed = async (caller = admin) =>
    (await caller.call('get', '/v1/user/waiting').expect(200)).body.items.filter(
      ({ type }: { type: string }) => type === 'suggestions',
    )
  const notices = async () =>
    (await admin.call('get', '/v1/user/notifications?status=unread').expect(200)).body.items.filter(
      ({ type }: { type: string }) => type === 'suggestion',
    )
  await admin.call('patch', '/v1/user/notifications', { read: true }).expect(204)
  assert.equal([await counted(), await listed(), await notices()], [undefined, [], []])
  for (const email of ['one@guest.example', 'two@guest.example'])
    assert.is((await confirm(await mailed(email), 'POST')).status, 200)
  assert.equal([await counted(), await counted(reviewer), await counted(editor)], [2, 2, undefined])
  assert.equal(await listed(editor), [])
  const app = `${here.url}/sites/${site.api.split('/').at(-1)}/suggestions`
  for (const caller of [admin, reviewer]) {
    const [item, ...others] = await listed(caller)
    assert.equal([item.suggestions, item.space.id, item.urls.app, others], [2, desk.space, app, []])
  }
  const [notice, ...others] = await notices()
  assert.equal([notice.page.title, notice.urls.app, notice.actor, others], ['Start', app, undefined, []])
  assert.not.match(JSON.stringify(notice), /guest|Ada/)
  const [first] = await waiting()
  await admin.call('delete', `${site.api}/suggestions/${first.id}`).expect(204)
  assert.is(await counted(), 1)
  await admin.call('patch', '/v1/user/notifications', { read: true }).expect(204)
  assert.is((await confirm(await mailed('three@guest.example'), 'POST')).status, 200)
  assert.is((await notices()).length, 1)
  for (const { id } of await waiting()) await admin.call('delete', `${site.api}/suggestions/${id}`).expect(204)
  assert.equal([await counted(), await listed()], [undefined, []])
})

test('reviewers through a team or a collection are notified, and those with a lower role are not', async () => {
  const { admin: owner, organization } = here
  const made = (await owner.call('post', `/v1/orgs/${organization}/collections`, { title: 'Group' }).expect(201)).body
  await owner.call('post', `${desk.url}/move`, { parent: made.id }).expect(200)
  const people = { team: await here.caller('read'), above: await here.caller('read'), lower: await here.caller('read') }
  const members = [people.team.user]
  const team = (await owner.call('put', `/v1/orgs/${organization}/teams`, { title: 'T', members }).expect(201)).body
  const grant = (url: string, given: object) => owner.call('post', `${url}/permissions`, given).expect(204)
  await grant(desk.url, { role: 'review', teams: [team.id] })
  await grant(`/v1/collections/${made.id}`, { role: 'review', users: [people.above.user] })
  await grant(desk.url, { role: 'comment', users: [people.lower.user] })
  assert.is((await confirm(await mailed('teams@guest.example'), 'POST')).status, 200)
  const counts = await Promise.all(
    Object.values(people).map(async (caller) => {
      const { items } = (await caller.call('get', '/v1/user/notifications?status=unread').expect(200)).body
      return items.filter(({ type }: { type: string }) => type === 'suggestion').length
    }),
  )
  assert.equal(counts, [1, 1, 0])
  for (const { id } of await waiting()) await admin.call('delete', `${site.api}/suggestions/${id}`).expect(204)
})

test('a changed block is a 409 with the text of the reader', async () => {
  const { id } = await blockOf(context, '/', TYPO.before)
  const secret = await draft(context, '/', TYPO)
  const mail = await mailed('stale@guest.example')
  await confirm(mail, 'POST')
  const file = (await desk.file('README.md')) ?? ''
  await desk.human({ 'README.md': file.replace('A typo heer.', 'No typo.') })
  await send(secret, 409)
  const [one] = await waiting()
  await admin.call('post', `${site.api}/suggestions/${one.id}/accept`).expect(409)
  assert.is((await waiting()).length, 1)
  const form = { page: '/', block: id, text: 'My long text.', as: 'member' }
  const json = await ask(context, {}, { form })
  assert.is(json.status, 409)
  assert.match(((await json.json()) as { message: string }).message, /has changed/)
  const html = await ask(context, {}, { form, json: false })
  assert.is(html.status, 409)
  assert.match(await html.text(), /My long text\./)
  await desk.human({ 'README.md': file })
  await admin.call('delete', `${site.api}/suggestions/${one.id}`).expect(204)
})

test('a suggestion for a page that was hidden in the meantime cannot be confirmed', async () => {
  const file = (await desk.file('windows.md')) ?? ''
  const change = { before: 'Last.', after: 'Lost.' }
  for (const [hidden, email] of [
    [`---\r\nif: visitor.claims.never\r\n---\r\n${file}`, 'gated@guest.example'],
    [null, 'deleted@guest.example'],
  ] as const) {
    const secret = await mailed(email, '/windows', change)
    await desk.human({ 'windows.md': hidden })
    for (const method of ['GET', 'POST'] as const) {
      const response = await confirm(secret, method)
      assert.is(response.status, 404, email)
      assert.not.match(await response.text(), 'Lost.')
    }
    assert.equal(await waiting(), [])
    await desk.human({ 'windows.md': file })
    assert.is((await confirm(secret, 'GET')).status, 200)
  }
})

test('an address gets at most three mails, and the response does not reveal it', async () => {
  const { id } = await blockOf(context, '/', TYPO.before)
  const bodies = []
  for (let sent = 0; sent < 5; sent++) {
    const response = await guest({ page: '/', block: id, text: TYPO.after, email: 'Victim@Guest.example' })
    bodies.push([response.status, await response.text()])
  }
  assert.is(new Set(bodies.map(String)).size, 1)
  await smtp.mailTo('victim@guest.example', 2)
  await smtp.mailTo((await mailedTo('later@guest.example')).email)
  assert.is(smtp.received.filter(({ to }) => to.includes('victim@guest.example')).length, 3)
})

const mailedTo = async (email: string) => ({ email, secret: await mailed(email) })

test('names and addresses of guests cannot add headers, and wrong ones are rejected', async () => {
  const { id } = await blockOf(context, '/', TYPO.before)
  const form = { page: '/', block: id, text: TYPO.after }
  for (const email of [
    'a',
    'a@b',
    'a@example.org, b@example.org',
    'a@example.org\r\nBcc: b@example.org',
    '"a b"@example.org',
    `${'a'.repeat(250)}@b.cd`,
  ])
    assert.is((await guest({ ...form, email })).status, 400, email)
  for (const name of ['', ' \n ', 'x'.repeat(101), '<>']) assert.is((await guest({ ...form, name })).status, 400, name)
  assert.is((await guest({ ...form, text: ' \n ' })).status, 400)
  assert.is((await guest({ ...form, text: `${TYPO.before}\n` })).status, 400)
  const name = 'Eve <root@example.org>\r\nauthor X <x@y.z> 1 +0000'
  assert.is((await guest({ ...form, name, email: 'eve@guest.example' })).status, 200)
  const { text } = await smtp.mailTo('eve@guest.example')
  await confirm(/confirm=(\S+)/.exec(text)?.[1] ?? '', 'POST')
  const one = (await waiting()).find(
    ({ author }: { author: { email: string } }) => author.email === 'eve@guest.example',
  )
  const { body } = await admin.call('post', `${site.api}/suggestions/${one.id}/accept`).expect(200)
  const ref = `refs/heads/change-requests/${body.changeRequest.number}`
  assert.is(
    (await desk.git('log', '-1', '--format=%an|%ae', ref)).trim(),
    'Eve root@example.org author X x@y.z 1 +0000|eve@guest.example',
  )
  assert.is((await desk.git('fsck', '--strict')).trim(), '')
})

test('one address sends at most ten suggestions in an hour', async () => {
  const { id } = await blockOf(context, '/', TYPO.before)
  const form = { page: '/', block: id, text: TYPO.after, as: 'member' }
  const statuses = []
  for (let sent = 0; sent < 11; sent++)
    statuses.push((await ask(context, {}, { form, headers: { 'X-Forwarded-For': '2001:db8::' + sent } })).status)
  assert.equal(statuses, [...Array(10).fill(200), 429])
})

test('links of mails and drafts end when the site takes no suggestions', async () => {
  const { secret } = await mailedTo('off@guest.example')
  const draftSecret = await draft(context, '/', TYPO)
  await setMode(context, 'members')
  const { id } = await blockOf(context, '/', TYPO.before)
  const response = await guest({ page: '/', block: id, text: TYPO.after })
  assert.ok('to' in ((await response.json()) as object))
  await setMode(context, 'off')
  assert.is((await confirm(secret, 'POST')).status, 404)
  await send(draftSecret, 404)
  const { app } = here.service
  for (const one of await app.store.all(siteSuggestions))
    await app.store.transact((tx) => tx.replace(siteSuggestions, { ...one, expiresAt: '2020-01-01T00:00:00.000Z' }))
  await removeExpired(app)
  assert.equal(await app.store.all(siteSuggestions), [])
  await setMode(context, 'everyone')
})

test.run()
