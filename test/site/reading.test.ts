/** Tests reading in Chromium: pictures cause no layout shift, and keys and links reach everything. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openChromium } from './chromium.js'
import { publishSite } from './published.js'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="280"/>'
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const text = 'A paragraph with some words between the pictures.\n\n'
const pictures = [
  '![drawing](wide.svg)',
  '<figure><picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="wide.svg" alt="two"></picture><figcaption><p>A caption</p></figcaption></figure>',
  '![point](dot.png)',
  '<div align="center"><figure><img src="wide.svg" alt="narrow" width="320"></figure></div>',
  'A small one <img src="dot.png" alt="dot" data-size="line"> in a line.',
  '<div><figure><img src="wide.svg" alt="left"></figure> <figure><img src="wide.svg" alt="right"></figure></div>',
  '{% embed url="https://www.youtube.com/watch?v=dQw4w9WgXcQ" %}',
]
const TABS =
  '{% tabs %}\n{% tab title="One" %}\nFirst panel.\n{% endtab %}\n{% tab title="Two" %}\nSecond panel.\n{% endtab %}\n{% endtabs %}'
const FOLDED = '<details><summary>More</summary>\n\nFolded text.\n\n</details>'
const guide = (language: string) => ({
  'SUMMARY.md': `* [Start ${language}](README.md)\n* [Setup](setup.md)\n* [Pictures](pictures.md)\n`,
  'README.md': `# Start ${language}\n\nText.\n`,
  'setup.md': `# Setup\n\n${TABS}\n\n${FOLDED}\n`,
  'pictures.md': `---\ncover: wide.svg\n---\n\n# Pictures\n\n${pictures.map((one) => `${one}\n\n${text}`).join('')}`,
  'wide.svg': SVG,
  'dark.png': PIXEL,
  'dot.png': PIXEL,
})
/** Pages in languages whose scripts have no italics, with a block in English. */
const SCRIPTS = {
  he: '# פריסה\n\nהשירות שומר *מצב* לאורך זמן.\n\nThis one is *in English*.\n',
  zh: '# 部署\n\n请*谨慎*部署。\n\nThis one is *in English*.\n',
}

const [test, context] = await suiteWith('site/reading', async () => {
  const here = await startService()
  const desks = [await openDesk(here, guide('English')), await openDesk(here, guide('Deutsch'))]
  for (const text of Object.values(SCRIPTS))
    desks.push(await openDesk(here, { 'SUMMARY.md': '* [Start](README.md)\n', 'README.md': text }))
  const titles = [
    { title: 'English', language: 'en' },
    { title: 'Deutsch', language: 'de' },
    ...Object.keys(SCRIPTS).map((language) => ({ title: language, language })),
  ]
  for (const [n, desk] of desks.entries()) await here.admin.call('patch', desk.url, titles[n]).expect(200)
  const site = await publishSite(
    here,
    desks.map(({ space }) => space),
  )
  const browser = await openChromium(here)
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, site, browser, close }
})
const { here, site, browser } = context
const url = (path: string): string => `${here.service.sites}${site.base}${path}`

async function visit(path: string, work: (page: Page) => Promise<void>, before = async (_: Page) => {}): Promise<void> {
  const page = await browser.newPage()
  try {
    await page.setViewport({ width: 1440, height: 900 })
    await before(page)
    await page.goto(url(path), { waitUntil: 'load' })
    await work(page)
  } finally {
    await page.close()
  }
}

/** Records layout shifts, and delays files until the page without them is painted. */
async function withLatePictures(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(() => {
    const record = { shift: 0 }
    Object.assign(window, { record })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) record.shift += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const isDrawn = () => page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length > 0)
  await page.setRequestInterception(true)
  page.on('request', async (request) => {
    if (!request.url().startsWith(here.service.sites)) return void request.abort()
    if (request.url().includes('/~files/')) while (!(await isDrawn())) await sleep(20)
    await request.continue()
  })
}

for (const [scheme, width] of [
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
] as const)
  test(`pictures cause no layout shift while they load, at ${width} px in ${scheme}`, () =>
    visit(
      '/pictures',
      async (page) => {
        // All pictures are in view once, and late ones load then.
        for (const picture of await page.$$('img')) await picture.scrollIntoView()
        await page.waitForFunction(() =>
          Array.from(document.images).every((one) => one.complete || !one.checkVisibility()),
        )
        const loaded = await page.$$eval('img', (all) => all.filter((one) => one.naturalWidth > 0).length)
        assert.ok(loaded >= 8, `${loaded} pictures`)
        assert.is(await page.evaluate(() => (window as unknown as { record: { shift: number } }).record.shift), 0)
      },
      async (page) => {
        await page.setViewport({ width, height: 900 })
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        await withLatePictures(page)
      },
    ))

