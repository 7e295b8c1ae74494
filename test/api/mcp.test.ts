// Tests the MCP server of writers at the API's origin.
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { callOf, connect, post, tokenFor } from '../support/mcp.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, { here, desk, other, at }] = await suiteWith('api: MCP', async () => {
  const here = await startService({ env: { BINDERY_CORS_ORIGINS: 'https://tools.example.org' } })
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Start](README.md)\n* [Guide](guide/README.md)\n  * [Locks](guide/locks.md)\n',
    'README.md': '# Start\n\nHello.\n',
    'guide/README.md': '# Guide\n',
    'guide/locks.md': '---\ndescription: About locks\n---\n\n# Locks\n\nA lok with {{ name }}.\n\n## Ports\n\nSix.\n',
  })
  const made = await here.admin.call('post', '/v1/orgs', { title: 'Second' }).expect(201)
  const space = await here.admin.call('post', `/v1/orgs/${made.body.id}/spaces`, { title: 'Elsewhere' }).expect(201)
  const page = { operation: 'insert_page', title: 'Locks elsewhere', document: { markdown: '# Locks elsewhere\n' } }
  await here.admin.call('post', `/v1/spaces/${space.body.id}/content`, { changes: [page] }).expect(200)
  const other = { organization: made.body.id as string, space: space.body.id as string }
  return { here, desk, other, at: `${here.url}/~mcp`, close: () => here.close() }
})

test('a writer finds a page and opens a change request in three calls', async () => {
  const { call, tools } = await connect(at, await tokenFor(here))
  assert.equal(tools, ['search', 'read', 'list', 'changes', 'propose', 'comment', 'status'])
  const { results } = (await call('search', { query: 'locks' })).json
  assert.equal(new Set(results.map((one: { space: string }) => one.space)), new Set([desk.space, other.space]))
  const found = results.find((one: { space: string }) => one.space === desk.space)
  const { json, text } = await call('read', { space: found.space, page: found.page })
  assert.is(json.markdown, '# Locks\n\nA lok with {{ name }}.\n\n## Ports\n\nSix.\n')
  assert.match(text, json.commit)
  const edits = [{ page: found.page, find: 'A lok', replace: 'A lock' }]
  const proposed = await call('propose', { space: desk.space, subject: 'Fix a typo', edits })
  const { id, number } = proposed.json.changeRequest
  const ref = `refs/heads/change-requests/${number}`
  assert.is(
    await desk.file('guide/locks.md', ref),
    '---\ndescription: About locks\n---\n\n# Locks\n\nA lock with {{ name }}.\n\n## Ports\n\nSix.\n',
  )
  assert.is(await desk.git('log', '-1', '--format=%s', ref), 'Fix a typo')
  assert.match((await desk.file('guide/locks.md')) as string, 'A lok')
  assert.equal((await call('status', { changeRequest: id })).json.conflicts, [])
  const comment = await call('comment', { changeRequest: id, text: 'Please review.' })
  assert.not(comment.isError, comment.text)
  const inApp = `${here.url}/s/${desk.space}`
  assert.is(comment.json.address, `${inApp}/c/${number}/discussion#comment-${comment.json.comment}`)
  assert.is(found.address, `${inApp}/p/${found.page}`)
})

test('spaces, pages and changes to main are listed', async () => {
  const { call } = await connect(at, await tokenFor(here))
  const spaces = (await call('list')).json.entries
  assert.ok([desk.space, other.space].every((id) => spaces.some((one: { space: string }) => one.space === id)))
  const titles = async (args: object) =>
    (await call('list', args)).json.entries.map((one: { depth: number; title: string }) => `${one.depth} ${one.title}`)
  assert.equal(await titles({ space: desk.space }), ['0 Start', '0 Guide', '1 Locks'])
  assert.equal(await titles({ space: desk.space, below: 'guide' }), ['0 Guide', '1 Locks'])
  const { commit } = (await call('read', { space: desk.space, page: '/guide/locks', section: 'Ports' })).json
  await desk.human({ 'README.md': '# Start\n\nHello again.\n' }, { message: 'Greet again' })
  const { changes } = (await call('changes', { space: desk.space, since: commit })).json
  assert.equal(
    changes.map((one: { title: string; subject: string }) => [one.title, one.subject]),
    [['Start', 'Greet again']],
  )
  assert.match((await call('changes', { space: other.space, since: commit })).text, 'no such commit in its history')
})

