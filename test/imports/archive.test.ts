import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { confluenceExport, notionExport, renamed, wordDocument, zipOf } from './archives.js'
import { startImporting } from './service.js'
import { rawZip } from './raw-zip.js'
import { PNG, page, startWebsite } from './website.js'

const [test, here] = await suiteWith('import of archives and documents', async () => {
  const service = await startImporting({ BINDERY_IMPORT_BYTES: String(8 * 1024 * 1024) })
  const site = await startWebsite()
  return { service, site, close: () => Promise.all([service.close(), site.close()]) }
})
const { service, site } = here

interface Failure {
  resource: string
  reason: string
}

/** Imports a file that the website serves. */
async function imported(
  source: string,
  body: string | Uint8Array,
  options: { type?: string; status?: number; space?: string; at?: string; page?: string } = {},
) {
  const at = options.at ?? '/file'
  site.pages.set(at, { headers: { 'content-type': options.type ?? 'application/octet-stream' }, body })
  const space = options.space ?? (await service.space())
  const into = options.page === undefined ? '' : `page/${options.page}/`
  const response = await service.admin.call('post', `/v1/spaces/${space}/content/${into}import`, {
    url: site.url + at,
    source,
  })
  assert.is(response.status, options.status ?? 201, response.text)
  const failures: Failure[] = response.headers.location
    ? (await service.admin.call('get', response.headers.location).expect(200)).body.failures
    : []
  return {
    space,
    body: response.body,
    failures,
    message: response.body.error?.message as string,
    files: await service.files(space),
    file: (path: string) => service.file(space, path),
  }
}

test('links keep their formatting, and a link without a target becomes text', async () => {
  const links = [
    '<p>See <a href="https://x.example/" title="x">the <b>bold</b> part</a> and <a name="here">this</a>.</p>',
    '<p><a href="https://x.example/i"><img src="gone.png" alt="i"></a></p>',
    '<a href="https://x.example/c"><h2>Card</h2><p>Text</p></a>',
  ]
  const { file, failures } = await imported('html', page('Links', links.join('')), { type: 'text/html' })
  assert.equal(
    failures.map(({ resource }) => resource),
    [`${site.url}/gone.png`],
  )
  const text = await file('links.md')
  assert.match(text, 'See [the **bold** part](https://x.example/) and this.')
  assert.match(text, `[![i](${site.url}/gone.png)](https://x.example/i)`)
  assert.match(text, '## [Card](https://x.example/c)\n\n[Text](https://x.example/c)')
})

test('a Notion export loses the IDs in its names, and its links point to pages and files', async () => {
  const { files, file, failures, body } = await imported('notion', await notionExport())
  assert.equal(failures, [])
  assert.equal(files, [
    '.gitbook/assets/List.csv',
    '.gitbook/assets/diagram.png',
    'README.md',
    'SUMMARY.md',
    'team-wiki/README.md',
    'team-wiki/getting-started.md',
  ])
  assert.match(
    await file('SUMMARY.md'),
    '* [Team Wiki](team-wiki/README.md)\n  * [Getting Started](team-wiki/getting-started.md)',
  )
  assert.is(
    await file('team-wiki/README.md'),
    '# Team Wiki\n\nSee [Getting Started](getting-started.md) and [the list](../.gitbook/assets/List.csv).\n\n![diagram](../.gitbook/assets/diagram.png)',
  )
  assert.match(
    await file('team-wiki/getting-started.md'),
    'Back to [Team Wiki](README.md).\n\n![](../.gitbook/assets/diagram.png)',
  )
  assert.equal([body.importedResources, body.totalResources], [4, 4])
})

test('a Confluence export has the tree and order of its index', async () => {
  const { files, file } = await imported('confluence', await confluenceExport())
  assert.equal(files, [
    '.gitbook/assets/5.png',
    'README.md',
    'SUMMARY.md',
    'home/README.md',
    'home/apple.md',
    'home/zebra.md',
  ])
  assert.match(
    await file('SUMMARY.md'),
    '* [Home](home/README.md)\n  * [Zebra](home/zebra.md)\n  * [Apple](home/apple.md)',
  )
  assert.is(await file('home/README.md'), '# Home\n\nSee [Apple](apple.md).\n\n![](../.gitbook/assets/5.png)')
  assert.match(await file('home/zebra.md'), '{% hint style="warning" %}\n\nBeware.\n\n{% endhint %}')
})

