/** Tests lists of links: targets, their existence, and the statistics of a list. */
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, linesOf, pageId, read, spaceOf } from './support.js'

const [test, here] = await suiteWith('links', startService)
const { admin } = here

const files = {
  'SUMMARY.md':
    '* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Part](guide/part.md)\n\n## More\n\n* [Site](https://example.org)\n* [Draft]()\n* [First section](guide/part.md#second-one)\n',
  'README.md':
    '---\ncover: .gitbook/assets/cover.png\n---\n# Home\n\n[guide](guide/README.md) [again](guide/README.md) [part](guide/part.md#second-one) [no such heading](guide/part.md#third) [gone](gone.md) [top](#home) [nothing](#nothing)\n\n' +
    '[mail](mailto:a@example.org) <https://example.com/x> [broken](broken-reference) [deleted](/broken/pages/abc) <a href="{{ page.vars.x }}">x</a> ![inline](data:image/png;base64,AAAA)\n\n{% include ".gitbook/includes/note.md" %}\n\n{% content-ref url="guide/part.md" %}[part](guide/part.md){% endcontent-ref %}\n',
  'guide/README.md':
    '# Guide\n\n![picture](../.gitbook/assets/pic.png) [unlisted](../notes.md#here) [plan](/plan.pdf) [shared](part.md#from-note)\n\n```\n[code](nowhere.md)\n```\n',
  'guide/part.md': '# Part\n\n## Second one\n\n{% include "../.gitbook/includes/note.md" %}\n',
  'notes.md': '# Notes\n\n## Here\n',
  'plan.pdf': '%PDF',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n## From note\n\n[home](../../README.md) [away](missing.md)\n',
  '.gitbook/assets/cover.png': 'png',
  '.gitbook/assets/pic.png': 'png',
}

const expected = [
  '.gitbook/includes/note.md: ../../README.md → README.md ok',
  '.gitbook/includes/note.md: missing.md → - broken',
  'README.md: #home → README.md#home ok',
  'README.md: #nothing → README.md broken',
  'README.md: .gitbook/assets/cover.png → .gitbook/assets/cover.png ok part',
  'README.md: .gitbook/includes/note.md → .gitbook/includes/note.md ok part',
  'README.md: /broken/pages/abc → - broken',
  'README.md: broken-reference → - broken',
  'README.md: gone.md → - broken',
  'README.md: guide/README.md → guide/README.md ok',
  'README.md: guide/part.md → guide/part.md ok',
  'README.md: guide/part.md#second-one → guide/part.md#second-one ok',
  'README.md: guide/part.md#third → guide/part.md broken',
  'README.md: https://example.com/x → https://example.com/x ok',
  'README.md: mailto:a@example.org → mailto:a@example.org ok',
  'README.md: {{ page.vars.x }} → {{ page.vars.x }} ok',
  'Site: https://example.org → https://example.org ok',
  'First section: guide/part.md#second-one → guide/part.md#second-one ok',
  'guide/README.md: ../.gitbook/assets/pic.png → .gitbook/assets/pic.png ok',
  'guide/README.md: ../notes.md#here → notes.md ok',
  'guide/README.md: /plan.pdf → plan.pdf ok',
  'guide/README.md: part.md#from-note → guide/part.md#from-note ok',
  'guide/part.md: ../.gitbook/includes/note.md → .gitbook/includes/note.md ok part',
]

let space: string
test.before(async () => {
  space = await spaceOf(here, files)
})

test('broken links name their file and their lines, and other links do not', async () => {
  const text =
    '---\ncover: nowhere.png\n---\n# Lines\n\n[one](gone.md) [again](gone.md)\n\n```\n[code](gone.md)\n```\n\n[fine](README.md)\r\n\r\n* [two](gone.md)\n\n![](<a b.png>)\n'
  const own = await spaceOf(here, {
    'SUMMARY.md': '* [Home](README.md)\n* [Lines](lines.md)\n',
    'README.md': '# Home\n',
    'lines.md': text,
  })
  const { items } = await read(admin, `${own}/links`)
  const found = items.map(({ target, file, lines }: Json) => [target, file, lines])
  const lineOf = (what: string): number => text.slice(0, text.indexOf(what)).split('\n').length
  assert.equal(
    new Set(found.map((one: unknown) => JSON.stringify(one))),
    new Set(
      [
        ['README.md', undefined, undefined],
        ['a b.png', 'lines.md', [lineOf('<a b.png>')]],
        ['gone.md', 'lines.md', [lineOf('[one]'), lineOf('[two]')]],
        ['nowhere.png', 'lines.md', undefined],
      ].map((one) => JSON.stringify(one)),
    ),
  )
})

test('the links of a space are listed with their targets', async () => {
  const list = await read(admin, `${space}/links`)
  assert.equal([...linesOf(list)].sort(), [...expected].sort())
  assert.equal(
    [list.count, list.stats],
    [expected.length, { total: expected.length, broken: { total: 6, changeRequest: 0 } }],
  )
  const broken = list.items.filter((link: Json) => link.status === 'broken')
  for (const link of list.items) assert.is('problem' in link, broken.includes(link))
  assert.match(broken.find((link: Json) => link.target === 'guide/part.md#third').problem, 'heading')
})

