// Tests the changes since a point in time: marked blocks, and the list of changed pages.
import { selectAll } from 'hast-util-select'
import type { Element, Nodes } from 'hast'
import { toString as textIn } from 'hast-util-to-string'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import type { Files } from '../support/bare-repository.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'
import { parseHtml } from './words-of.js'

const [test, here] = await suiteWith('sites: changes since a point in time', () => startService())

const DAY = 24 * 60 * 60
const MAY = Date.UTC(2026, 4, 1, 10) / 1000

const page = (...blocks: string[]): string => `# Guide\n\n${blocks.join('\n\n')}\n`
const NEVER = (text: string): string => `{% if visitor.claims.never %}\n${text}\n{% endif %}`

async function open(settings: object = { changesSince: true }) {
  const desk = await openDesk(here, { 'README.md': '# Start\n\nText.\n' })
  const site = await publishSite(here, [desk.space])
  await here.admin.call('patch', site.api, settings).expect(200)
  const commit = (day: number, files: Files) => desk.human(files, { seconds: MAY + (day - 1) * DAY })
  const read = async (path: string) => {
    const { status, text, headers } = await site.get(path)
    assert.is(status, 200, path)
    const tree = parseHtml(text) as Nodes
    const all = (selector: string): string[] => (selectAll(selector, tree) as Element[]).map((one) => textIn(one))
    const [notice] = selectAll('.since', tree) as Element[]
    return {
      text,
      headers,
      marks: all('.prose > .mark'),
      barred: all('.prose > .ch'),
      notice: notice === undefined ? null : selectAll('p', notice).map((one) => textIn(one)),
      pages: all('.since li'),
      summary: all('.since summary'),
    }
  }
  return { desk, site, commit, read }
}

test('changed, new and moved blocks are marked and counted, without a text that was removed', async () => {
  const { commit, read } = await open()
  const moved = 'This block moves to the end of the page.'
  const first = await commit(1, { 'guide.md': page('One stays here.', 'Two is about cats.', moved, 'Removed canary.') })
  await commit(3, { 'guide.md': page('One stays here.', 'Two is about dogs.', '## New part', 'Three is new.', moved) })
  for (const since of [first, first.slice(0, 7), '2026-05-02', '2026-05-01T10:00:00Z']) {
    const { text, marks, barred, notice } = await read(`/guide?since=${since}`)
    assert.equal(marks, ['Changed', 'New'], since)
    assert.equal(barred, ['Two is about dogs.', 'New part', 'Three is new.'], since)
    assert.is(notice?.[1], '1 block changed · 2 blocks added · 1 block removed')
    assert.not.match(text, 'canary')
    assert.match(text, '<meta name="robots" content="noindex"/>')
    assert.match(text, /<link rel="canonical" href="[^"?]*\/guide"\/>/)
  }
  const plain = await read('/guide')
  assert.equal([plain.notice, plain.marks], [null, []])
})

test('the notice names the day and lists the changed pages of the site', async () => {
  const { commit, read, site } = await open()
  const hidden = '---\nhidden: true\n---\n\n'
  await commit(1, {
    'README.md': '# Start\n',
    'guide.md': page('One.'),
    'other.md': '# Other\n',
    'secret.md': `${hidden}# Secret\n`,
    'gone.md': '# Gone\n',
  })
  await commit(3, { 'other.md': '# Other\n\nMore.\n' })
  await commit(4, { 'fresh.md': '# Fresh\n', 'secret.md': `${hidden}# Secret\n\nMore.\n`, 'gone.md': null })
  await commit(5, { 'gated.md': '---\nif: visitor.claims.never\n---\n\n# Gated\n' })
  const { text, notice, pages, summary } = await read('/guide?since=2026-05-02')
  assert.equal(notice, ['Changes since May 2, 2026', 'The text of this page has not changed.', 'Show without marks'])
  assert.equal(summary, ['2 pages of this site have changed'])
  assert.equal(pages, ['Fresh May 4 · New', 'Other May 3'])
  assert.match(text, `href="${site.base}/other?since=2026-05-02"`)
  assert.not.match(text, /secret|gated|gone/i)
  assert.is((await read('/fresh?since=2026-05-02')).notice?.[1], 'This page is new.')
  assert.is((await read('/guide?since=2026-05-20')).notice?.[2], 'No page of this site has changed.')
})

test('an unknown point in time shows the page without marks', async () => {
  const { desk, commit, read } = await open()
  await commit(1, { 'guide.md': page('One.') })
  await desk.git('branch', 'topic', 'main')
  const branch = await desk.human({ 'guide.md': page('Draft.') }, { ref: 'refs/heads/topic' })
  await commit(3, { 'guide.md': page('Two.') })
  for (const since of ['yesterday', 'f'.repeat(40), branch, '', '2026-02-31x']) {
    const { marks, notice, text } = await read(`/guide?since=${since}`)
    assert.equal(marks, [], since)
    assert.match(notice?.[0] ?? '', 'contains no valid date or commit', since)
    assert.match(text, 'Two.')
  }
  const early = await read('/guide?since=2020-01-01')
  assert.is(early.notice?.[1], 'This page is new.')
})

