import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { contentTypeOf, isSafeInline, revisionFiles } from '../../src/content/files.js'
import { defaultId, idOf } from '../../src/content/identity.js'
import { imageDimensions } from '../../src/content/image-dimensions.js'
import { readStructure } from '../../src/content/structure.js'
import { decodeText, encodeText, encodingOf } from '../../src/content/text.js'
import { readVariables } from '../../src/content/variables.js'
import { memoryTree } from '../support/memory-tree.js'
import { inPlace } from '../../src/content/work/direct.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: files, variables, text')

test('the files of a revision are its assets and the referenced files, each once', async () => {
  const tree = memoryTree({
    'SUMMARY.md': '* [A](a.md)',
    'a.md': '',
    '.gitbook/assets/z.png': '',
    '.gitbook/includes/i.md': '',
    'img/b.png': '',
  })
  const ids = idOf(new Map())
  const structure = await readStructure(tree, ids, inPlace)
  const files = await revisionFiles(
    structure,
    ['img/b.png', '.gitbook/assets/z.png', 'a.md', '.gitbook/includes/i.md', 'img/b.png'],
    ids,
  )
  assert.equal(
    files.map(({ id, name, gitPath }) => [id, name, gitPath]),
    [
      [defaultId('file', '.gitbook/assets/z.png'), 'z.png', '.gitbook/assets/z.png'],
      [defaultId('file', 'img/b.png'), 'b.png', 'img/b.png'],
    ],
  )
})

for (const [name, type, inline] of [
  ['a.PNG', 'image/png', true],
  ['a.jpg', 'image/jpeg', true],
  ['a.svg', 'image/svg+xml', false],
  ['a.html', 'text/html', false],
  ['a.xhtml', 'application/xhtml+xml', false],
  ['a.xml', null, false],
  ['a.pdf', 'application/pdf', true],
  ['a.txt', 'text/plain', true],
  ['a.mp4', 'video/mp4', true],
  ['a.js', null, false],
  ['noextension', 'application/octet-stream', false],
  ['', 'application/octet-stream', false],
] as const) {
  test(`${name} is ${inline ? 'shown' : 'an attachment'}`, () => {
    if (type) assert.is(contentTypeOf(name), type)
    assert.is(isSafeInline(contentTypeOf(name)), inline)
    assert.is(isSafeInline(`${contentTypeOf(name).toUpperCase()}; charset=utf-8`), inline)
  })
}

const png = (width: number, height: number): Uint8Array => {
  const bytes = Buffer.alloc(33)
  bytes.write('\x89PNG\r\n\x1a\n', 0, 'latin1')
  bytes.writeUInt32BE(13, 8)
  bytes.write('IHDR', 12)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

test('dimensions of images are read from their headers', () => {
  assert.equal(imageDimensions(png(640, 480)), { width: 640, height: 480 })
  assert.equal(imageDimensions(Buffer.from('<svg xmlns="x" width="20" height="10"></svg>')), { width: 20, height: 10 })
  assert.is(imageDimensions(png(0, 480)), null)
  assert.is(imageDimensions(png(0xffffffff, 1)), null)
  assert.is(imageDimensions(Buffer.from('hello')), null)
  assert.is(imageDimensions(new Uint8Array()), null)
})

test('bytes that only start like an image never throw', () => {
  const magic = fc.constantFrom(
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff\xe1',
    'GIF89a',
    'RIFF\0\0\0\0WEBPVP8X',
    'II*\0',
    'MM\0*',
    'icns',
    '\0\0\0\x14ftypavif',
    '\0\0\0\x0cJXL ',
    '\0\0\x01\0',
    'BM',
    '8BPS',
    '<svg ',
    'DDS ',
    'P6\n',
  )
  fc.assert(
    fc.property(magic, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      const found = imageDimensions(Buffer.concat([Buffer.from(start, 'latin1'), rest]))
      assert.ok(found === null || (found.width > 0 && found.height > 0))
    }),
    { numRuns: 1000 },
  )
  for (const [first, fill] of [
    [0xff, 0],
    [0x3c, 0x3c],
    [0, 0],
  ] as const) {
    const bytes = new Uint8Array(1 << 20).fill(fill)
    bytes.set([first, first === 0xff ? 0xd8 : fill])
    assert.is(imageDimensions(bytes), null)
  }
})

test('variables are flat scalars and keep their notation', async () => {
  const { variables, diagnostics } = await readVariables(
    inPlace,
    'a: text\nversion: 1.10\nyes: true\nempty:\nquoted: "0x10"\nhex: 0x10\nblock: |\n  two\n  lines\n',
    'v',
  )
  assert.equal(variables, {
    a: 'text',
    version: '1.10',
    yes: 'true',
    empty: '',
    quoted: '0x10',
    hex: '0x10',
    block: 'two\nlines\n',
  })
  assert.equal(diagnostics, [])
})

test('invalid variables are reported with their position', async () => {
  const nested = await readVariables(inPlace, 'a: x\nb:\n  c: y\nd: [z]\n__proto__: p\n', 'docs/.gitbook/vars.yaml')
  assert.equal(nested.variables, { a: 'x' })
  assert.equal(
    nested.diagnostics.map(({ code, file, line, column }) => [code, file, line, column]),
    [
      ['invalid-yaml', 'docs/.gitbook/vars.yaml', 2, 1],
      ['invalid-yaml', 'docs/.gitbook/vars.yaml', 4, 1],
    ],
  )
  assert.equal((await readVariables(inPlace, 'a: [', 'v')).variables, {})
  assert.is((await readVariables(inPlace, 'a: [', 'v')).diagnostics[0]?.line, 1)
  assert.is((await readVariables(inPlace, '- a', 'v')).diagnostics.length, 1)
})

test('any bytes decode to text that encodes to the same bytes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        unicodeText().map((text) => new Uint8Array(Buffer.from(`\ufeff${text}\r\n`))),
      ),
      (bytes) => {
        assert.equal([...encodeText(decodeText(bytes), encodingOf(bytes))], [...bytes])
      },
    ),
  )
  assert.is(decodeText(Buffer.from('\ufeffx')), '\ufeffx')
  assert.is(Buffer.from(encodeText('€', 'latin1')).toString(), '€')
})

test.run()
