/**
 * The printing process. `printer.ts` starts it with a command and its JSON; the last line of its output is the result.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printDocument, type ServedFile, shootDocuments, withChromium } from './chromium.js'
import { serveFont } from './fonts.js'
import { missingGlyphs } from './glyphs.js'
import { joinParts, type BookPart, readPart } from './join.js'
import { watchMemory } from './memory.js'
import type { Engine, PrintResult, PrintOrder } from './order.js'

const PICTURE = /^\/pictures\/([a-z0-9-]{1,80}\.(png|jpg|gif|webp|avif|bmp|svg))$/
const TYPES: Record<string, string> = { jpg: 'image/jpeg', svg: 'image/svg+xml' }
const HTML = 'text/html; charset=utf-8'

/** Verifies that the engine starts and prints, and returns its version. */
async function probe(engine: Engine): Promise<{ version: string }> {
  return withChromium(engine, async (browser) => {
    const html = '<!doctype html><title>probe</title><p>probe</p>'
    const pdf = await printDocument(
      browser,
      'probe.html',
      () => ({ contentType: HTML, body: Buffer.from(html) }),
      false,
    )
    if (!pdf.subarray(0, 5).equals(Buffer.from('%PDF-'))) throw new Error('Its output is not a PDF.')
    return { version: await browser.version() }
  })
}

async function print(engine: Engine, folder: string, maxBytes: number): Promise<PrintResult> {
  const order: PrintOrder = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8'))
  const watch = watchMemory(maxBytes, () =>
    fail(
      `Printing takes more than ${Math.round(maxBytes / 1024 / 1024)} MB of memory. Print single pages (page=…&only=true).`,
    ),
  )
  const characters = new Set<string>()
  const printed: Buffer[] = []
  let pages = 0
  const places = new Map<string, number>()
  for (const name of order.documents) {
    const html = readFileSync(join(folder, name), 'utf8').replace('page [[first-page]]', `page ${pages + 1}`)
    for (const one of html) characters.add(one)
    const bytes = await printOne(engine, folder, { name, html, tagged: order.documents.length === 1 })
    // Read each document twice, here for the page numbers and later for the book, so that only one is in memory as
    // objects.
    const { pdf, places: found } = await readPart(bytes)
    for (const [id, place] of found) places.set(id, pages + place.page + 1)
    pages += pdf.getPageCount()
    printed.push(bytes)
  }
  const front = order.front === null ? null : await printFront(engine, folder, order.front, places)
  const bytes = await joinParts(front, printed, order)
  writeFileSync(join(folder, 'book.pdf'), bytes)
  const result = {
    pages: pages + (front?.pdf.getPageCount() ?? 0),
    bytes: bytes.length,
    missingGlyphs: missingGlyphs(characters),
  }
  return { ...result, peakBytes: watch.stop() }
}

async function printFront(
  engine: Engine,
  folder: string,
  name: string,
  places: ReadonlyMap<string, number>,
): Promise<BookPart> {
  const html = readFileSync(join(folder, name), 'utf8').replace(
    />\[\[page:([^\]<>]+)\]\]</g,
    (_, id: string) => `>${places.get(id) ?? ''}<`,
  )
  return readPart(await printOne(engine, folder, { name, html, tagged: false }))
}

function printOne(
  engine: Engine,
  folder: string,
  { name, html, tagged }: { name: string; html: string; tagged: boolean },
): Promise<Buffer> {
  const serve = (path: string): ServedFile | null => {
    if (path === `/${name}`) return { contentType: HTML, body: Buffer.from(html) }
    const [, picture, type = ''] = PICTURE.exec(path) ?? []
    if (picture === undefined) return serveFont(path)
    const file = join(folder, 'pictures', picture)
    return existsSync(file) ? { contentType: TYPES[type] ?? `image/${type}`, body: readFileSync(file) } : null
  }
  const attempt = (): Promise<Buffer> => withChromium(engine, (browser) => printDocument(browser, name, serve, tagged))
  // If the machine is briefly short of time or memory, Chromium may end during startup. The deadline of the book covers
  // both attempts.
  return attempt().catch(attempt)
}

/** Creates a picture of each document in a folder: each folder has a `card.html`, which becomes `card.png`. */
async function pictures(engine: Engine, folder: string, maxBytes: number): Promise<object> {
  const names: string[] = JSON.parse(readFileSync(join(folder, 'cards.json'), 'utf8'))
  const watch = watchMemory(maxBytes, () => fail('Pictures take too much memory.'))
  const serve = (path: string): ServedFile | null => {
    const name = names.find((one) => path === `/${one}`)
    if (name === undefined) return serveFont(path)
    return { contentType: HTML, body: readFileSync(join(folder, name, 'card.html')) }
  }
  await withChromium(engine, (browser) =>
    shootDocuments(browser, names, serve, (name, png) => writeFileSync(join(folder, name, 'card.png'), png)),
  )
  watch.stop()
  return {}
}

function report(result: object): void {
  process.stdout.write(`\n${JSON.stringify(result)}\n`)
}
function fail(message: string): never {
  report({ failed: message })
  process.exit(1)
}

const [command, engine, folder = '', maxBytes = '0'] = process.argv.slice(2)
// The parent process holds the other end of stdin. If it dies, this process and Chromium end, too.
process.stdin.on('end', () => process.exit(1)).resume()
try {
  const given: Engine = JSON.parse(engine ?? '')
  const work = { probe: () => probe(given), pictures: () => pictures(given, folder, Number(maxBytes)) }
  const done = command === 'probe' || command === 'pictures' ? work[command]() : print(given, folder, Number(maxBytes))
  report({ done: await done })
  process.exit(0)
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
