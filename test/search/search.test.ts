import { rmSync, writeFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import type { Files } from '../support/bare-repository.js'
import type { Caller } from '../support/service.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('search', startService)

interface Section {
  id: string
  title: string
  path: string
  body: string
  urls: { app: string }
}
interface Hit {
  id: string
  title: string
  path: string
  sections: Section[]
  description: string
  score: number
  rank: number
  ancestors: { title: string }[]
  resultType: string
  urls: { app: string }
}

const summaryOf = (titles: Record<string, string>): string =>
  `# Table of contents\n\n${Object.entries(titles)
    .map(([path, title]) => `* [${title}](${path})`)
    .join('\n')}\n`

const FILES: Files = {
  'SUMMARY.md': `${summaryOf({ 'README.md': 'Home', 'install.md': 'Installation', 'café.md': 'Le café', 'zh.md': '部署指南', 'ar.md': 'دليل', 'he.md': 'מדריך', 'hidden.md': 'Hidden' })}  * [Below](below.md)\n* [Quiet](quiet.md)\n* [Draft of kumquat]()\n`,
  'README.md':
    '# Home\n\nWelcome to the orchard.\n\n## Fruit\n\nWe grow apples and bergamot. The `listAllPages` call returns them.\n\n## Deployment\n\nRun it anywhere.\n',
  'install.md':
    '# Installation\n\nFirst lines.\n\n## On Kubernetes\n\n{% tabs %}\n{% tab title="Helm" %}\nUse the chart of the orchard.\n{% endtab %}\n{% endtabs %}\n\n```sh\nkubectl apply --file deployment.yaml\n```\n\n## On Kubernetes\n\nAgain.\n',
  'café.md': '---\ndescription: About Crème brûlée\n---\n\n# Le café\n\nUne tarte à la Straße.\n',
  'zh.md': '# 部署指南\n\n本章说明如何安装和配置数据库连接。\n\n## 安装步骤\n\n先下载，再运行。\n',
  'ar.md': '# دليل\n\nهذا هو دليل الاستخدام السريع للمبتدئين. مُحَمَّد\n',
  'he.md': '# מדריך\n\nזהו מדריך התקנה מהיר.\n',
  'hidden.md': '---\nhidden: true\n---\n\n# Hidden\n\nThe secret kumquat.\n',
  'below.md': '# Below\n\nAlso a kumquat.\n',
  'quiet.md': '---\nnoIndex: true\n---\n\n# Quiet\n\nNo kumquat either.\n',
}

async function found(
  desk: Pick<Desk, 'url'>,
  query: string,
  { as = here.admin, more = '' }: { as?: Caller; more?: string } = {},
): Promise<Hit[]> {
  const { body } = await as.call('get', `${desk.url}/search?query=${encodeURIComponent(query)}${more}`).expect(200)
  assert.ok(body.count >= body.items.length)
  return body.items
}
const titles = async (desk: Pick<Desk, 'url'>, query: string): Promise<string[]> =>
  (await found(desk, query)).map(({ title }) => title)
const desk = await openDesk(here, FILES)

test('search results have a rank across pages, ancestors and a description', async () => {
  const url = `/v1/orgs/${here.organization}/spaces`
  const space = (await here.admin.call('post', url, { title: 'Ranked' }).expect(201)).body.id as string
  const changes = [
    { operation: 'insert_group', title: 'Guides', ref: 'guides' },
    ...['Quince', 'Quince jam', 'More'].map((title) => ({
      operation: 'insert_page',
      title,
      description: `About ${title}`,
      document: { markdown: `# ${title}\n\nA zyxwine quince.\n` },
    })),
  ]
  await here.admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
  const { pages } = (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body
  const group = pages.find(({ title }: { title: string }) => title === 'Guides').id
  const moved = pages.find(({ title }: { title: string }) => title === 'Quince').id
  await here.admin
    .call('post', `/v1/spaces/${space}/content`, { changes: [{ operation: 'update_page', page: moved, into: group }] })
    .expect(200)
  const first = (await here.admin.call('get', `/v1/spaces/${space}/search?query=zyxwine&limit=2`).expect(200)).body
  const next = (
    await here.admin.call('get', `/v1/spaces/${space}/search?query=zyxwine&limit=2&page=${first.next.page}`).expect(200)
  ).body
  const all = [...first.items, ...next.items] as Hit[]
  assert.equal(
    all.map(({ rank, resultType }) => [rank, resultType]),
    [1, 2, 3].map((rank) => [rank, 'page']),
  )
  const quince = all.find(({ title }) => title === 'Quince')
  assert.equal([quince?.ancestors, quince?.description], [[{ title: 'Guides' }], 'About Quince'])
  const [found] = (await here.admin.call('get', `/v1/orgs/${here.organization}/search?query=zyxwine`).expect(200)).body
    .items
  assert.equal([found.type, found.id, found.pages.map(({ rank }: Hit) => rank)], ['space', space, [1, 2, 3]])
  assert.is(found.score, found.pages[0].score)
})

test('search finds sections with their headings and marks matches', async () => {
  const [page, ...others] = await found(desk, 'bergamot')
  assert.equal(others, [])
  const id = await desk.id('readme')
  const app = `${here.url}/s/${desk.space}/p/${id}`
  assert.equal(page, {
    id,
    title: 'Home',
    path: 'readme',
    sections: [
      {
        id: `${id}#fruit`,
        title: 'Fruit',
        path: 'readme#fruit',
        body: 'We grow apples and **bergamot**. The listAllPages call returns them.',
        score: page?.score,
        resultType: 'section',
        urls: { app: `${app}#fruit` },
      },
    ],
    description: '',
    score: page?.score,
    rank: 1,
    ancestors: [],
    resultType: 'page',
    urls: { app },
  })
  assert.ok((page?.score ?? 0) > 0)
  const [lead] = await found(desk, 'welcome orchard')
  assert.equal(
    lead?.sections.map(({ title, path, body }) => [title, path, body]),
    [['Home', 'readme', '**Welcome** to the **orchard**.']],
  )
  await here.admin.call('get', `/v1/spaces/${desk.space}/content/page/${id}`).expect(200)
})

test('matches in titles rank before headings, and headings before text', async () => {
  const space = await openDesk(here, {
    'SUMMARY.md': summaryOf({ 'a.md': 'One', 'b.md': 'Two', 'c.md': 'Backup' }),
    'a.md': '# One\n\nA backup of the backup is a backup.\n',
    'b.md': '# Two\n\n## Backup\n\nText.\n',
    'c.md': '# Something\n\nElse.\n',
  })
  assert.equal(await titles(space, 'backup'), ['Backup', 'Two', 'One'])
  assert.equal((await found(space, 'backup'))[0]?.sections, [])
})

test('words in tabs and code are found, and their syntax is not', async () => {
  const [page] = await found(desk, 'helm')
  assert.is(page?.sections[0]?.path, 'install#on-kubernetes')
  assert.is(page?.sections[0]?.body, '**Helm** Use the chart of the orchard. kubectl apply --file deployment.yaml')
  assert.equal(await titles(desk, 'kubectl apply'), ['Installation'])
  assert.equal(await titles(desk, 'endtab'), [])
})

test('the last word may be incomplete, and parts of names count as words', async () => {
  assert.equal(await titles(desk, 'berga'), ['Home'])
  assert.equal(await titles(desk, 'apples berg'), ['Home'])
  assert.equal(await titles(desk, 'listall'), ['Home'])
  const [page] = await found(desk, 'pages')
  assert.is(page?.sections[0]?.body, 'We grow apples and bergamot. The listAll**Pages** call returns them.')
})

test('a misspelled word is corrected if no page contains it', async () => {
  for (const typo of [
    'bergamt',
    'bregamot',
    'bergamott',
    'bergomat',
    'kuberntes',
    'kubernettes',
    'kubernets deploymnt',
    'instalation',
  ])
    assert.is((await found(desk, typo)).length, 1, typo)
  assert.equal(await titles(desk, 'xyzzyx'), [])
})

test('search ignores accents, case and ligatures', async () => {
  for (const query of ['CAFE', 'cafe', 'café', 'cafe\u0301', 'creme brulee', 'strasse'])
    assert.equal(await titles(desk, query), ['Le café'], query)
})

test('two or more Chinese characters are found within texts', async () => {
  for (const query of ['安装', '数据库', '如何安装', '据库', '指南', '部署指南'])
    assert.equal(await titles(desk, query), ['部署指南'], query)
  assert.equal(await titles(desk, '库数'), [])
  const [page] = await found(desk, '数据库')
  assert.is(page?.sections[0]?.body, '本章说明如何安装和配置**数据库**连接。')
  assert.is((await found(desk, '安装步骤'))[0]?.sections[0]?.path, 'zh#安装步骤')
  assert.equal(await titles(desk, '库'), ['部署指南'])
})

test('right-to-left scripts are found with and without vowel points', async () => {
  assert.equal(await titles(desk, 'الاستخدام'), ['دليل'])
  assert.equal(await titles(desk, 'محمد'), ['دليل'])
  assert.equal(await titles(desk, 'התקנה'), ['מדריך'])
  assert.equal(await titles(desk, 'التقنة'), [])
})

test('hidden pages, their subpages, noIndex pages and drafts are neither found nor counted', async () => {
  const { body } = await here.admin.call('get', `${desk.url}/search?query=kumquat`).expect(200)
  assert.equal(body, { items: [], count: 0 })
  for (const query of ['secret', 'kumqat', 'hidden', 'below', 'quiet', 'draft'])
    assert.equal(await titles(desk, query), [], query)
})

test('hidden content has no effect on the ranking', async () => {
  const pages = { 'a.md': 'Alpha', 'b.md': 'Beta' }
  const files = { 'a.md': '# Alpha\n\nPlum and pear and plum.\n', 'b.md': '# Beta\n\nPear, pear and plum.\n' }
  const hidden = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`h${i}.md`, `---\nhidden: true\n---\n\n# Plum ${i}\n\nPlum pear plum.\n`]),
  )
  const plain = await openDesk(here, { ...files, 'SUMMARY.md': summaryOf(pages) })
  const with20 = await openDesk(here, {
    ...files,
    ...hidden,
    'SUMMARY.md': summaryOf({ ...pages, ...Object.fromEntries(Object.keys(hidden).map((path) => [path, path])) }),
  })
  for (const query of ['plum', 'pear', 'plum pear', 'plun', 'p'])
    assert.equal(
      (await found(with20, query)).map(({ title, sections }) => [title, sections.map(({ body }) => body)]),
      (await found(plain, query)).map(({ title, sections }) => [title, sections.map(({ body }) => body)]),
      query,
    )
})