test('folders of a tree of markdown and HTML become pages, in the order of SUMMARY.md', async () => {
  const { files, file } = await imported(
    'zip',
    await zipOf({
      'docs-main/b/two.md': 'Text of two, [one](../a.html).',
      'docs-main/a.html': page('One', '<p>1 <a href="b/two.md">two</a> <a href="gone.html">gone</a></p>'),
      'docs-main/.github/x.md': 'x',
    }),
  )
  assert.equal(files, ['README.md', 'SUMMARY.md', 'b/README.md', 'b/two.md', 'one.md'])
  assert.match(await file('SUMMARY.md'), '* [One](one.md)\n* [B](b/README.md)\n  * [two](b/two.md)')
  assert.match(await file('b/two.md'), 'Text of two, [one](../one.md).')
  assert.match(await file('one.md'), '1 [two](b/two.md) [gone](gone.html)')
  const ordered = await imported(
    'zip',
    await zipOf({
      'SUMMARY.md': '# S\n\n* [Z](z.md)\n  * [A](a.md)\n',
      'a.md': '# A\n',
      'z.md': '# Z\n',
      'left.md': '# Left\n',
    }),
  )
  assert.match(await ordered.file('SUMMARY.md'), '* [Z](z/README.md)\n  * [A](z/a.md)\n* [Left](left.md)')
})

test('files with invalid names in an archive are omitted and listed', async () => {
  const good = { 'good.md': '# Good\n' }
  const evil = renamed(
    renamed(
      await zipOf({ ...good, 'up-evil.md': '# Evil\n', 'Xabs.md': '# Abs\n', 'one.md': '# 1\n', 'two.md': '# 2\n' }),
      'up-evil.md',
      '../evil.md',
    ),
    'Xabs.md',
    '/abs.md',
  )
  const duplicate = renamed(evil, 'two.md', 'one.md')
  const link = await imported(
    'zip',
    await zipOf(good, (zip) => zip.addBuffer(Buffer.from('/etc/passwd'), 'link.md', { mode: 0o120777 })),
  )
  assert.equal(link.failures, [{ resource: 'link.md', reason: 'It was not unpacked: it is a symbolic link.' }])
  const { files, failures } = await imported('zip', duplicate)
  assert.equal(files, ['1.md', 'README.md', 'SUMMARY.md', 'good.md'])
  assert.equal(failures.map(({ resource }) => resource).sort(), ['../evil.md', '/abs.md', 'one.md'])
  const cases = await imported(
    'zip',
    await zipOf({ 'Guide.md': '# Guide\n', 'guide.md': '# guide\n', 'con/.git/config': 'x', 'SUMMARY/x.md': '# X\n' }),
  )
  assert.equal(new Set(cases.files.map((path) => path.toLowerCase())).size, cases.files.length)
})

test('names that are not UTF-8, or not declared as UTF-8, are read', async () => {
  const undeclared = await zipOf({ 'xx.md': '# Umlaut\n' })
  const { files } = await imported('zip', renamed(undeclared, 'xx.md', '\u00fc.md'))
  assert.equal(files, ['README.md', 'SUMMARY.md', 'umlaut.md'])
})

test('archive bombs are rejected by ratio, size and count', async () => {
  const zeros = Buffer.alloc(6 * 1024 * 1024)
  const ratio = await imported('zip', await zipOf({ 'bomb.md': zeros, 'good.md': '# Good\n' }))
  assert.match(ratio.failures[0]?.reason ?? '', /compressed more than 200 times/)
  const noise = Buffer.from(Array.from({ length: 3 * 1024 * 1024 }, (_, at) => ((at * 7919) % 251) ^ (at >> 8)))
  const size = await imported('zip', await zipOf({ 'a.bin': noise, 'b.bin': noise, 'c.bin': noise, 'd.md': '# D\n' }), {
    status: 400,
  })
  assert.match(size.message, /more than \d+ bytes/)
  const lying = await zipOf({ 'liar.md': Buffer.alloc(500_000, 'abcdefgh') })
  // The list of files states a size of one byte.
  const at = lying.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
  lying.writeUInt32LE(1, at + 24)
  const lied = await imported('zip', lying, { status: 400 })
  assert.match(lied.message, /no readable page/)
  const many = await imported(
    'zip',
    // yazl would take ten seconds for this number of files.
    rawZip(Array.from({ length: 20_001 }, (_, n) => ({ name: `${n}.txt` }))),
    { status: 400 },
  )
  assert.match(many.message, /more than 20000 files/)
  assert.match((await imported('zip', 'no archive', { status: 400 })).message, /not a ZIP archive/)
  assert.match(
    (await imported('zip', (await zipOf({ 'a.md': '# A\n' })).subarray(0, 60), { status: 400 })).message,
    /cannot be unpacked/,
  )
})

