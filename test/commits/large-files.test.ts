// @costly: it writes and merges files at the limits
import * as assert from 'uvu/assert'
import { costOf } from '../support/main-thread.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from './fixture.js'

// @own-process: it measures the main thread
const MIB = 1024 * 1024
/** The factor of the sizes that are not a limit of the service. */
const SHARE = size(0.4, 1)
/**
 * Processor time of the main thread for one request, during which other requests wait. Threads and Git are not
 * included. A slow machine takes up to 800 ms, a busy one up to 1,500; without its limits, a request took many seconds.
 */
const BOUND_MS = 2_000

const [test, here] = await suiteWith('writes in a space with files of many megabytes', () =>
  startService({ env: { BINDERY_CHECK_RESPONSES: 'false' } }),
)

const filled = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length))
const summary = (...names: string[]): string =>
  `# Table of contents\n\n* [Home](README.md)\n${names.map((name) => `* [${name}](${name}.md)\n`).join('')}`

/** Makes a write that must stay within the bound. A busy machine may need several attempts. */
async function write(desk: Desk, changes: object[], status = 200): Promise<any> {
  const { result, ms } = await costOf(() => desk.admin.call('post', `${desk.url}/content`, { changes }))
  if (result.status === 503) return write(desk, changes, status)
  assert.is(result.status, status, result.text.slice(0, 500))
  assert.ok(ms < BOUND_MS, `the main thread worked ${Math.round(ms)} ms`)
  return result.body
}

const large: Record<string, string> = {
  headings: filled('# a\n', 9 * SHARE * MIB),
  'mixed line ends': `# large\r\n\r\n${filled('a\r\nb\nc\rd', 9 * SHARE * MIB)}`,
  'one line': `# large\n\n${filled('word ', 9 * SHARE * MIB)}`,
  'front matter that never ends': `---\n${filled('a: b\n', 9 * SHARE * MIB)}`,
}
for (const [name, text] of Object.entries(large)) {
  test(`an edit of the title, description and slug of ${name} stays within its time bound`, async () => {
    const desk = await openDesk(here, { 'SUMMARY.md': summary('large'), 'README.md': '# Home\n', 'large.md': text })
    const page = await desk.id('large')
    await write(desk, [{ operation: 'update_page', page, title: 'Other', description: 'New' }])
    await write(desk, [{ operation: 'update_page', page, slug: 'moved' }])
    const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
    const body = text.startsWith('# large') ? text.replace('# large', '# Other') : text
    assert.ok(
      (await desk.file('moved.md')) === `---${eol}description: New${eol}---${eol}${eol}${body}`,
      'all else has its bytes',
    )
    await write(desk, [{ operation: 'update_page', page, document: { markdown: '# Short\n' } }])
    assert.is(await desk.file('moved.md'), `---${eol}description: New${eol}---${eol}# Short${eol}`)
  })
}

test('an oversized file cannot be edited, but its position and title can', async () => {
  const text = `# large\n\n${filled('word ', 11 * MIB)}`
  const desk = await openDesk(here, { 'SUMMARY.md': summary('large'), 'README.md': '# Home\n', 'large.md': text })
  const page = await desk.id('large')
  for (const change of [{ description: 'New' }, { document: { markdown: 'a\n' } }]) {
    const response = await write(desk, [{ operation: 'update_page', page, ...change }], 413)
    assert.match(JSON.stringify(response), /large\.md has more than 10485760 bytes.*Split it with Git first/)
  }
  await write(desk, [{ operation: 'update_page', page, title: 'Other', slug: 'moved', at: 0 }])
  assert.ok((await desk.file('moved.md')) === text)
  assert.match((await desk.file('SUMMARY.md')) ?? '', /contents\n\n\* \[Other\]\(moved\.md\)/)
})

test('a table of contents with too many pages is not created, and the response has the reason', async () => {
  const files = Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`d${n % 5}/p${n}.md`, 'stub\n']))
  const desk = await openDesk(here, files)
  const response = await desk.write(
    [{ operation: 'insert_page', title: 'More', document: { markdown: 'more\n' } }],
    413,
  )
  assert.match(
    response.error.message,
    /would create SUMMARY\.md with all 25005 pages and groups, but it can have at most 25000 .* Divide the content/,
  )
  assert.is(await desk.file('SUMMARY.md'), null)
})

test('links in an oversized page stay after a rename, and a diagnostic reports them', async () => {
  const many = Object.fromEntries(
    Array.from({ length: size(5, 8) }, (_, n) => [`large-${n}`, filled(`[one](one.md) ${n}\n`, 4 * MIB)]),
  )
  const names = Object.keys(many)
  const files = Object.fromEntries(names.map((name) => [`${name}.md`, many[name] as string]))
  const desk = await openDesk(here, {
    'SUMMARY.md': summary('one', 'small', ...names),
    'README.md': '# Home\n',
    'one.md': '# One\n',
    'small.md': '[one](one.md)\n',
    ...files,
  })
  await write(desk, [{ operation: 'update_page', page: await desk.id('one'), slug: 'two' }])
  assert.is(await desk.file('small.md'), '[one](two.md)\n')
  for (const name of names) assert.ok((await desk.file(`${name}.md`)) === many[name])
  const { diagnostics } = (await desk.admin.call('get', `${desk.url}/content/path/large-0`).expect(200)).body as {
    diagnostics: { message: string }[]
  }
  assert.match(
    diagnostics[0]?.message ?? '',
    /^large-0\.md is shown as source only, and its links are not updated when their targets move\./,
  )
})

