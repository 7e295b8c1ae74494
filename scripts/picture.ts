/** Makes the pictures of the README from a page of a running server: node --import tsx scripts/picture.ts <address of the page> */
import { tmpdir } from 'node:os'
import puppeteer from 'puppeteer-core'
import { findEngine } from '../src/printing/find-engine.js'

const [address] = process.argv.slice(2)
const engine = await findEngine(null, tmpdir(), AbortSignal.timeout(30_000))
if (!address || !engine) throw new Error('Pass the address of a page, and install chromium-headless-shell.')
// Without a mouse, headings show their links permanently.
const mouse = 'primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4'
const browser = await puppeteer.launch({
  executablePath: engine.path,
  headless: 'shell',
  args: ['--no-sandbox', '--hide-scrollbars', `--blink-settings=${mouse}`],
})
try {
  const page = await browser.newPage()
  await page.setViewport({ width: 1440, height: 900, deviceScaleFactor: 1.5 })
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.goto(address, { waitUntil: 'networkidle0' })
    // Fonts that arrive late are used from the next page on.
    await page.reload({ waitUntil: 'networkidle0' })
    await page.screenshot({ path: `docs/pictures/site-${scheme}.webp`, type: 'webp', quality: 80 })
  }
} finally {
  await browser.close()
}