test('the next search reflects edits, merges, moves and hidden pages', async () => {
  const space = await openDesk(here, {
    'SUMMARY.md': summaryOf({ 'a.md': 'A', 'b.md': 'B' }),
    'a.md': '# A\n\nQuince.\n',
    'b.md': '# B\n\nMedlar.\n',
  })
  assert.equal(await titles(space, 'quince'), ['A'])
  const a = await space.id('a')
  const request = await space.changeRequest()
  await request.write([{ operation: 'update_page', page: a, document: { markdown: '# A\n\nLoquat.\n' } }])
  assert.equal(await titles(space, 'loquat'), [])
  await request.merge()
  assert.equal(await titles(space, 'loquat'), ['A'])
  assert.equal(await titles(space, 'quince'), [])
  await space.write([{ operation: 'update_page', page: a, title: 'Renamed' }])
  assert.equal(await titles(space, 'loquat'), ['Renamed'])
  assert.equal(await titles(space, 'renamed'), ['Renamed'])
  await space.write([{ operation: 'update_page', page: a, hidden: true }])
  assert.equal(await titles(space, 'loquat'), [])
  await space.human({ 'b.md': '# B\n\nPushed by hand: salak.\n' })
  assert.equal(await titles(space, 'salak'), ['B'])
  await space.write([{ operation: 'delete_page', page: await space.id('b') }])
  assert.equal(await titles(space, 'salak'), [])
})

