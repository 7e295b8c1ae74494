// Tests for the leaks that random combinations of site/gate.test.ts have found, one each.
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { connect } from '../support/mcp.js'
import { commitPlainly } from '../support/plain-edit.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { ask, headerLines } from './gate/ask.js'
import { publishSite } from './published.js'
import { publish, read } from './support.js'

const [test, here] = await suiteWith('site: leaks', startService)

const headersOf = ({ headers }: { headers: Headers }): string[] =>
  [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)).map((line) => line.join(': '))

test('a site that is hidden from a reader has the same response as a missing one', async () => {
  const site = await publish(here, { Only: '# Only\n' }, { visibility: 'unlisted' })
  await here.admin
    .call('patch', `${site.base}/site-spaces/${site.siteSpace}`, { condition: 'visitor.claims.no' })
    .expect(200)
  await here.admin
    .call('post', `${site.base}/redirects`, {
      source: '/away',
      destination: { kind: 'url', url: 'https://example.org/' },
    })
    .expect(201)
  const absent = await read(site.address.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')))
  for (const path of ['', '/only', '/away', '/~search?q=only']) {
    const hidden = await read(site.address + path)
    assert.is(hidden.status, 404, path)
    assert.is(hidden.text, absent.text)
    assert.equal(headersOf(hidden), headersOf(absent))
  }
})

test('a claim or a token in the address does not reveal a site that only a share link opens', async () => {
  const site = await publish(
    here,
    { Start: '# Start\n' },
    { visibility: 'share-link', adaptiveContent: { enabled: true } },
  )
  for (const query of ['?visitor.isBeta=true', '?jwt_token=a.b.c']) {
    const { status, cookies } = await read(site.address + query)
    assert.is(status, 404, query)
    assert.is(cookies.size, 0)
  }
})

test('a missing page of a public site does not depend on cookies', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const { status, headers } = await read(`${site.address}/nothing`)
  assert.is(status, 404)
  assert.not.match(headers.get('vary') ?? '', /cookie/i)
  assert.match(headers.get('cache-control') ?? '', 'public')
})

const LINKS = [
  '{% content-ref url="secret-plan.md" %}\n[secret-plan.md](secret-plan.md)\n{% endcontent-ref %}',
  '{% content-ref url="secret-plan.md" %}\n[The secret plan](secret-plan.md)\n{% endcontent-ref %}',
  '{% page-ref page="secret-plan.md" %}',
  'See [secret-plan.md](secret-plan.md "mention") and [The secret plan](secret-plan.md "mention").',
  'See [secret-plan.md](./secret-plan.md) and [](secret-plan.md) and [secret\\-plan.md](<secret-plan.md>).',
  '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>A card</td><td><a href="secret-plan.md">secret-plan.md</a></td></tr></tbody></table>',
]

test('no form of a link reveals the path or title of a hidden page', async () => {
  const pages = LINKS.map((link, at) => [`p${at}.md`, `# Page ${at}\n\nzebra\n\n${link}\n\nMore text.\n`])
  const desk = await openDesk(here, {
    'SUMMARY.md': `* [Start](README.md)\n${LINKS.map((_, at) => `* [Page ${at}](p${at}.md)\n`).join('')}* [The secret plan](secret-plan.md)\n`,
    'README.md': '# Start\n',
    ...Object.fromEntries(pages),
    'secret-plan.md': '---\nif: visitor.claims.no\n---\n\n# The secret plan\n',
  })
  const site = await publishSite(here, [desk.space])
  const outputs = LINKS.flatMap((_, at) => [`/p${at}`, `/p${at}.md`])
  for (const path of [...outputs, '/~search?q=zebra', '/~search?q=zebra&format=json']) {
    const { status, text } = await site.get(path)
    assert.is(status, 200, path)
    assert.not.match(text, /secret.?.?plan/i, path)
    assert.match(text, /zebra/, path)
  }
})