test('what is hidden from a reader, today or then, leaves no trace', async () => {
  const { commit, read } = await open()
  const first = await commit(1, { 'guide.md': page('One.', NEVER('Canary one.'), 'Two is public.') })
  await commit(3, { 'guide.md': page('One.', NEVER('Canary two.'), NEVER('Canary three.'), 'Two is public.') })
  const same = await read(`/guide?since=${first}`)
  assert.is(same.notice?.[1], 'The text of this page has not changed.')
  assert.not.match(same.text, 'Canary')
  await commit(5, { 'guide.md': page('One.', NEVER('Two is public.')) })
  const gone = await read(`/guide?since=${first}`)
  assert.is(gone.notice?.[1], '1 block removed')
  assert.not.match(gone.text, 'Two is')
  const gated = await commit(6, { 'guide.md': `---\nif: visitor.claims.never\n---\n\n${page('One.', 'Gone.')}` })
  await commit(7, { 'guide.md': page('One.') })
  assert.is((await read(`/guide?since=${gated}`)).notice?.[1], 'This page is new.')
})

test('a page that hides its history has no marks, and lists do not name it', async () => {
  const { commit, read } = await open()
  const hidden = '---\nlayout:\n  metadata:\n    visible: false\n---\n\n'
  const first = await commit(1, { 'guide.md': hidden + page('One.') })
  await commit(3, { 'guide.md': hidden + page('Two.') })
  const { marks, notice } = await read(`/guide?since=${first}`)
  assert.equal(marks, [])
  assert.equal(notice?.slice(1, 3), ['The changes of this page cannot be shown.', 'No page of this site has changed.'])
})

test('a moved page is compared with its former file', async () => {
  const { commit, read } = await open()
  const text = ['One block that stays the same.', 'A second block, which also stays.']
  const first = await commit(1, { 'old.md': page(...text) })
  await commit(2, { 'new.md': page(...text), 'old.md': null })
  await commit(3, { 'new.md': page(...text, 'Three.') })
  assert.equal((await read(`/new?since=${first}`)).barred, ['Three.'])
})

test('changes since a commit or a day are cached until the site changes', async () => {
  const { commit, read } = await open()
  const first = await commit(1, { 'guide.md': page('One.') })
  await commit(3, { 'guide.md': page('Two.') })
  const { renderings } = here.service.app.content
  const find = renderings.get.bind(renderings)
  let rendered = 0
  renderings.get = (key) => {
    rendered++
    return find(key)
  }
  const countFor = async (since: string): Promise<number> => {
    await read(`/guide?since=${since}`)
    const before = rendered
    await read(`/guide?since=${since}`)
    return rendered - before
  }
  const times = [first, '2026-05-02', first.slice(0, 9), '2026-05-02T10:00:00Z', '2020-01-01', '2999-01-01', 'x']
  const counts: number[] = []
  for (const since of times) counts.push(await countFor(since))
  renderings.get = find
  assert.equal(counts, [0, 0, 1, 1, 1, 1, 1])
  assert.equal((await read(`/guide?since=${first}`)).barred, ['Two.'])
  await commit(4, { 'other.md': '# Other\n' })
  assert.equal((await read(`/guide?since=${first}`)).summary, ['2 pages of this site have changed'])
  await commit(5, { 'guide.md': page('Two.', 'Three.') })
  assert.equal((await read(`/guide?since=${first}`)).barred, ['Two.', 'Three.'])
  assert.equal((await read('/guide')).marks, [])
})

test('the switch of the site is off by default, and cached pages have no marks', async () => {
  const { commit, read, site } = await open({})
  const first = await commit(1, { 'guide.md': page('One.') })
  await commit(3, { 'guide.md': page('Two.') })
  assert.is((await here.admin.call('get', site.api).expect(200)).body.changesSince, false)
  const [plain, asked] = [await read('/guide'), await read(`/guide?since=${first}`)]
  assert.is(plain.text, asked.text)
  assert.not.match(plain.text, 'data-visits')
  await here.admin.call('patch', site.api, { changesSince: true }).expect(200)
  for (const path of ['/guide', `/guide?since=${first}`, '/guide', '/guide?x=1'])
    assert.is((await read(path)).marks.length, path.includes('since') ? 1 : 0, path)
  assert.match((await read('/guide')).text, `data-visits="${site.base}"`)
})

test.run()