test('search results are paged with a cursor', async () => {
  const paths = Array.from({ length: 25 }, (_, i) => `p${i}.md`)
  const space = await openDesk(here, {
    'SUMMARY.md': summaryOf(Object.fromEntries(paths.map((path) => [path, path]))),
    ...Object.fromEntries(
      paths.map((path) => [path, `# ${path}\n\n${'Persimmon. '.repeat(1 + Number(path.slice(1, -3)))}\n`]),
    ),
  })
  const all = await found(space, 'persimmon', { more: '&limit=1000' })
  assert.is(all.length, 25)
  const ids: string[] = []
  for (let page = ''; ; ) {
    const { body } = await here.admin.call('get', `${space.url}/search?query=persimmon&limit=10${page}`).expect(200)
    assert.is(body.count, 25)
    ids.push(...body.items.map(({ id }: Hit) => id))
    if (!body.next) break
    page = `&page=${body.next.page}`
  }
  assert.equal(
    ids,
    all.map(({ id }) => id),
  )
  for (const page of [
    'x',
    Buffer.from('["a","b"]').toString('base64url'),
    Buffer.from('[-1,""]').toString('base64url'),
  ])
    await here.admin.call('get', `${space.url}/search?query=a&page=${page}`).expect(400)
})

test('search covers exactly the spaces that the caller can see', async () => {
  const secret = await openDesk(here, {
    'SUMMARY.md': summaryOf({ 'a.md': 'Only for few' }),
    'a.md': '# Only for few\n\nRambutan.\n',
  })
  await here.admin.call('patch', secret.url, { title: 'Closed', defaultLevel: null }).expect(200)
  const open = await openDesk(here, {
    'SUMMARY.md': summaryOf({ 'a.md': 'For all' }),
    'a.md': '# For all\n\nRambutan, and durian.\n',
  })
  const reader = await here.caller('read')
  const stranger = await here.caller()
  await reader.call('get', `${open.url}/search?query=rambutan`).expect(200)
  await reader.call('get', `${secret.url}/search?query=rambutan`).expect(404)
  await stranger.call('get', `${open.url}/search?query=rambutan`).expect(404)
  const org = `/v1/orgs/${here.organization}/search?query=rambutan`
  await stranger.call('get', org).expect(404)
  const mine = (await reader.call('get', org).expect(200)).body
  assert.is(mine.count, 1)
  assert.equal(
    mine.items.map((space: { id: string; title: string; pages: Hit[] }) => [
      space.id,
      space.title,
      space.pages.map(({ title, sections }) => [title, sections[0]?.body]),
    ]),
    [[open.space, 'Desk', [['For all', '**Rambutan**, and durian.']]]],
  )
  const all = (await here.admin.call('get', org).expect(200)).body
  assert.is(all.count, 2)
  const first = (await here.admin.call('get', `${org}&limit=1`).expect(200)).body
  const second = (await here.admin.call('get', `${org}&limit=1&page=${first.next.page}`).expect(200)).body
  assert.equal([...first.items, ...second.items], all.items)
  await here.admin.call('delete', open.url).expect(204)
  assert.equal((await reader.call('get', org).expect(200)).body, { items: [], count: 0 })
})