test('a page keeps its address for a reader who may not see the default space', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const { call } = here.admin
  const space = (await call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Second' }).expect(201)).body.id
  const changes = [{ operation: 'insert_page', title: 'Deep', document: { markdown: '# Deep\n' } }]
  await call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
  const added = (await call('post', `${site.base}/site-spaces`, { spaceId: space }).expect(201)).body
  const address = `${added.urls.published}/deep`
  assert.is((await read(address)).status, 200)
  await call('patch', `${site.base}/site-spaces/${site.siteSpace}`, { draft: true }).expect(200)
  const sent = await read(address)
  assert.is(sent.status, 301)
  const to = new URL(sent.headers.get('location') as string, address)
  assert.match((await read(to.href)).text, 'Deep')
  assert.is((await read(`${added.urls.published}/nothing`)).status, 404)
})

test('links in a preview stay on the origin at which it was opened', async () => {
  const site = await publish(here, { Start: '# Start\n', Second: '# Second\n' })
  const { urls } = (await here.admin.call('get', site.base).expect(200)).body
  const token = (/~preview\/[^/]+/.exec(urls.preview) as RegExpExecArray)[0]
  const byId = new URL(site.address)
  const basename = byId.pathname.split('/').at(-1)
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { hostname: 'leak-tests' }).expect(200)
  for (const organization of ['leak-tests', here.organization]) {
    const base = `/${organization}/${basename}/${token}`
    const { status, text } = await read(byId.origin + base)
    assert.is(status, 200)
    assert.match(text, `href="${base}/second"`)
  }
})

test('search snippets do not contain the names of variables', async () => {
  const variable = (name: string): string => `<code class="expression">space.vars.${name}</code>`
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Start](README.md)\n* [Second](second.md)\n',
    'README.md': `# Start\n\nzebra before ${variable('secret_name')} after\n`,
    'second.md': `# Second\n\n<p>zebra before ${variable('secret_name')} after</p>\n\n## Part ${variable('secret_name')}\n\nzebra\n`,
    '.gitbook/vars.yaml': 'secret_name: 42\n',
  })
  const site = await publishSite(here, [desk.space])
  assert.match((await site.get('/second')).text, /before .*42.* after/)
  for (const path of ['/~search?q=zebra', '/~search?q=zebra&format=json', '/~search?q=secret']) {
    const { text } = await site.get(path)
    assert.not.match(text, 'secret_name', path)
    if (path.includes('zebra')) assert.match(text, /before\s+after/, path)
  }
})

test('a redirect of a space works for a reader who may not see the default space', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const { call } = here.admin
  const { space } = await openDesk(here, {
    'SUMMARY.md': '* [Start](README.md)\n* [Deep](deep.md)\n',
    'README.md': '# Start\n',
    'deep.md': '# Deep\n',
    '.gitbook.yaml': 'redirects:\n  old/place: ./deep.md\n',
  })
  const added = (await call('post', `${site.base}/site-spaces`, { spaceId: space }).expect(201)).body
  const address = `${added.urls.published}/old/place`
  assert.match((await read(address)).headers.get('location') ?? '', /\/deep$/)
  await call('patch', `${site.base}/site-spaces/${site.siteSpace}`, { draft: true }).expect(200)
  assert.match((await read(address)).headers.get('location') ?? '', /\/deep$/)
})