test('a token reads only content that its member and its organization can see', async () => {
  const { call } = await connect(at, await tokenFor(here, { organization: other.organization }))
  const { results } = (await call('search', { query: 'locks' })).json
  assert.equal([...new Set(results.map((one: { space: string }) => one.space))], [other.space])
  const edits = [{ page: '/guide/locks', find: 'lok', replace: 'lock' }]
  for (const [name, args] of [
    ['read', { space: desk.space, page: '/guide/locks' }],
    ['list', { space: desk.space }],
    ['search', { space: desk.space, query: 'locks' }],
    ['changes', { space: desk.space, since: '2000-01-01' }],
    ['propose', { space: desk.space, subject: 'Fix', edits }],
    ['comment', { space: desk.space, page: '/guide/locks', text: 'Hi' }],
  ] as const) {
    const { isError, text } = await call(name, args)
    assert.ok(isError, name)
    assert.is(text, `Space ${desk.space} does not exist, or you may not see it.`)
    assert.is(
      (await call(name, { ...args, space: 'absent' })).text,
      'Space absent does not exist, or you may not see it.',
    )
  }
  const stranger = await here.caller()
  const made = await stranger.call('post', '/v1/user/tokens', { label: 'MCP', scopes: ['mcp'] }).expect(201)
  const outside = await connect(at, { Authorization: `Bearer ${made.body.token}` })
  assert.equal((await outside.call('list')).json.entries, [])
  assert.equal((await outside.call('search', { query: 'locks' })).json.results, [])
})

test('the server needs a token with its scope, an allowed origin and POST', async () => {
  const call = callOf('list', {})
  const none = await post(at, call)
  assert.is(none.status, 401)
  assert.is(none.headers.get('www-authenticate'), 'Bearer')
  assert.match(none.json.error.message, 'scope `mcp`')
  assert.is((await post(at, call, { Authorization: 'Bearer bindery_unknown' })).status, 401)
  assert.is((await post(at, call, { Authorization: `Bearer ${here.admin.token}` })).status, 403)
  const token = await tokenFor(here)
  assert.is((await post(at, call, { ...token, Origin: 'https://evil.example.org' })).status, 403)
  assert.is((await post(at, call, { ...token, Origin: 'https://tools.example.org' })).status, 200)
  assert.is((await post(at, call, { ...token, Origin: here.url })).status, 200)
  assert.is((await post(`${at}/more`, call, token)).status, 404)
  assert.is((await post(at, `[${'['.repeat(100_000)}`, token)).status, 400)
  assert.is((await post(at, callOf('search', { query: 'x'.repeat(1024 * 1024) }), token)).status, 413)
  const get = await fetch(at, { headers: { ...token, Accept: 'text/event-stream' } })
  assert.is(get.status, 405)
  assert.is(get.headers.get('allow'), 'POST')
  assert.is((await fetch(at, { method: 'DELETE', headers: token })).status, 405)
})

test('each message of a request counts toward the limit of its token', async () => {
  const limited = await startService({ env: { BINDERY_RATE_LIMIT_PER_MINUTE: '30' } })
  try {
    const token = await tokenFor(limited)
    const batch = Array.from({ length: 10 }, (_, n) => callOf('list', {}, n))
    const responses = []
    for (let n = 0; n < 4; n++) responses.push(await post(`${limited.url}/~mcp`, batch, token))
    assert.equal(
      responses.map(({ status }) => status),
      [200, 200, 200, 429],
    )
    assert.ok(responses[3]!.headers.get('retry-after'))
  } finally {
    await limited.close()
  }
})

test.run()