test('search input has no operators, and every input gets a response', async () => {
  const hostile = [
    '"orchard',
    'orchard*',
    'NEAR(a b)',
    'title:orchard',
    '{title} : x',
    '-orchard',
    'a AND',
    '(',
    '^orchard',
    "'; DROP TABLE pages; --",
    '\ud800',
    '%',
    '**',
    '  ',
    '',
    'a '.repeat(256),
    'ab'.repeat(256),
    '安'.repeat(512),
    '"'.repeat(512),
    'é'.repeat(512),
    '\u0301'.repeat(512),
    'a"b'.repeat(170),
    '😀'.repeat(256),
    '🇩🇪👩‍👩‍👧',
    'AbCdEf'.repeat(85),
    Array.from({ length: 120 }, (_, i) => `w${i}`).join(' '),
  ]
  for (const query of hostile) {
    const { body, status } = await here.admin.call(
      'get',
      `${desk.url}/search?query=${encodeURIComponent(Buffer.from(query).toString())}`,
    )
    assert.is(status, 200, `${query} ${JSON.stringify(body).slice(0, 200)}`)
    assert.ok(Array.isArray(body.items), query)
  }
  assert.equal(await titles(desk, '"orchard'), await titles(desk, 'orchard'))
  assert.equal(await titles(desk, 'NEAR(orchard)'), await titles(desk, 'near orchard'))
  for (const refused of ['%00', 'a'.repeat(513)])
    await here.admin.call('get', `${desk.url}/search?query=${refused}`).expect(400)
  await here.admin.call('get', `${desk.url}/search`).expect(400)
})

