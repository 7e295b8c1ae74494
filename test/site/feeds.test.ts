import { DOMParser } from '@xmldom/xmldom'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'

const [test, here] = await suiteWith('sites: feeds', () => startService())

const FILES = {
  'README.md': '# Start\n\nWelcome.\n',
  'guide.md': '# Guide\n\nOne.\n\nTwo.\n\n{% if visitor.claims.never %}\nCanary one.\n{% endif %}\n',
  'secret.md': '---\nhidden: true\n---\n\n# Secret\n\nCanary.\n',
}

/** Parses an Atom feed. Fails on anything that is not well-formed. */
function entriesOf(xml: string) {
  const document = new DOMParser({
    errorHandler: (level: string, message: unknown) => assert.unreachable(`${level}: ${message}`),
  }).parseFromString(xml, 'text/xml')
  const text = (of: ParentNode, name: string) =>
    (of as unknown as Element).getElementsByTagName(name)[0]?.textContent ?? ''
  const root = document.documentElement as unknown as Element
  assert.is(root.namespaceURI, 'http://www.w3.org/2005/Atom')
  for (const name of ['id', 'title', 'updated']) assert.not.equal(text(root, name), '', name)
  return Array.from(root.getElementsByTagName('entry')).map((entry) => {
    for (const name of ['id', 'title', 'updated', 'link']) assert.ok(entry.getElementsByTagName(name)[0], name)
    return {
      title: text(entry, 'title'),
      author: text(entry, 'name'),
      link: entry.getElementsByTagName('link')[0]?.getAttribute('href'),
      content: text(entry, 'content'),
    }
  })
}

async function open() {
  const desk = await openDesk(here, FILES)
  const site = await publishSite(here, [desk.space])
  const update = async (title: string, markdown: string) => {
    const { pages } = (await here.admin.call('get', `/v1/spaces/${desk.space}/content/pages`).expect(200)).body
    const { id } = pages.find((one: { title: string }) => one.title === title)
    const changes = [{ operation: 'update_page', page: id, document: { markdown } }]
    await here.admin.call('post', `/v1/spaces/${desk.space}/content`, { changes }).expect(200)
  }
  return { site, update, address: here.service.sites + site.base }
}

test('a feed contains the changed blocks of the pages that the reader may see', async () => {
  const { site, update, address } = await open()
  await update(
    'Guide',
    '# Guide\n\nOne.\n\nTwo, *better*, with [a link](README.md).\n\n{% if visitor.claims.never %}\nCanary two.\n{% endif %}\n',
  )
  const { status, text, headers } = await site.get('/feed.xml')
  assert.is(status, 200)
  assert.is(headers.get('content-type'), 'application/atom+xml; charset=utf-8')
  // Both pages changed in the same second.
  const entries = entriesOf(text)
  const [first, ...rest] = entries.sort((one) => (one.title === 'Guide' ? -1 : 1))
  assert.equal([first?.title, first?.link], ['Guide', `${address}/guide`])
  assert.not.equal(first?.author, '')
  assert.match(first?.content ?? '', /<em>better<\/em>/)
  assert.match(first?.content ?? '', new RegExp(`href="${address}"`))
  assert.not.match(first?.content ?? '', /One\./)
  assert.equal(
    rest.map(({ title }) => title),
    ['Start'],
  )
  assert.not.match(text, /Canary|Secret|secret/)
  assert.match((await site.get('')).text, new RegExp(`type="application/atom\\+xml" href="${site.base}/feed\\.xml"`))
})

test('a feed contains an added block, but not blocks that only moved down', async () => {
  const { site, update } = await open()
  await update('Guide', '# Guide\n\nZero.\n\nOne.\n\nTwo.\n')
  await update('Guide', '# Guide\n\nBefore zero.\n\nZero.\n\nOne.\n\nTwo.\n')
  const [last, first] = entriesOf((await site.get('/guide/feed.xml')).text)
  assert.match(last?.content ?? '', /Before zero/)
  assert.not.match(last?.content ?? '', /One|Two/)
  assert.match(first?.content ?? '', /<p>Zero/)
  assert.not.match(first?.content ?? '', /One|Two/)
})

test('the feed of a page contains its commits, but never deleted text', async () => {
  const { site, update } = await open()
  await update('Guide', '# Guide\n\nOne.\n\nA password: hunter2.\n')
  await update('Guide', '# Guide\n\nOne.\n\nThree.\n')
  const { text } = await site.get('/guide/feed.xml')
  const entries = entriesOf(text)
  assert.equal(
    entries.map(({ title }) => title),
    ['Guide', 'Guide', 'Guide'],
  )
  assert.match(entries[0]?.content ?? '', /Three/)
  assert.match(entries[2]?.content ?? '', /One/)
  assert.not.match(text, /hunter2/)
  for (const path of ['/secret/feed.xml', '/absent/feed.xml']) assert.is((await site.get(path)).status, 404, path)
  await here.admin.call('patch', site.api, { agentsContext: 'excluded' }).expect(200)
  assert.is((await site.get('/feed.xml')).status, 404)
})

test('entry titles are plain text, and entry content has no buttons', async () => {
  const desk = await openDesk(here, {
    'README.md': '# Start\n',
    'odd.md': '# A <b>bold</b> & ]]> title\n\n## Part\n\n```js\nlet a\n```\n',
    'SUMMARY.md': '* [Start](README.md)\n* [A \\<b>bold & \\]\\]> title](odd.md)\n',
  })
  const site = await publishSite(here, [desk.space])
  const { text } = await site.get('/feed.xml')
  const entry = entriesOf(text).find(({ title }) => title.includes('bold'))
  assert.is(entry?.title, 'A &lt;b>bold &amp; ]]> title')
  assert.match(entry?.content ?? '', /<pre/)
  assert.not.match(entry?.content ?? '', /<button|class="anchor"/)
})

test.run()
