/** The source of pages through the API, byte for byte. */
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { flat, openDesk } from './fixture.js'
import { REPOSITORIES } from './story-repositories.js'

const [test, here] = await suiteWith('commits/page-source', startService)

/** Files that editors like to "repair". */
const NASTY: Readonly<Record<string, Buffer>> = Object.fromEntries(
  Object.entries({
    crlf: '# A\r\n\r\nOne.\r\n',
    cr: '# A\r\rOne.\r',
    mixed: '# A\r\n\nOne.\rTwo.\n',
    'no-final-newline': '# A\n\nOne.',
    bom: '\ufeff# A\n\nOne.\n',
    'bom-and-crlf': '\ufeff---\r\ntitle: A\r\n---\r\n# A\r\n',
    tabs: '#\tA\n\n\tcode\t \n',
    'trailing-spaces': '# A   \n\nOne.  \nTwo.\u00a0\n   \n',
    'zero-width': '\u200b# A\n\nO\u200bne\u2060.\n',
    separators: '# A\n\nOne\u2028Two\u2029Three\u0085Four\u000bFive\u000c.\n',
    emoji: '# 😀\n\n👩‍👩‍👧 e\u0301\n',
    escapes: '# A\\_b\n\n\\*no\\* &#x20; &amp; <br>\n',
    'front-matter': '---\n# kept\ntitle:   "A"   # why\ntags: [ a,b ]\n---\n\n\n\n# A\n',
    blocks: '{% hint style="info" %}\nOne\n{% endhint %}\n{% for x in y %}{{ x }}\n',
    setext: 'A\n=\n\n* a\n+ b\n- c\n\n\n\n\n1) d\n',
    table: '|a|b|\n|-|:-:|\n|1|  2|\n| 3 \\| 4 |5|\n',
    'only-spaces': '   \n\t\n',
    'only-a-line-end': '\n',
  }).map(([name, text]) => [name, Buffer.from(text)]),
)
const LATIN1 = Buffer.from('# Caf\xe9\n\nOne.\n', 'latin1')

const sourceOf = async (url: string, page: string) =>
  (await here.admin.call('get', `${url}/content/page/${page}/source`).expect(200)).body as {
    markdown: string
    revision: string
    git: { oid: string; path: string }
  }
const save = (url: string, page: string, oid: string, markdown: string, status = 200) =>
  here.admin.call('put', `${url}/content/page/${page}/source`, { markdown }).set('If-Match', `"${oid}"`).expect(status)

