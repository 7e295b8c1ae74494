/**
 * Archives that are malicious or broken: valid files are imported, others are listed, and the service stays healthy.
 */
import { deflateRawSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Entry, rawZip } from './raw-zip.js'
import { type Content, contentOf, type Import, newSpace, serve } from './story-support.js'

const [test, here] = await suiteWith('malicious archives', () =>
  startService({
    env: {
      BINDERY_IMPORT_DELAY_MS: '0',
      BINDERY_IMPORT_PAGES: '40',
      BINDERY_IMPORT_BYTES: String(16 * 1024 ** 2),
      BINDERY_FILE_LIMIT_BYTES: String(4 * 1024 ** 2),
    },
  }),
)

const MEGABYTE = 1024 ** 2
const good: Entry = { name: 'good.md', data: '# Good\n\ngoodword\n' }
const zeros = deflateRawSync(Buffer.alloc(300 * MEGABYTE))
const xml = (body: string): string => `<?xml version="1.0"?>${body}`
const docx = (body: string): Buffer =>
  rawZip([
    {
      name: '[Content_Types].xml',
      data: xml(
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
      ),
    },
    {
      name: '_rels/.rels',
      data: xml(
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
      ),
    },
    { name: 'word/document.xml', data: body },
  ]) // prettier-ignore
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${'bcdefghijklm'.replace(/./g, (c) => `<!ENTITY ${c} "${`&${String.fromCharCode(c.charCodeAt(0) - 1)};`.repeat(10)}">`)}]>`
const secrets = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
const document = (text: string, type = ''): Buffer =>
  docx(xml(`${type}<w:document ${W}><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`))

interface Case {
  entries?: Entry[]
  bytes?: () => Buffer
  /** Words that the content must contain once. */
  has?: string[]
  not?: string[]
  /** Parts of names that must be listed. */
  lists?: string[]
  /** The import as a whole is rejected with these words. */
  refused?: RegExp
}

const cases: Record<string, Case> = {
  'a bomb': {
    entries: [good, { name: 'bomb.md', deflated: zeros, size: 300 * MEGABYTE }],
    has: ['goodword'],
    lists: ['bomb.md'],
  },
  'a bomb that says it is small': {
    entries: [good, { name: 'bomb.md', deflated: zeros, size: 99 }],
    has: ['goodword'],
    lists: ['bomb.md'],
  },
  'one piece of data under a thousand names': {
    entries: [
      { name: '0.md', data: 'x'.repeat(MEGABYTE) },
      ...Array.from({ length: 999 }, (_, i) => ({ name: `${i + 1}.md`, dataOf: 0 })),
    ],
    refused: /more than \d+ bytes/,
  },
  'archives in archives in archives': {
    bytes: () => rawZip([{ name: 'a.zip', data: rawZip([{ name: 'b.zip', data: rawZip([good]) }]) }]),
    refused: /./,
  },
  'archives in an archive, with the same names': {
    bytes: () =>
      rawZip(
        ['one', 'two'].map((word) => ({
          name: `${word}.zip`,
          data: rawZip([{ name: 'page.md', data: `# ${word}\n\n${word}word\n` }]),
        })),
      ),
    has: ['oneword'],
    lists: ['page.md'],
  },
  'a damaged archive in an archive': {
    bytes: () =>
      rawZip([
        { name: 'a.zip', data: rawZip([good]) },
        { name: 'b.zip', data: 'PK but no archive' },
      ]),
    has: ['goodword'],
    lists: ['b.zip'],
  },
  'too many files': {
    bytes: () => rawZip(Array.from({ length: 20_001 }, (_, i) => ({ name: `${i}.txt`, stored: true }))),
    refused: /20000 files/,
  },
  'more pages than an import may have': {
    bytes: () =>
      rawZip(
        Array.from({ length: 60 }, (_, i) => ({
          name: `${String(i).padStart(2, '0')}.md`,
          data: `# ${i}\n\nword${i}z\n`,
        })),
      ),
    has: ['word0z', 'word7z'],
    lists: ['40.md'],
  },
  'long names': {
    entries: [
      good,
      { name: `${'é'.repeat(120)}.md`, data: '# Long\n\nlongword\n' },
      { name: `${'n'.repeat(5000)}.md`, data: '# Longer\n\nlongerword\n' },
      { name: `${'d/'.repeat(500)}x.md`, data: 'deepword' },
    ],
    has: ['goodword', 'longword', 'longerword'],
    not: ['deepword'],
    lists: ['d/d/d'],
  },
  'a wrong checksum': {
    entries: [
      good,
      { name: 'page.md', data: '# Page\n\npageword\n', crc: 1 },
      { name: 'stored.md', data: '# Page\n\nstoredword\n', stored: true, crc: 1 },
    ],
    has: ['goodword'],
    not: ['pageword', 'storedword'],
    lists: ['page.md', 'stored.md'],
  },
  'the same name twice': {
    entries: [good, { name: 'good.md', data: '# Good\n\nsecondword\n' }],
    has: ['goodword'],
    not: ['secondword'],
    lists: ['good.md'],
  },
  'a name in front of the data that is another': {
    entries: [good, { name: 'page.md', localName: '../../evil.md', data: '# Page\n\npageword\n' }],
    has: ['goodword'],
    not: ['evil'],
  },
  'names in old code pages': {
    entries: [
      { name: Buffer.from([0x81, 0x8e, 0x2e, 0x6d, 0x64]), utf8: false, data: '# One\n\noneword\n' },
      { name: Buffer.from([0x83, 0x65, 0x2e, 0x6d, 0x64]), utf8: true, data: '# Two\n\ntwoword\n' },
      good,
    ],
    has: ['oneword', 'twoword', 'goodword'],
  },
  'a truncated archive': { bytes: () => rawZip([good]).subarray(0, -30), refused: /archive/ },
  'an empty archive': { entries: [], refused: /./ },
  'an archive that counts wrongly': { bytes: () => rawZip([good], { count: 9 }), refused: /./ },
  'something after the archive': { bytes: () => rawZip([good], { after: Buffer.alloc(500, 'x') }), refused: /./ },
  'Word documents with entities': {
    entries: [
      good,
      { name: 'laughs.docx', data: document('&m;', laughs) },
      { name: 'reads.docx', data: document('x &e; y', secrets) },
      { name: 'bomb.docx', data: rawZip([{ name: 'word/document.xml', deflated: zeros, size: 300 * MEGABYTE }]) },
    ],
    has: ['goodword'],
    not: ['root:', 'hahaha'],
    lists: ['laughs.docx', 'bomb.docx'],
  },
  'a Word document that is none': {
    entries: [good, { name: 'none.docx', data: 'no' }, { name: 'empty.docx', data: rawZip([]) }],
    has: ['goodword'],
    lists: ['none.docx', 'empty.docx'],
  },
  'HTML that never ends': {
    entries: [
      good,
      { name: 'deep.html', data: `<main><h1>Deep</h1>${'<div>'.repeat(100_000)}deepword` },
      { name: 'wide.html', data: `<main>${'<b>'.repeat(200_000)}` },
    ],
    has: ['goodword'],
  },
  'a table of contents with loops and ways out': {
    entries: [
      good,
      {
        name: 'SUMMARY.md',
        data: '# S\n\n* [A](a.md)\n  * [A again](a.md)\n* [Out](../../etc/passwd)\n* [Self](SUMMARY.md)\n* [No](missing.md)\n* [Script](javascript:alert(1))\n* [Good](good.md)\n',
      },
      { name: 'a.md', data: '# A\n\naword\n' },
    ],
    has: ['goodword', 'aword'],
    not: ['root:', 'javascript:'],
  },
  'pages that would be files of the service': {
    entries: [
      good,
      { name: '.gitbook.yaml', data: 'root: /etc' },
      { name: '.gitbook/vars.yaml', data: 'a: b' },
      { name: '.git/config.md', data: 'gitword' },
      { name: '.gitattributes', data: '* filter=x' },
      { name: 'b/.gitmodules', data: 'x' },
    ],
    has: ['goodword'],
    not: ['gitword'],
  },
} // prettier-ignore