test('a question is answered by its significant words', async () => {
  assert.equal((await titles(desk, 'how do I grow bergamot on mars'))[0], 'Home')
})

test('result bodies are short, and their own marks are escaped', async () => {
  const long = `${'word '.repeat(400)}tamarind ${'more '.repeat(400)}`
  const space = await openDesk(here, {
    'SUMMARY.md': summaryOf({ 'a.md': 'A' }),
    'a.md': `# A\n\n${long}\n\n\`2 ** 3 **bold** carambola\`\n`,
  })
  const body = (await found(space, 'tamarind'))[0]?.sections[0]?.body ?? ''
  assert.ok(body.startsWith('…word') && body.endsWith('more…') && body.includes(' **tamarind** '), body)
  assert.ok(body.length < 320, `${body.length}`)
  assert.ok((await found(space, 'carambola'))[0]?.sections[0]?.body.includes('2 * 3 *bold* **carambola**'))
})

test('index files are private, and a lost one is rebuilt at the next start', async () => {
  const dir = join(here.dir, 'data', 'search')
  const file = join(dir, `${desk.space}.db`)
  assert.equal(await titles(desk, 'bergamot'), ['Home'])
  assert.is((await stat(dir)).mode & 0o777, 0o700)
  for (const name of await readdir(dir)) assert.is((await stat(join(dir, name))).mode & 0o777, 0o600, name)
  const damages = [
    () => rmSync(dir, { recursive: true }),
    () => writeFileSync(file, 'garbage '.repeat(10_000)),
    () => writeFileSync(file, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(50_000, 0xa5)])),
    () => writeFileSync(file, ''),
  ]
  for (const damage of damages) {
    await here.restart()
    await here.service.close()
    damage()
    await here.restart()
    assert.equal(await titles(desk, 'bergamot'), ['Home'], String(damage))
  }
})

test('an index file that is damaged or deleted while the service runs is rebuilt', async () => {
  const file = join(here.dir, 'data', 'search', `${desk.space}.db`)
  assert.equal(await titles(desk, 'bergamot'), ['Home'])
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  assert.equal(await titles(desk, 'bergamot'), ['Home'])
  writeFileSync(file, Buffer.alloc(100_000, 0x5a))
  await here.admin.call('get', `${desk.url}/search?query=bergamot`)
  assert.equal(await titles(desk, 'bergamot'), ['Home'])
})

test.run()