test('a Word document keeps its headings, lists, tables and images', async () => {
  const { files, file } = await imported('docx', await wordDocument())
  assert.equal(files, ['.gitbook/assets/image-1.png', 'README.md', 'SUMMARY.md', 'operations-manual.md'])
  const text = await file('operations-manual.md')
  assert.match(text, '# Operations Manual\n\nSome **bold** text.\n\n## Steps\n\n* First\n  * Nested\n')
  assert.match(text, '| Name | Port |\n| - | - |\n| web \\| api | 80 |')
  assert.match(text, '![](.gitbook/assets/image-1.png)')
})

test('a Google Docs document is read through its export', async () => {
  const { app } = service.service
  const { http } = app
  const asked: string[] = []
  const body = await wordDocument()
  app.http = {
    ...http,
    check: async () => {},
    send: async ({ url }) => {
      asked.push(url)
      return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body, url }
    },
  }
  try {
    const space = await service.space()
    const url = 'https://docs.google.com/document/d/1aBcDeFgHiJkLmNoP/edit?usp=sharing'
    await service.admin.call('post', `/v1/spaces/${space}/content/import`, { url, source: 'google-docs' }).expect(201)
    assert.equal(asked, ['https://docs.google.com/document/d/1aBcDeFgHiJkLmNoP/export?format=docx'])
    assert.ok((await service.files(space)).includes('operations-manual.md'))
  } finally {
    app.http = http
  }
})

test('entities in a Word document are rejected', async () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n} "${`&a${n === 0 ? '' : n - 1};`.repeat(10)}">`).join('')}]><w:document>&a8;</w:document>`
  const { message } = await imported(
    'docx',
    await zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': bomb }),
    { status: 400 },
  )
  assert.match(message, /declares XML entities/)
  assert.match((await imported('docx', await zipOf({ 'a.txt': 'x' }), { status: 400 })).message, /not a Word document/)
})

test('a single HTML document is read in its charset, and markdown is unchanged', async () => {
  const html = Buffer.from('<html><head><meta charset="shift_jis"><title>x</title></head><body><h1>T</h1><p>', 'latin1')
  const shiftJis = Buffer.concat([html, Buffer.from([0x93, 0xfa, 0x96, 0x7b]), Buffer.from('</p></body></html>')])
  const page = await imported('html', shiftJis, { type: 'text/html' })
  assert.is(await page.file('t.md'), '# T\n\n日本')
  const markdown =
    '---\ntitle: From Hugo\nweight: 3\n---\n\nText *as it is*.\n\n[rel](other.md) ![](pic.png) [abs](https://x.example/)\n'
  site.pages.set('/d/pic.png', { headers: { 'content-type': 'image/png' }, body: PNG })
  const text = await imported('markdown', markdown, { at: '/d/post.md', type: 'text/markdown' })
  assert.equal(text.files, ['.gitbook/assets/pic.png', 'README.md', 'SUMMARY.md', 'post.md'])
  assert.is(
    await text.file('post.md'),
    `---\ntitle: From Hugo\nweight: 3\n---\n\nText *as it is*.\n\n[rel](${site.url}/d/other.md) ![](.gitbook/assets/pic.png) [abs](https://x.example/)`,
  )
  assert.match(
    (await imported('markdown', 'x', { type: 'text/html', status: 400 })).message,
    /address of the file itself/,
  )
  assert.match(
    (await imported('notion', '<html></html>', { type: 'text/html', status: 400 })).message,
    /web page\. Export the page in Notion/,
  )
  assert.match((await imported('google-docs', 'x', { status: 400 })).message, /not the address of a Google document/)
})

test('an import into a page fills it if it is empty, or else adds subpages', async () => {
  const space = await service.space()
  const changes = [
    { operation: 'insert_page', title: 'Empty', document: { markdown: '# Empty\n' } },
    { operation: 'insert_page', title: 'Full', document: { markdown: '# Full\n\nText.\n' } },
  ]
  const written = (await service.admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)).body
  const [empty, full] = written.changes.map(({ page }: { page: string }) => page)
  const filled = await imported('html', page('Source', '<p>Imported.</p>'), { type: 'text/html', space, page: empty })
  assert.is(await filled.file('empty.md'), '# Empty\n\nImported.')
  const below = await imported('html', page('Source', '<p>Imported.</p>'), { type: 'text/html', space, page: full })
  assert.match(await below.file('SUMMARY.md'), '* [Full](full.md)\n  * [Source](full/source.md)')
  assert.is(await below.file('full.md'), '# Full\n\nText.')
  await imported('html', page('Source', '<p>x</p>'), { type: 'text/html', space, page: 'nosuchpage', status: 404 })
})

test.run()
