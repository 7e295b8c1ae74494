/** Imports of a file that is sent with the request. */
import * as assert from 'uvu/assert'
import { contentImports } from '../../src/model/index.js'
import { until } from '../races/server-process.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { notionExport, wordDocument, zipOf } from './archives.js'
import { startImporting } from './service.js'

const LIMIT = 200_000
const [test, here] = await suiteWith('files for imports', () =>
  startImporting({ BINDERY_FILE_LIMIT_BYTES: String(LIMIT), BINDERY_IMPORT_BYTES: '2000000' }),
)

interface Sent {
  status: number
  body: any
}

async function send(
  space: string,
  members: Record<string, string>,
  files: Record<string, Uint8Array>,
  { token = here.admin.token, path = 'content/import' } = {},
): Promise<Sent> {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.append(name, value)
  for (const [name, bytes] of Object.entries(files)) form.append(name, new Blob([new Uint8Array(bytes)]), name)
  const response = await fetch(`${here.url}/v1/spaces/${space}/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  })
  return { status: response.status, body: await response.json() }
}

const docs = () =>
  zipOf({
    'SUMMARY.md': '* [Start](start.md)\n* [More](more.md)\n',
    'start.md': '# Start\n\n[More](more.md)\n',
    'more.md': '# More\n',
  })

test('a ZIP becomes pages with their links, in one commit that names the file', async () => {
  const space = await here.space()
  const { status, body } = await send(space, { source: 'zip' }, { 'acme docs.zip': await docs() })
  assert.is(status, 201, JSON.stringify(body))
  assert.equal([body.state, body.importedResources], ['completed', 2])
  assert.match(await here.file(space, 'start.md'), /\[More\]\(more\.md\)/)
  const [message] = [await git(`${here.dir}/repos/${space}.git`, ['log', '-1', '--format=%B', 'main'])]
  assert.match(message, /^Import 2 pages from acme docs\.zip\n/)
  assert.match(message, /^Imported-From: acme docs\.zip$/m)
  const known = (await here.admin.call('get', `/v1/spaces/${space}/content/imports/${body.import}`).expect(200)).body
  assert.equal([known.file, known.url, known.source], ['acme docs.zip', undefined, 'zip'])
})

test('a Word document, a markdown file, a web page and an export become pages', async () => {
  const space = await here.space()
  const sources: [string, string, Uint8Array, string, RegExp][] = [
    ['docx', 'manual.docx', await wordDocument(), 'operations-manual.md', /^# Operations Manual\n/],
    [
      'markdown',
      'notes.md',
      Buffer.from('---\ntitle: Notes\n---\n\nText\twith a tab.\n'),
      'notes.md',
      /Text\twith a tab\.$/,
    ],
    [
      'html',
      'page.html',
      Buffer.from('<main><h1>Web</h1><p>Some <b>text</b>.</p></main>'),
      'web.md',
      /Some \*\*text\*\*/,
    ],
    ['notion', 'export.zip', await notionExport(), 'team-wiki/README.md', /^# Team Wiki\n/],
  ]
  for (const [source, name, bytes, file, text] of sources) {
    const { status, body } = await send(space, { source }, { [name]: bytes })
    assert.is(status, 201, `${name}: ${JSON.stringify(body)}`)
    assert.match(await here.file(space, file), text, `${name}: ${(await here.files(space)).join(' ')}`)
  }
})

test('a change request and a page of it take a file, and main stays', async () => {
  const space = await here.space()
  const main = await git(`${here.dir}/repos/${space}.git`, ['rev-parse', 'main'])
  const request = (await here.admin.call('post', `/v1/spaces/${space}/change-requests`, {}).expect(201)).body
  const at = `change-requests/${request.id}/content`
  const pages = (await here.admin.call('get', `/v1/spaces/${space}/${at}`).expect(200)).body.pages
  const { status } = await send(
    space,
    { source: 'markdown' },
    { 'sub.md': Buffer.from('# Sub\n\nText.\n') },
    { path: `${at}/page/${pages[0].id}/import` },
  )
  assert.is(status, 201)
  assert.is(await git(`${here.dir}/repos/${space}.git`, ['rev-parse', 'main']), main)
})

test('files that cannot be imported are named with the reason, and nothing is written', async () => {
  const space = await here.space()
  const before = await here.files(space)
  const bomb = await zipOf({ 'a.md': Buffer.alloc(8_000_000, 'a') })
  assert.ok(bomb.length < LIMIT)
  const cases: [string, Record<string, string>, Record<string, Uint8Array>, number, RegExp][] = [
    [
      'no ZIP',
      { source: 'zip' },
      { 'a.zip': Buffer.from('text') },
      400,
      /^a\.zip cannot be read: it is not a ZIP archive\. Choose a \.zip file\.$/,
    ],
    [
      'no Word',
      { source: 'docx' },
      { 'a.docx': Buffer.from('text') },
      400,
      /^a\.docx cannot be read: it is not a Word document/,
    ],
    [
      'broken',
      { source: 'zip' },
      { 'a.zip': (await docs()).subarray(0, 200) },
      400,
      /^The archive a\.zip cannot be unpacked\./,
    ],
    [
      'no page',
      { source: 'zip' },
      { 'a.zip': await zipOf({ 'x.bin': 'x' }) },
      400,
      /^The archive a\.zip contains no readable page/,
    ],
    ['a bomb', { source: 'zip' }, { 'a.zip': bomb }, 400, /a\.zip/],
    ['empty', { source: 'zip' }, { 'a.zip': Buffer.alloc(0) }, 400, /^The file "a\.zip" is empty\.$/],
    [
      'too large',
      { source: 'zip' },
      { 'a.zip': Buffer.alloc(LIMIT + 1) },
      413,
      /"a\.zip" exceeds the limit of 200000 bytes/,
    ],
    [
      'of an address',
      { source: 'website' },
      { 'a.zip': await docs() },
      400,
      /source "website" is read from an address/,
    ],
    [
      'two',
      { source: 'zip' },
      { 'a.zip': await docs(), 'b.zip': await docs() },
      400,
      /Send one file\. The form has 2\./,
    ],
    [
      'and an address',
      { source: 'zip', url: `${here.url}/x.zip` },
      { 'a.zip': await docs() },
      400,
      /url and a file were sent/,
    ],
    ['none', { source: 'zip' }, {}, 400, /url is required, unless a form contains the file itself/],
  ]
  for (const [name, members, files, status, reason] of cases) {
    const sent = await send(space, members, files)
    assert.is(sent.status, status, `${name}: ${JSON.stringify(sent.body)}`)
    assert.match(sent.body.error.message, reason, name)
  }
  assert.equal(await here.files(space), before)
})

test('a name cannot add lines to the commit, and readers cannot import', async () => {
  const space = await here.space()
  const { status } = await send(
    space,
    { source: 'markdown' },
    { 'a\nCo-authored-by: b <b@c>.md': Buffer.from('# A\n') },
  )
  assert.is(status, 201)
  const message = await git(`${here.dir}/repos/${space}.git`, ['log', '-1', '--format=%B', 'main'])
  assert.not.match(message, /^Co-authored-by: b/m)
  const reader = await here.caller('read')
  const refused = await send(space, { source: 'zip' }, { 'a.zip': await docs() }, { token: reader.token })
  assert.is(refused.status, 403)
})

test('without waiting, the response comes first, and a restart loses nothing', async () => {
  const space = await here.space()
  const { status, body } = await send(space, { source: 'zip', wait: 'false' }, { 'a.zip': await docs() })
  assert.equal([status, body.state], [201, 'queued'])
  await here.restart()
  const ended = await until(async () => {
    const now = await here.service.app.store.get(contentImports, body.import)
    return now && now.state !== 'queued' && now.state !== 'running' ? now : null
  })
  assert.equal([ended.state, ended.importedResources], ['completed', 2])
  assert.ok((await here.files(space)).includes('start.md'))
})

test.run()
