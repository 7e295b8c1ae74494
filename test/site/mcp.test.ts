// Tests the MCP server of a site with the client of the SDK.
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { callOf, connect, post, tokenFor } from '../support/mcp.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, type PublishedSite, read } from './support.js'

const LOCKS = `# Locks

Every lock needs a provider.

## Choose a provider

Redis keeps every lok.

### Ports

The port is 6379.

## Time-outs

There are none.
`
const PAGES = { Start: '# Start\n\nWelcome to the guide.\n', Locks: LOCKS }

const [test, here] = await suiteWith('site: MCP', startService)

/** A published site that agents may read. */
const open = (pages: Readonly<Record<string, string>> = PAGES, settings: object = {}): Promise<PublishedSite> =>
  publish(here, pages, { visibility: 'public', agentsContext: 'included', ...settings })

test('a question is answered and a change request is opened in three calls', async () => {
  const site = await open()
  const { call, tools } = await connect(`${site.address}/~mcp`, await tokenFor(here))
  assert.equal(tools, ['search', 'read', 'list', 'changes', 'propose', 'comment', 'status'])
  const found = await call('search', { query: 'lock provider' })
  const [first] = found.json.results
  assert.is(first.title, 'Locks')
  assert.match(found.text, /\*\*lock\*\*/i)
  const page = await call('read', { page: first.address })
  assert.match(page.text, 'Redis keeps every lok.')
  assert.is(page.json.page, first.page)
  const edits = [{ page: page.json.page, find: 'every lok', replace: 'every lock' }]
  const made = await call('propose', { subject: 'Fix a typo', description: 'It is a *lock*.', edits })
  assert.not(made.isError, made.text)
  const { id, status, commit } = made.json.changeRequest
  assert.is(status, 'draft')
  const at = `/v1/spaces/${site.space}/change-requests/${id}`
  const stored = (await here.admin.call('get', at).expect(200)).body
  assert.is(stored.createdBy.id, here.admin.user)
  assert.is(stored.revision, commit)
  assert.match(JSON.stringify(stored.description), 'lock')
  const { changes } = (await here.admin.call('get', `${at}/changes`).expect(200)).body
  assert.equal(
    changes.map(({ type, page }: { type: string; page: { title: string } }) => [type, page.title]),
    [['page_edited', 'Locks']],
  )
  assert.match((await read(`${site.address}/locks.md`)).text, 'every lok.')
})

test('each result contains page, address and commit, and the addresses work', async () => {
  const site = await open()
  const { call, tools } = await connect(`${site.address}/~mcp`)
  assert.equal(tools, ['search', 'read', 'list', 'changes'])
  const results = [
    ...(await call('search', { query: 'lock' })).json.results,
    (await call('read', { page: '/locks' })).json,
    ...(await call('list')).json.entries,
    ...(await call('changes', { since: '2000-01-01' })).json.changes,
  ]
  // A new space has a first page.
  assert.is(results.length, 8)
  const head = (await here.admin.call('get', `/v1/spaces/${site.space}/content`).expect(200)).body.id
  for (const { page, address, commit } of results) {
    assert.match(page, /^\S+$/)
    assert.is(commit, head)
    assert.is((await read(address)).status, 200, address)
  }
})

test('a page is found by ID, path or address, and its sections by heading or anchor', async () => {
  const site = await open()
  const { call } = await connect(`${site.address}/~mcp`)
  const { page, address } = (await call('read', { page: '/locks' })).json
  for (const name of [page, address, 'locks', '/locks.md', `${address}.md`, '/locks/'])
    assert.is((await call('read', { page: name })).json?.page, page, name)
  const list = (await read(`${site.address}/llms.txt`)).text
  const listed = [...list.matchAll(/\]\((\S+\.md)\)/g)].map(([, name = '']) => name)
  assert.ok(listed.length >= 2)
  for (const name of listed) assert.not.ok((await call('read', { page: name })).isError, name)
  const wanted = '## Choose a provider\n\nRedis keeps every lok.\n\n### Ports\n\nThe port is 6379.'
  for (const args of [
    { page, section: 'Choose a provider' },
    { page, section: 'choose-a-provider' },
    { page: `${address}#choose-a-provider` },
  ])
    assert.is((await call('read', args)).json?.markdown, wanted, JSON.stringify(args))
  const none = await call('read', { page, section: 'Prices' })
  assert.ok(none.isError)
  assert.match(none.text, 'Its headings: “Locks”, “Choose a provider”, “Ports”, “Time-outs”.')
  for (const name of ['https://elsewhere.example.org/locks', '/missing', '../locks', 'a\\b', '%00', `${address}x`]) {
    const { isError, text } = await call('read', { page: name })
    assert.ok(isError, name)
    assert.is(text, 'The page does not exist, or you may not see it. Find pages with `search` or `list`.')
  }
})