test('links in a long page follow a rename', async () => {
  const text = `${filled('[one](one.md)\n\n', 300_000 * SHARE)}${filled('= a b < ', 700_000 * SHARE)}\n`
  const desk = await openDesk(here, {
    'SUMMARY.md': summary('one', 'large'),
    'README.md': '# Home\n',
    'one.md': '# One\n',
    'large.md': text,
  })
  await write(desk, [{ operation: 'update_page', page: await desk.id('one'), slug: 'two' }])
  assert.ok((await desk.file('large.md')) === text.replaceAll('one.md', 'two.md'))
})

test('Git merges pages of many megabytes, or they are a conflict', async () => {
  const LINES = 400_000 * SHARE
  const lines = Array.from({ length: LINES }, (_, n) => `line ${n} of a long page\n`)
  const put = (at: number, text: string): string => lines.with(at, text).join('')
  const desk = await openDesk(here, {
    'SUMMARY.md': summary('large'),
    'README.md': '# Home\n',
    'large.md': lines.join(''),
  })
  const merge = async (theirs: string, ours: string, status: number): Promise<string> => {
    const request = await desk.changeRequest()
    await desk.human({ 'large.md': theirs }, { ref: request.ref })
    await desk.human({ 'large.md': ours })
    const { result, ms } = await costOf(() => desk.admin.call('post', `${request.url}/merge`))
    assert.is(result.status, status, result.text.slice(0, 300))
    assert.ok(ms < BOUND_MS, `the main thread worked ${Math.round(ms)} ms`)
    return result.text
  }
  assert.match(await merge(put(7, 'theirs\n'), put(7, 'ours\n'), 409), /large\.md/)
  await desk.human({ 'large.md': lines.join('') })
  await merge(put(7, 'theirs\n'), put(LINES - 10, 'ours\n'), 200)
  assert.ok(
    (await desk.file('large.md')) ===
      lines
        .with(7, 'theirs\n')
        .with(LINES - 10, 'ours\n')
        .join(''),
  )
})

test('a resolution with mixed line ends stays within its time bound', async () => {
  const text = filled('a\r\nb\n', 900_000 * SHARE)
  const desk = await openDesk(here, {
    'SUMMARY.md': summary('large'),
    'README.md': '# Home\n',
    'large.md': `first\r\n${text}`,
  })
  const request = await desk.changeRequest()
  await desk.human({ 'large.md': `theirs\r\n${text}` }, { ref: request.ref })
  await desk.human({ 'large.md': `ours\r\n${text}` })
  const resolve = [{ path: 'large.md', content: `both\n${text.replaceAll('\r\n', '\n')}` }]
  const { result, ms } = await costOf(() => desk.admin.call('post', `${request.url}/update`, { resolve }))
  assert.is(result.status, 200, result.text.slice(0, 300))
  assert.ok(ms < BOUND_MS, `the main thread worked ${Math.round(ms)} ms`)
  assert.ok((await desk.file('large.md', request.ref)) === `both\r\n${text}`)
})

test('a merge of two large tables of contents stays within its time bound', async () => {
  const entries = Array.from(
    { length: 1_500 * SHARE },
    (_, n) => `* [Entry ${n} *of* [many]](https://example.org/${n})\n`,
  )
  const contents = (list: readonly string[]): string => `# Table of contents\n\n* [Home](README.md)\n${list.join('')}`
  const desk = await openDesk(here, { 'SUMMARY.md': contents(entries), 'README.md': '# Home\n' })
  const request = await desk.changeRequest()
  await desk.human(
    { 'SUMMARY.md': contents(entries.with(7, '* [Theirs](https://example.org/7)\n')) },
    { ref: request.ref },
  )
  await desk.human({ 'SUMMARY.md': contents(entries.with(8, '* [Ours](https://example.org/8)\n')) })
  const { result, ms } = await costOf(() => desk.admin.call('post', `${request.url}/merge`))
  assert.is(result.status, 200, result.text.slice(0, 300))
  assert.ok(ms < BOUND_MS, `the main thread worked ${Math.round(ms)} ms`)
})

test('a Base64 file that is mostly whitespace stays within its time bound', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': summary(), 'README.md': '# Home\n' })
  const base64 = filled('A A ', 9 * MIB)
  await write(desk, [{ operation: 'insert_files', files: [{ name: 'a.bin', base64 }] }])
  assert.is((await desk.bytes('.gitbook/assets/a.bin')).length, (base64.length / 2 / 4) * 3)
})

test('five hundred files with one name stay within the time bound', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, n) => [`folder-${n % 50}/file-${n}.txt`, String(n)]),
  )
  const desk = await openDesk(here, { 'SUMMARY.md': summary(), 'README.md': '# Home\n', ...many })
  const files = Array.from({ length: 20 }, () => ({ name: 'a.txt', base64: 'YQ==' }))
  const { insertedFiles } = await write(
    desk,
    Array.from({ length: 25 }, () => ({ operation: 'insert_files', files })),
  )
  assert.is(new Set(insertedFiles.map((file: { path: string }) => file.path)).size, 500)
})

test.run()