async function imported(
  bytes: Buffer,
): Promise<{ status: number; message: string; over: Import | null; content: Content; commits: number }> {
  const web = await serve((_, response) => response.end(bytes))
  try {
    const space = await newSpace(here)
    const before = await contentOf(here, space)
    const { status, body } = await here.admin.call('post', `/v1/spaces/${space}/content/import`, {
      url: `${web.origin}/a.zip`,
      source: 'zip',
    })
    const over = body.import
      ? (await here.admin.call('get', `/v1/spaces/${space}/content/imports/${body.import}`).expect(200)).body
      : null
    const content = await contentOf(here, space)
    return { status, message: body.error?.message ?? '', over, content, commits: content.commits - before.commits }
  } finally {
    await web.close()
  }
}

for (const [name, { entries, bytes, has = [], not = [], lists = [], refused }] of Object.entries(cases))
  test(`an import handles ${name} safely`, async () => {
    const { status, message, over, content, commits } = await imported(bytes ? bytes() : rawZip(entries ?? []))
    if (refused) {
      assert.is(status, 400)
      assert.match(message, refused)
      assert.is(commits, 0)
      return
    }
    assert.is(status, 201, message)
    assert.is(over?.state, 'completed')
    assert.is(commits, 1)
    for (const word of has) content.fileOf(word)
    for (const word of not) assert.is(content.has(word), false, `${word} is in the content`)
    for (const part of lists)
      assert.ok(
        over?.failures.some(({ resource }) => resource.includes(part)),
        `${part} is listed: ${JSON.stringify(over?.failures).slice(0, 999)}`,
      )
    for (const path of content.files.keys())
      assert.not.match(path, /^\.git(attributes|modules|book\.yaml)?$|^\.gitbook\/vars|(^|\/)\.git(\/|$)/, path)
    for (const path of content.files.keys())
      for (const part of path.split('/')) assert.ok(Buffer.byteLength(part) <= 255, `${part} is too long for a disk`)
    await here.admin.call('get', '/healthz').expect(200)
  })

test.run()
