/** The engine: a real Chromium. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createPrinter, PrintFailure, type PrintOrder } from '../../src/printing/index.js'
import { readPdf } from '../pdf/read-pdf.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('printer', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-printer-'))
  const printer = createPrinter({ chromium: null, folder: dir, notice: () => {} })
  let books = 0
  return {
    printer,
    dir,
    async print(files: Record<string, string>, order: Partial<PrintOrder> = {}) {
      const folder = join(dir, `book-${++books}`)
      await mkdir(folder)
      const documents = Object.keys(files).filter((name) => name !== 'front.html')
      const whole = {
        title: 'A <book>',
        author: 'Me',
        lang: 'en',
        date: '2026-01-02T03:04:05Z',
        front: 'front.html' in files ? 'front.html' : null,
        documents,
        outline: [],
      }
      await writeFile(join(folder, 'order.json'), JSON.stringify({ ...whole, ...order }))
      for (const [name, html] of Object.entries(files)) await writeFile(join(folder, name), html)
      const printed = await printer.print(folder)
      return { printed, pdf: await readPdf(await readFile(join(folder, 'book.pdf'))) }
    },
    async close() {
      await printer.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
})

const HEAD =
  '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/fonts.css"><style>body { font-family: "IBM Plex Sans", "Noto Sans Arabic", "Noto Sans SC Variable", sans-serif } @page { margin: 2cm; @bottom-center { content: "number " counter(page) } } @page :first { counter-set: page [[first-page]] } h1 { break-before: page }</style>'
const link = (id: string): string => `<a href="http://book.invalid/book#${id}">to ${id}</a>`
const ends = (...ids: string[]): string => `<div hidden>${ids.map((id) => `<a href="#${id}"></a>`).join('')}</div>`

test(
  'documents become one book with page numbers, internal links and an outline',
  async () => {
    const { pdf, printed } = await here.print(
      {
        'front.html': `${HEAD}<p>Two is on <b>[[page:two]]</b>. [[page:two]] ${link('three')} <a href="http://book.invalid/book?page=two#gone">next best</a></p>`,
        '0.html': `${HEAD}<h1 id="one">One</h1>${link('three')} ${link('nowhere')}<h1 id="two">Two</h1>${ends('one', 'two')}`,
        '1.html': `${HEAD}<h1 id="three">Three</h1>${link('two')} <a href="https://example.org/x">out</a>${ends('three')}`,
      },
      {
        outline: [
          { title: 'Group', items: [{ title: 'Two', anchor: 'two', items: [] }] },
          { title: 'Drei', anchor: 'three', items: [] },
        ],
      },
    )
    assert.is(pdf.title, 'A <book>')
    assert.is(printed.pages, 4)
    assert.equal(pdf.labels, ['i', '1', '2', '3'])
    assert.match(pdf.pages[0] as string, 'Two is on 2. [[page:two]]')
    assert.match(pdf.pages[3] as string, 'Three')
    assert.match(pdf.pages[3] as string, 'number 3')
    assert.equal(pdf.links, [
      { from: 1, to: 4 },
      { from: 1, to: 3 },
      { from: 2, to: 4 },
      { from: 4, to: 3 },
      { from: 4, to: 'https://example.org/x' },
    ])
    assert.equal(pdf.outline, [
      { title: 'Group', depth: 0, page: 3 },
      { title: 'Two', depth: 1, page: 3 },
      { title: 'Drei', depth: 0, page: 4 },
    ])
  },
  { timeoutMs: 180_000 },
)

test(
  'a book of one document keeps its tags',
  async () => {
    const { pdf } = await here.print({ '0.html': `${HEAD}<h1>One</h1>` })
    assert.ok(pdf.tagged)
  },
  { timeoutMs: 180_000 },
)

test(
  'a printed document makes no request',
  async () => {
    const asked: string[] = []
    const server = createServer((req, res) => {
      asked.push(String(req.url))
      res.end()
    }).listen(0, '0.0.0.0')
    await new Promise((listening) => server.once('listening', listening))
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const svg = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="${at}/svg"/><style>@import "${at}/svgcss"</style></svg>`)}`
    const hostile = `<img src="${at}/img"><img srcset="${at}/srcset 2x"><iframe src="${at}/frame"></iframe><object data="${at}/object"></object><embed src="${at}/embed">
    <link rel="stylesheet" href="${at}/css"><link rel="preload" as="image" href="${at}/preload"><link rel="dns-prefetch" href="${at}/dns"><link rel="preconnect" href="${at}"><style>@import "${at}/import"; body { background: url(${at}/background) } @font-face { font-family: f; src: url(${at}/font) } p { font-family: f }</style>
    <video src="${at}/video" poster="${at}/poster"></video><meta http-equiv="refresh" content="0;url=${at}/refresh"><img src="${svg}"><script>fetch('${at}/script'); new WebSocket('${at}/socket')</script>
    <p>text</p><img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe>`
    const { pdf } = await here.print({ '0.html': `${HEAD}${hostile}` })
    assert.equal(asked, [])
    assert.match(pdf.pages.join(''), 'text')
    assert.not.match(pdf.pages.join(''), 'root:')
    server.close()
  },
  { timeoutMs: 180_000 },
)

test(
  'East Asian and right-to-left scripts are printed, and missing glyphs are reported',
  async () => {
    const { pdf, printed } = await here.print({
      '0.html': `${HEAD}<p>中文漢字 日本語カタカナ العربية \u{10fffd}\u{e0100} \u{12345}</p>`,
    })
    for (const text of ['中文漢字', '日本語カタカナ']) assert.match(pdf.pages[0] as string, text)
    // pdftotext inserts blanks between letters that are not joined.
    assert.match((pdf.pages[0] as string).replaceAll(' ', ''), 'العربية')
    assert.equal(printed.missingGlyphs, ['\u{12345}'])
  },
  { timeoutMs: 180_000 },
)

test(
  'a program other than Chromium is rejected with installation instructions',
  async () => {
    const broken = createPrinter({ chromium: '/bin/false', folder: here.dir, notice: () => {} })
    assert.is(broken.missing(), null)
    const failure = await broken.ready().catch((error) => error)
    assert.instance(failure, PrintFailure)
    assert.is(failure.kind, 'engine')
    assert.match(failure.message, 'chromium-headless-shell')
    assert.is(broken.missing(), failure.message)
    await broken.close()
  },
  { timeoutMs: 180_000 },
)

test(
  'closing the printer aborts running jobs',
  async () => {
    const printer = createPrinter({ chromium: null, folder: here.dir, notice: () => {} })
    const ended = printer.ready().catch((error) => error)
    await printer.close()
    assert.is((await ended).kind, 'closed')
  },
  { timeoutMs: 60_000 },
)

test.run()