test('listed link targets equal the objects that their own GET returns', async () => {
  const { items } = await read(admin, `${space}/links`)
  const organization = (await admin.call('get', `/v1/orgs/${here.organization}`).expect(200)).body
  const shownSpace = await read(admin, space)
  const whole = await read(admin, `${space}/content`)
  const versionContext = { type: 'revision', revision: { ...whole, pages: [], files: [], diagnostics: [] } }
  const part = await read(admin, `${space}/content/page/${await pageId(admin, `${space}/content`, 'guide/part.md')}`)
  const anchored = items.find(
    (link: Json) => link.target === 'guide/part.md#second-one' && link.locationReferences[0].page.title === 'Home',
  )
  assert.equal(anchored.targetReference, {
    kind: 'anchor',
    organization,
    space: shownSpace,
    versionContext,
    page: part,
    anchor: 'second-one',
  })
  const home = await read(admin, `${space}/content/page/${await pageId(admin, `${space}/content`, 'README.md')}`)
  assert.equal(anchored.locationReferences, [
    { kind: 'page', organization, space: shownSpace, versionContext, page: home },
  ])
  const { file } = items.find((link: Json) => link.target === '/plan.pdf').targetReference
  assert.equal(file, await read(admin, `${space}/content/files/${file.id}`))
  const note = items.find(
    (link: Json) => link.relation === 'dependsOn' && link.targetReference.kind === 'reusable-content',
  ).targetReference.reusableContent
  assert.equal(note, await read(admin, `${space}/content/reusable-contents/${note.id}`))
})

test('a status filter does not change the link statistics', async () => {
  for (const status of ['ok', 'broken', 'in-app']) {
    const list = await read(admin, `${space}/links?status=${status}`)
    assert.equal([...linesOf(list)].sort(), expected.filter((line) => line.split(' ').includes(status)).sort())
    assert.is(list.count, list.items.length)
    assert.equal(list.stats, { total: expected.length, broken: { total: 6, changeRequest: 0 } })
  }
  await admin.call('get', `/v1/spaces/${space}/links?status=fine`).expect(400)
})

test('the links of one page are listed, and a missing page is 404', async () => {
  const id = await pageId(admin, `${space}/content`, 'guide/README.md')
  const list = await read(admin, `${space}/content/page/${id}/links`)
  assert.equal(
    linesOf(list),
    expected.filter((line) => line.startsWith('guide/README.md:')),
  )
  assert.equal(list.stats, { total: 4, broken: { total: 0, changeRequest: 0 } })
  await admin.call('get', `/v1/spaces/${space}/content/page/none/links`).expect(404)
})

test('pages of the link list stay stable while other links change', async () => {
  const all = linesOf(await read(admin, `${space}/links`))
  const seen: string[] = []
  let next = ''
  for (let n = 0; ; n++) {
    const list = await read(admin, `${space}/links?limit=4${next}`)
    seen.push(...linesOf(list))
    if (n === 1) {
      const page = await pageId(admin, `${space}/content`, 'guide/part.md')
      const document = {
        markdown:
          '# Part\n\n## Second one\n\n[one more](../README.md)\n\n{% include "../.gitbook/includes/note.md" %}\n',
      }
      await admin
        .call('post', `/v1/spaces/${space}/content`, { changes: [{ operation: 'update_page', page, document }] })
        .expect(200)
    }
    if (!list.next) break
    next = `&page=${encodeURIComponent(list.next.page)}`
  }
  assert.equal(
    seen.filter((line) => !line.includes('../README.md → README.md')).sort(),
    all.filter((line) => !line.includes('../README.md → README.md')).sort(),
  )
  assert.equal(
    await read(admin, `${space}/links?limit=0`).then(({ items, next: more, count }) => [items, more, count > 20]),
    [[], undefined, true],
  )
  await admin.call('get', `/v1/spaces/${space}/links?page=x`).expect(400)
})

test('the problem of a link contains a file that differs only in case', async () => {
  const cases = await spaceOf(here, {
    'README.md':
      '# Home\n\n[page](guide/setup.md#a) [short](/Guide/setup) [folder](guide/) ![file](PIC.png) [none](guide/none.md)\n',
    'Guide/SetUp.md': '# Set up\n',
    'Guide/README.md': '# Guide\n',
    'pic.png': 'png',
  })
  const { items } = await read(admin, `${cases}/links`)
  assert.equal(
    Object.fromEntries(
      items.map(({ target, problem }: Json) => [target, /\S+(?= differs only in case)/.exec(problem)?.[0]]),
    ),
    {
      '/Guide/setup': 'Guide/SetUp.md',
      'PIC.png': 'pic.png',
      'guide/': 'Guide/README.md',
      'guide/none.md': undefined,
      'guide/setup.md#a': 'Guide/SetUp.md',
    },
  )
})

test('revisions have the same link lists as a space', async () => {
  const { revision } = await read(admin, space)
  const [ofSpace, ofRevision] = await Promise.all([
    read(admin, `${space}/links`),
    read(admin, `${space}/revisions/${revision}/links`),
  ])
  assert.equal(ofRevision, ofSpace)
})

test.run()