test('a page that is loaded and saved keeps every byte, and a changed word changes one line', async () => {
  const files = { ...NASTY, latin1: LATIN1 }
  const summary = Object.keys(files)
    .map((name) => `* [${name}](${name}.md)\n`)
    .join('')
  const desk = await openDesk(here, {
    'SUMMARY.md': `# Table of contents\n\n${summary}`,
    ...Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${name}.md`, bytes])),
  })
  const head = (await desk.git('rev-parse', 'main')).trim()
  for (const [name, bytes] of Object.entries(files)) {
    const id = await desk.id(name)
    const { markdown, git } = await sourceOf(desk.url, id)
    await save(desk.url, id, git.oid, markdown)
    assert.equal(await desk.bytes(`${name}.md`), bytes, name)
  }
  assert.is((await desk.git('rev-parse', 'main')).trim(), head, 'no commit')
  for (const [name, bytes] of Object.entries(files)) {
    if (!bytes.includes('One')) continue
    const id = await desk.id(name)
    const { markdown, git } = await sourceOf(desk.url, id)
    await save(desk.url, id, git.oid, markdown.replace('One', 'Eins'))
    assert.equal(
      (await desk.bytes(`${name}.md`)).toString('latin1'),
      bytes.toString('latin1').replace('One', 'Eins'),
      name,
    )
    assert.equal(await desk.changed(), [`M\t${name}.md`])
    assert.match(await desk.git('diff', '--numstat', 'main^', 'main'), /^1\t1\t/)
  }
})

test('every page of the repositories keeps its bytes', async () => {
  let pages = 0
  for (const [name, files] of Object.entries(REPOSITORIES)) {
    const desk = await openDesk(here, files)
    const head = (await desk.git('rev-parse', 'main')).trim()
    for (const page of flat(await desk.pages())) {
      if (page.type !== 'document') continue
      const { markdown, git } = await sourceOf(desk.url, page.id)
      assert.is(Buffer.compare(Buffer.from(markdown), await desk.bytes(git.path)), 0, `${name} ${git.path}`)
      await save(desk.url, page.id, git.oid, markdown)
      pages++
    }
    assert.is((await desk.git('rev-parse', 'main')).trim(), head, name)
  }
  assert.ok(pages > 20, `${pages} pages`)
})

test('a save of an outdated text fails with 412, and a repeated save succeeds', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [A](a.md)\n', 'a.md': '# A\n\nOne.\n' })
  const id = await desk.id('a')
  const first = await sourceOf(desk.url, id)
  const saved = (await save(desk.url, id, first.git.oid, '# A\n\nTwo.\n')).body
  const refused = await save(desk.url, id, first.git.oid, '# A\n\nThree.\n', 412)
  assert.match(refused.body.error.message, /a\.md has changed since you read it/)
  assert.is(await desk.file('a.md'), '# A\n\nTwo.\n')
  const again = (await save(desk.url, id, first.git.oid, '# A\n\nTwo.\n')).body
  assert.equal(again, saved)
  assert.is((await desk.git('rev-list', '--count', `${first.revision}..main`)).trim(), '1')
  await save(desk.url, id, saved.git.oid, '# A\n\nThree.\n')
  await save(desk.url, id, saved.git.oid, 'x'.repeat(1_190_000), 413)
})

test('the source of a change request is saved on its branch, until it is merged', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [A](a.md)\n', 'a.md': '# A\r\n\r\nOne.\r\n' })
  const id = await desk.id('a')
  const change = await desk.changeRequest('Better')
  const { git, markdown } = await sourceOf(change.url, id)
  await save(change.url, id, git.oid, markdown.replace('One', 'Two'))
  assert.is(await desk.file('a.md', change.ref), '# A\r\n\r\nTwo.\r\n')
  assert.is(await desk.file('a.md'), '# A\r\n\r\nOne.\r\n')
  const latest = await sourceOf(change.url, id)
  await change.merge()
  await save(change.url, id, latest.git.oid, 'Late.\n', 409)
})

test('a reader cannot save the source, and a locked space rejects a save', async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [A](a.md)\n* [Away](https://example.org)\n* [NUL](nul.md)\n',
    'a.md': '# A\n',
    'nul.md': 'One\0Two\n',
  })
  const [id, link, nul] = flat(await desk.pages()).map((page) => page.id)
  const reader = await here.caller('read')
  const path = `${desk.url}/content/page/${id}/source`
  const { git } = (await reader.call('get', path).expect(200)).body
  await reader.call('put', path, { markdown: 'x' }).set('If-Match', `"${git.oid}"`).expect(403)
  const why = async (page: string | undefined): Promise<string> =>
    (await here.admin.call('get', `${desk.url}/content/page/${page}/source`).expect(400)).body.error.message
  assert.match(await why(link), /without a file/)
  assert.match(await why(nul), /NUL character/)
  await here.admin.call('get', `${desk.url}/content/page/nothing/source`).expect(404)
  await here.admin.call('patch', desk.url, { editMode: 'locked' }).expect(200)
  await save(desk.url, id ?? '', git.oid, 'x', 423)
  assert.is(await desk.file('a.md'), '# A\n')
})

test('a form changes single keys in the front matter', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [A](a.md)\n', 'a.md': '# A\n' })
  const change = async (markdown: string, set?: object, status = 200) =>
    (await here.admin.call('post', `${desk.url}/content/front-matter`, { markdown, set }).expect(status)).body
  const head = '---\n# kept\r\ntitle:   "A"   # why\nunknown: [ a,b ]\ncover:\n  light: a.png\n  dark: b.png\n---\n'
  const read = await change(head)
  assert.is(read.markdown, head)
  assert.equal(read.attributes, { title: 'A', cover: 'a.png' })
  const made = await change(head, { description: 'Why: "x"', tags: ['one', 'two'], cover: 'c.png', hidden: false })
  assert.equal(made.attributes, { title: 'A', description: 'Why: "x"', tags: ['one', 'two'], cover: 'c.png' })
  for (const line of ['# kept\r\n', 'title:   "A"   # why\n', 'unknown: [ a,b ]\n', '  dark: b.png\n'])
    assert.ok(made.markdown.includes(line), line)
  assert.is((await change('', { icon: 'book' })).markdown, '---\nicon: book\n---\n\n')
  assert.is((await change('---\nicon: book\n---\n', { icon: null })).markdown, '')
  assert.match(
    (await change('---\na: [\n---\n', { icon: 'book' }, 400)).error.message,
    /front matter cannot be changed/,
  )
  assert.match((await change('', { condition: '1 +' }, 400)).error.message, /condition/)
})

test('editors of a page see each other until they leave', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [A](a.md)\n', 'a.md': '# A\n' })
  const path = `${desk.url}/content/page/${await desk.id('a')}/presence`
  const other = await here.caller('edit')
  const admin = async (body: object) => (await here.admin.call('post', path, body).expect(200)).body.people
  const mine = { editor: 'mine-0001', line: 3 }
  const theirs = { editor: 'theirs-01', line: 14 }
  assert.equal(await admin(mine), [])
  await other.call('post', path, theirs).expect(200)
  const [seen, ...more] = await admin(mine)
  assert.equal([seen.user.id, seen.line, more.length], [other.user, 14, 0])
  // A second user cannot use the name of an editor.
  await other.call('post', path, { ...mine, leaves: true }).expect(200)
  assert.is((await other.call('post', path, theirs).expect(200)).body.people[0].user.id, here.admin.user)
  await other.call('post', path, { ...theirs, leaves: true }).expect(200)
  assert.equal(await admin(mine), [])
  const change = await desk.changeRequest()
  const elsewhere = `${change.url}/content/page/${await desk.id('a')}/presence`
  assert.equal((await other.call('post', elsewhere, theirs).expect(200)).body.people, [])
})

test.run()