test('a long page is returned in parts of at most 5,000 characters', async () => {
  const paragraphs = Array.from({ length: 300 }, (_, n) => `Paragraph ${n} has 😀 and some more words in it.`)
  const site = await open({ Start: '# Start\n', Long: `# Long\n\n${paragraphs.join('\n\n')}\n` })
  const { call } = await connect(`${site.address}/~mcp`)
  const parts: string[] = []
  let cursor: string | undefined
  do {
    const { text, json } = await call('read', { page: '/long', ...(cursor ? { cursor } : {}) })
    assert.ok(text.length <= 5_000, String(text.length))
    assert.ok(text.isWellFormed())
    parts.push(json.markdown)
    cursor = json.next
    if (cursor === undefined) assert.is(json.characters, parts.join('').length)
  } while (cursor)
  assert.ok(parts.length > 2)
  const markdown = (await read(`${site.address}/long.md`)).text
  assert.is(parts.join(''), markdown.replace(/^---\n.*?\n---\n\n/s, ''))
  const first = await call('read', { page: '/long' })
  const changed = { operation: 'update_page', page: first.json.page, document: { markdown: '# Long\n\nShort now.\n' } }
  await here.admin.call('post', `/v1/spaces/${site.space}/content`, { changes: [changed] }).expect(200)
  const { isError, text } = await call('read', { page: '/long', cursor: first.json.next })
  assert.ok(isError)
  assert.match(text, 'Read it again without `cursor`.')
  assert.match((await call('read', { page: '/long', cursor: 'x' })).text, '`cursor` must be the `next`')
})

test('the table of contents is listed in order, in parts, or below a page', async () => {
  const names = Array.from({ length: 150 }, (_, n) => `page-${String(n).padStart(3, '0')}`)
  const desk = await openDesk(here, {
    'SUMMARY.md': `* [Start](README.md)\n* [Reference](reference/README.md)\n${names.map((name) => `  * [${name}](reference/${name}.md)`).join('\n')}\n`,
    'README.md': '# Start\n',
    'reference/README.md': '# Reference\n',
    ...Object.fromEntries(names.map((name) => [`reference/${name}.md`, `# ${name}\n`])),
  })
  const site = await publishSpace(desk.space)
  const { call } = await connect(`${site.address}/~mcp`)
  const listed = async (below: object): Promise<string[]> => {
    const titles: string[] = []
    let cursor: string | undefined
    do {
      const { json, text } = await call('list', { ...below, ...(cursor ? { cursor } : {}) })
      assert.ok(text.length <= 5_000)
      titles.push(...json.entries.map(({ depth, title }: { depth: number; title: string }) => `${depth} ${title}`))
      cursor = json.next
    } while (cursor)
    return titles
  }
  assert.equal(await listed({}), ['0 Start', '0 Reference', ...names.map((name) => `1 ${name}`)])
  assert.equal(await listed({ below: '/reference' }), ['0 Reference', ...names.map((name) => `1 ${name}`)])
  assert.equal(await listed({ below: '/reference/page-007' }), ['0 page-007'])
})

/** Publishes a site with a space. */
async function publishSpace(space: string): Promise<{ address: string }> {
  const sites = `/v1/orgs/${here.organization}/sites`
  const { id } = (await here.admin.call('post', sites, { title: 'Docs', spaces: [space] }).expect(201)).body
  await here.admin.call('patch', `${sites}/${id}`, { visibility: 'public', agentsContext: 'included' }).expect(200)
  return { address: (await here.admin.call('post', `${sites}/${id}/publish`).expect(200)).body.urls.published }
}

test('changes are listed since a date and since a commit, with the author', async () => {
  const site = await open()
  const { call } = await connect(`${site.address}/~mcp`)
  const { commit, page } = (await call('read', { page: '/locks' })).json
  assert.is((await call('changes', { since: commit })).json.total, 0)
  const changes = [{ operation: 'update_page', page, document: { markdown: LOCKS.replace('lok', 'lock') } }]
  await here.admin.call('post', `/v1/spaces/${site.space}/content`, { changes, message: 'Fix lok' }).expect(200)
  for (const since of [commit, '2000-01-01', '2000-01-01T00:00:00Z']) {
    const { json, text } = await call('changes', { since })
    const found = json.changes.find((one: { title: string }) => one.title === 'Locks')
    assert.is(found.subject, undefined)
    assert.ok(found.author.length > 0)
    assert.match(text, found.author)
    assert.is(json.total, since === commit ? 1 : 3)
  }
  assert.is((await call('changes', { since: '2999-01-01' })).json.total, 0)
  assert.match((await call('changes', { since: 'yesterday' })).text, '`since` must be a date')
  assert.match((await call('changes', { since: '0'.repeat(40) })).text, 'No content that you see has this commit')
})

test('a disabled MCP server has the response of a missing page', async () => {
  const site = await open()
  const at = `${site.address}/~mcp`
  assert.is((await post(at, callOf('list', {}))).status, 200)
  for (const close of [
    () => here.admin.call('put', `${site.base}/customization`, { pageActions: { mcp: false } }),
    () => here.admin.call('patch', site.base, { agentsContext: 'excluded' }),
  ]) {
    await close().expect(200)
    const absent = await read(`${site.address}/~mcq`)
    for (const response of [await post(at, callOf('list', {})), await read(at)]) {
      assert.is(response.status, 404)
      assert.is(response.text.replaceAll('~mcp', '~mcq').replaceAll('mcp', 'mcq'), absent.text)
      for (const name of ['content-type', 'cache-control', 'vary', 'content-security-policy', 'allow'])
        assert.is(response.headers.get(name), absent.headers.get(name), name)
    }
    await here.admin.call('put', `${site.base}/customization`, { pageActions: { mcp: true } }).expect(200)
  }
})

test.run()