test('the keyboard switches the variant of a page', () =>
  visit('/setup', async (page) => {
    await page.focus('.switch')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#ui\\~variant:popover-open')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    const [focused] = await page.$$eval('#ui\\~variant a:focus', (all) => all.map((one) => one.textContent))
    assert.match(focused ?? '', 'Deutsch')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    assert.is(page.url(), url('/deutsch/setup'))
    assert.is(await page.$eval('html', (html) => html.lang), 'de')
  }))

test('the keyboard skips to the text, chooses a tab and opens collapsed text', () =>
  visit('/setup', async (page) => {
    await page.keyboard.press('Tab')
    assert.is(await page.evaluate(() => document.activeElement?.getAttribute('href')), '#ui~main')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => location.hash === '#ui~main')
    const reach = async (selector: string): Promise<void> => {
      for (let n = 0; n < 40; n++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate((one) => document.activeElement?.matches(one) ?? false, selector)) return
      }
      throw new Error(`Tab does not reach ${selector}`)
    }
    await reach('.prose [role=tab]')
    await page.keyboard.press('ArrowRight')
    assert.match(await page.$eval('.prose .tab:not([hidden])', (panel) => panel.textContent ?? ''), 'Second panel')
    await reach('.prose summary')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.prose details[open]')
  }))

test('without script, tabs show all panels, collapsed text opens, and the variant can change', () =>
  visit(
    '/setup',
    async (page) => {
      const visible = await page.$eval('.prose', (prose) => (prose as HTMLElement).innerText)
      assert.match(visible, /First panel.*Second panel/s)
      await page.click('.prose summary')
      assert.is((await page.$$('.prose details[open]')).length, 1)
      await page.click('.switch')
      await page.waitForSelector('#ui\\~variant:popover-open')
      await page.click('#ui\\~variant a:not([aria-current])')
      // Puppeteer does not see the response of a page that was fetched before it is opened.
      while (page.url() !== url('/deutsch/setup')) await sleep(20)
    },
    (page) => page.setJavaScriptEnabled(false),
  ))

test('the printed page has the text of all blocks, and no part of the interface', () =>
  visit('/setup', async (page) => {
    await page.emulateMediaType('print')
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    const shown = await page.evaluate(() => document.body.innerText)
    for (const one of ['First panel', 'Second panel', 'Folded text']) assert.ok(shown.includes(one), one)
    assert.not.match(shown, /Search|Deutsch|Copy/)
  }))

test('in a right-to-left page, the change bars of all blocks are at the side of the notes', () =>
  visit('/he', async (page) => {
    const bars = await page.$$eval('.prose > p', (blocks) =>
      blocks.map((block) => {
        block.classList.add('ch')
        return { text: getComputedStyle(block).direction, left: parseFloat(getComputedStyle(block, '::after').left) }
      }),
    )
    assert.equal(
      bars.map(({ text, left }) => [text, left < 0]),
      [
        ['rtl', true],
        ['ltr', true],
      ],
    )
  }))

test('English texts of the interface keep their order in a right-to-left page', () =>
  visit('/he/absent', async (page) => {
    // The full stop is in the line of the word before it, and to its right.
    const [word, stop] = await page.$eval('.missing p:not(.code)', (sentence) => {
      const text = document.createTreeWalker(sentence, NodeFilter.SHOW_TEXT).nextNode()
      if (!(text instanceof Text)) return []
      return [text.length - 2, text.length - 1].map((at) => {
        const range = document.createRange()
        range.setStart(text, at)
        range.setEnd(text, at + 1)
        return range.getBoundingClientRect().x
      })
    })
    assert.ok(word !== undefined && stop !== undefined && stop > word, `${word} ${stop}`)
  }))

test('scripts without italics are emphasized by weight, or by dots below Chinese characters', async () => {
  const emphasis = (page: Page) =>
    page.$eval('.prose em', (em) => {
      const { fontStyle, fontWeight, textEmphasisStyle, textEmphasisPosition } = getComputedStyle(em)
      return [fontStyle, fontWeight, textEmphasisStyle === 'none' ? 'none' : textEmphasisPosition]
    })
  await visit('/he', async (page) => assert.equal(await emphasis(page), ['normal', '600', 'none']))
  await visit('/zh', async (page) => assert.equal(await emphasis(page), ['normal', '400', 'under']))
})

test('at 320 px, pages do not scroll sideways, and each control has at least 24 px', () =>
  visit(
    '/setup',
    async (page) => {
      for (const path of ['/setup', '/pictures', '/~search?q=text']) {
        await page.goto(url(path), { waitUntil: 'load' })
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path)
        const small = await page.$$eval('button, summary, nav a, .pager a, input', (all) =>
          all.flatMap((one) => {
            const { width, height } = one.getBoundingClientRect()
            return width > 0 && height > 0 && (width < 24 || height < 24)
              ? [`${one.outerHTML.slice(0, 120)} ${width} × ${height}`]
              : []
          }),
        )
        assert.equal(small, [], path)
      }
    },
    (page) => page.setViewport({ width: 320, height: 640 }),
  ))

test.run()