for (const title of ['secret', 'Überraschung', '日本語'])
  test(`the response for the hidden page ${title} is the same after the page is deleted`, async () => {
    const pages = { Start: '# Start\n', 'Secret garden': '# Garden\n', [title]: '# Hidden\n' }
    const site = await publish(here, pages)
    const listed = (await here.admin.call('get', `/v1/spaces/${site.space}/content/pages`).expect(200)).body.pages
    const page = (listed as { id: string; title: string; path: string }[]).find((one) => one.title === title)
    const change = async (members: object): Promise<void> => {
      const changes = [{ page: page?.id, ...members }]
      await here.admin.call('post', `/v1/spaces/${site.space}/content`, { changes }).expect(200)
    }
    const path = `/${encodeURIComponent(page?.path ?? '')}`
    const requests = [path, `${path}/`, `${path}.md`, `${path}/below`, `/~nav/${page?.id}`, `/~search?q=hidden`]
    const told = async (): Promise<[number, string, string[]][]> => {
      const all: [number, string, string[]][] = []
      for (const request of requests) {
        const response = await read(site.address + request)
        all.push([response.status, response.text, headersOf(response)])
      }
      return all
    }
    assert.is((await read(site.address + path)).status, 200)
    await change({ operation: 'update_page', condition: 'visitor.claims.no' })
    const hidden = await told()
    assert.equal([hidden[0]?.[0], hidden[2]?.[0]], [404, 404])
    await change({ operation: 'delete_page' })
    assert.equal(await told(), hidden)
  })

test('changes omit commit subjects, which may name hidden pages', async () => {
  const pages = { Start: '# Start\n', Second: '# Second\n' }
  const site = await publish(here, pages, { visibility: 'public', agentsContext: 'included' })
  const changes = [
    { operation: 'insert_page', title: 'Secret plan', hidden: true, document: { markdown: '# Plan\n' } },
    { operation: 'insert_page', title: 'Third', document: { markdown: '# Third\n' } },
  ]
  const body = { changes, message: 'Add Third and Secret plan' }
  const sent = await here.admin.call('post', `/v1/spaces/${site.space}/content`, body)
  assert.is(sent.status, 200, sent.text)
  const { call } = await connect(`${site.address}/~mcp`)
  const { json, text } = await call('changes', { since: '2000-01-01' })
  assert.ok(json.changes.some(({ title }: { title: string }) => title === 'Third'))
  assert.not.match(`${JSON.stringify(json)}${text}`, /secret/i)
})

test('the feed of a page does not contain authors of changes to hidden blocks', async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Start](README.md)\n* [Page](page.md)\n',
    'README.md': '# Start\n',
    'page.md': '# Page\n\nFirst.\n',
  })
  const hidden = (text: string): string => `{% if visitor.claims.no %}\n${text}\n{% endif %}\n`
  const hint = (text: string): string => `{% hint style="info" %}\nHint.\n\n${hidden(text)}{% endhint %}\n`
  const versions = [
    ['Grace', `First.\n\n${hidden('Secret.')}`],
    ['Edsger', `Second.\n\n${hint('Secret.')}`],
    ['Barbara', `Second.\n\n${hint('Secret plan.')}`],
    ['Tony', `Second.\n\n${hint('Secret plan.')}\n${hidden('Secret.')}`],
    ['Donald', `Second.\n\n${hint('Secret plan.')}`],
  ]
  for (const [author = '', text = ''] of versions)
    await commitPlainly(join(here.dir, 'repos', `${desk.space}.git`), { 'page.md': `# Page\n\n${text}` }, 'Text', {
      author,
    })
  const site = await publishSite(here, [desk.space])
  const { status, text } = await site.get('/page/feed.xml')
  assert.is(status, 200)
  assert.match(text, '<name>Edsger</name>')
  assert.not.match(text, /Grace|Barbara|Tony|Donald|Secret/)
})

test('robots get the same response from a host with a closed site as from one without a site', async () => {
  const host = 'hidden-robots.example.net'
  const site = await publish(here, { Start: '# Start\n' }, { visibility: 'share-link', hostname: host })
  const { port } = new URL(site.address)
  const asked = { path: '/robots.txt', headers: { Host: host } }
  const [hidden, absent] = [
    await ask(Number(port), asked),
    await ask(Number(port), { ...asked, headers: { Host: 'absent.example.net' } }),
  ]
  assert.is(hidden.status, 200)
  assert.is(hidden.text, absent.text)
  assert.equal(headerLines(hidden), headerLines(absent))
})

test.run()
