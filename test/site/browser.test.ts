import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { exceeded, openChromium, weigh } from './chromium.js'
import { publishSite } from './published.js'

/** The renderer's markup of blocks that the script enhances. */
const BLOCKS = `
<div class="tabs" id="one"><div class="tablist"><button type="button">Linux</button><button type="button">macOS</button></div>
<div class="tab flow" data-title="Linux"><p class="tab-title">Linux</p><p>apt install</p></div>
<div class="tab flow" data-title="macOS"><p class="tab-title">macOS</p><p>brew install</p></div></div>
<div class="tabs" id="two"><div class="tablist"><button type="button">Linux</button><button type="button">macOS</button></div>
<div class="tab flow" data-title="Linux"><p class="tab-title">Linux</p><p>journalctl</p></div>
<div class="tab flow" data-title="macOS"><p class="tab-title">macOS</p><p>log show</p></div></div>
<div class="code-block"><div class="code-bar bare"><button class="btn-i" type="button" aria-label="Copy code" data-copy><svg class="i"></svg></button></div>
<pre><code class="language-console"><span class="line">$ ls \\\n</span><span class="line">  -l\n</span><span class="line">total 0\n</span><span class="line">$ pwd\n</span></code></pre></div>
<details class="more"><summary>More</summary><p>Closed text</p></details>
<div class="images"><figure><a class="zoom" href="/picture.svg"><img src="/picture.svg" alt="A picture" width="10" height="10"></a></figure></div>
<div class="embed images"><figure><a class="poster" href="https://video.example.org/1" data-frame="https://frame.example.org/1"><b>video.example.org</b></a></figure></div>
`

const WIDE = '---\nlayout:\n  width: wide\n---\n\n# Wide\n\n## Part\n\nText.\n\n<p align="center">In the middle</p>\n'

/** The paths of requests, from the access log. */
const pages: string[] = []

const [test, context] = await suiteWith('site/browser', async () => {
  const log = createLog({
    level: 'info',
    destination: {
      write: (lines: string) => {
        for (const line of lines.trim().split('\n')) pages.push((JSON.parse(line) as { path?: string }).path ?? '')
      },
    },
  })
  const here = await startService({ overrides: { log } })
  const desk = await openDesk(here, {
    'SUMMARY.md':
      '* [Start](README.md)\n* [Cluster](cluster/README.md)\n  * [Locks](cluster/locks.md)\n* [Last](last.md)\n* [Blocks](blocks.md)\n* [Wide](wide.md)\n',
    'blocks.md': readFileSync(new URL('./fixtures/every-block.md', import.meta.url), 'utf8'),
    'README.md': `# Start\n\n${'Text of a long page.\n\n'.repeat(40)}## Second part\n\n${'More.\n\n'.repeat(40)}`,
    'cluster/README.md': '# Cluster\n\nMany machines.\n',
    'cluster/locks.md': '# Locks\n\nIntro.\n\n## Choose a lock provider\n\nRedis.\n',
    'last.md': '# Last\n\nDone.\n',
  })
  const now = Math.floor(Date.now() / 1000)
  await desk.human({ 'wide.md': WIDE }, { seconds: now - 900 * 24 * 60 * 60 })
  await desk.human({ 'wide.md': WIDE.replace('Text.', 'Other text.') }, { seconds: now })
  const site = await publishSite(here, [desk.space], { feedback: { enabled: true } })
  const browser = await openChromium(here)
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, site, browser, origin: here.service.sites, close }
})
const { here, site, browser, origin } = context

const url = (path: string): string => `${origin}${site.base}${path}`

/** Opens a page in a new browser profile, and fails on errors of the script. */
async function visit(
  path: string,
  work: (page: Page, errors: string[]) => Promise<void>,
  before: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const profile = await browser.createBrowserContext()
  const page = await profile.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    const text = `${message.text()} ${message.location().url ?? ''}`
    // Fonts are not part of this test.
    if (message.type() === 'error' && !text.endsWith('.woff2')) errors.push(text)
  })
  page.setDefaultTimeout(20_000)
  try {
    await page.setViewport({ width: 1440, height: 900 })
    await before(page)
    await page.goto(url(path), { waitUntil: 'load' })
    await work(page, errors)
    assert.equal(errors, [])
  } finally {
    await profile.close()
  }
}

/** Waits for a page. Puppeteer does not see the response of a page that was fetched before it is opened. */
async function opened(page: Page, path: string): Promise<void> {
  while (page.url() !== url(path)) await sleep(20)
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent?.trim()}`)

const statusOf = (page: Page): Promise<string> =>
  page.$eval('dialog.finder output', (output) => output.textContent ?? '')

test('a reader searches, reads and rates with the keyboard alone', () =>
  visit('', async (page) => {
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('~search') && asked.push(request.url()))
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('dialog.finder[open]')
    assert.match(await focused(page), /^INPUT/)
    await page.keyboard.type('lock provider')
    await page.waitForSelector('.hit[aria-selected=true]')
    await page.waitForFunction(() => document.querySelectorAll('dialog.finder .hit').length === 2)
    assert.is(await statusOf(page), '2 results')
    assert.ok(asked.length <= 'lock provider'.length, 'at most one request per pause')
    assert.match(await focused(page), /^INPUT/)
    await page.keyboard.press('ArrowDown')
    const active = await page.$eval('dialog.finder input[name=q]', (input) =>
      input.getAttribute('aria-activedescendant'),
    )
    assert.is(active, 'ui~o1')
    assert.equal(await page.$$eval('dialog.finder .hit mark', (marks) => marks.map((mark) => mark.textContent)), [
      'Locks',
      'lock',
      'provider',
    ])
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    assert.is(page.url(), url('/cluster/locks#choose-a-lock-provider'))
    await page.focus('form[data-feedback] button')
    await page.keyboard.press('Enter')
    await page.waitForSelector('form[data-feedback] textarea')
    await page.keyboard.type('A picture would help')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('form[data-feedback] p:only-child')
    const { items } = (await here.admin.call('get', `${site.api}/feedback`).expect(200)).body
    assert.equal([items[0].comment, items[0].page.path], ['A picture would help', '/cluster/locks'])
    assert.equal(await page.cookies(), [])
  }))

test('an Enter that ends a composition opens nothing, and Escape closes the dialog', () =>
  visit('', async (page) => {
    await page.click('.field[data-open-search]')
    await page.waitForSelector('dialog.finder[open]')
    await page.keyboard.type('cluster')
    await page.waitForSelector('.hit[aria-selected=true]')
    const kept = await page.$eval('dialog.finder input[name=q]', (input) =>
      [
        new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
        new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }),
      ].map((event) => input.dispatchEvent(event)),
    )
    assert.equal(kept, [true, true], 'the input method gets the key')
    assert.is(page.url(), url(''))
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog.finder:not([open])')
    assert.is(await page.$('dialog.finder[open]'), null)
  }))

/** Records the backgrounds of the first frames, and layout shifts. */
const recordLoading = (page: Page) =>
  page.evaluateOnNewDocument(() => {
    const record = { seen: [] as string[], shift: 0 }
    Object.assign(window, { record })
    const look = (): void => {
      if (document.body) record.seen.push(getComputedStyle(document.body).backgroundColor)
      if (record.seen.length < 5) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) record.shift += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })

for (const [chosen, system] of [
  ['dark', 'light'],
  ['light', 'dark'],
  ['system', 'dark'],
] as const)
  test(`20 loads with the theme "${chosen}" on a ${system} system neither flash nor move`, () =>
    visit('/cluster/locks', async (page) => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: system }])
      await page.click('[popovertarget="ui~theme"]')
      await page.click(`[data-theme-set=${chosen}]`)
      const scheme = await page.evaluate(() => document.documentElement.dataset['scheme'])
      assert.is(scheme, chosen === 'system' ? undefined : chosen)
      const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      await recordLoading(page)
      for (let load = 0; load < 20; load++) {
        await page.reload({ waitUntil: 'load' })
        const { seen, shift } = await page.evaluate(
          () => (window as unknown as { record: { seen: string[]; shift: number } }).record,
        )
        assert.equal([[...new Set([color, ...seen])], shift], [[color], 0], `load ${load}`)
      }
    }))

test('the text keeps its place while the tree and the outline still load', () =>
  visit('/cluster/locks', async (page) => {
    for (const width of [834, 1200, 1440]) {
      await page.setViewport({ width, height: 900 })
      await page.reload({ waitUntil: 'load' })
      const places = await page.evaluate(() => {
        const place = (): string => {
          const { x, y, width } = document.querySelector('main')?.getBoundingClientRect() ?? {}
          return [x, y, width].join()
        }
        return [place()].concat(
          ['.cols > .tree', '.cols > .toc', 'body > footer'].map((later) => {
            const part = document.querySelector(later)
            part?.remove()
            return part ? place() : `no ${later}`
          }),
        )
      })
      assert.is(new Set(places).size, 1, `${width}: ${places.join(' ')}`)
    }
  }))

test("the site's theme applies without a flash until the reader chooses the system theme", async () => {
  const settings = (themes: object) =>
    here.admin.call('put', `${site.api}/customization`, { feedback: { enabled: true }, ...themes }).expect(200)
  await settings({ themes: { default: 'light', toggeable: true } })
  await visit('/cluster/locks', async (page) => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    await recordLoading(page)
    const colors = async (): Promise<string[]> => {
      await page.reload({ waitUntil: 'load' })
      return page.evaluate(() => [
        ...new Set([
          ...(window as unknown as { record: { seen: string[] } }).record.seen,
          getComputedStyle(document.body).backgroundColor,
        ]),
      ])
    }
    const light = await colors()
    assert.is(light.length, 1, String(light))
    const pressed = (): Promise<string[]> =>
      page.$$eval('[data-theme-set][aria-pressed=true]', (all) =>
        all.map((one) => one.getAttribute('data-theme-set') ?? ''),
      )
    assert.equal(await pressed(), ['light'])
    await page.click('[popovertarget="ui~theme"]')
    await page.click('[data-theme-set=system]')
    const dark = await colors()
    assert.is(dark.length, 1, String(dark))
    assert.not.equal(dark, light)
    assert.equal(await pressed(), ['system'])
  })
  await settings({})
})

test('the script works if the browser forbids storage', () =>
  visit(
    '',
    async (page) => {
      await page.click('[popovertarget="ui~theme"]')
      await page.click('[data-theme-set=light]')
      assert.is(await page.evaluate(() => document.documentElement.dataset.scheme), 'light')
    },
    async (page) => {
      await page.evaluateOnNewDocument(() => {
        for (const name of ['localStorage', 'sessionStorage'])
          Object.defineProperty(window, name, {
            get: () => {
              throw new DOMException('denied', 'SecurityError')
            },
          })
      })
    },
  ))

test('branches of the tree open in place, and arrow keys open and close them', () =>
  visit('', async (page) => {
    const branch = '.tree a[aria-expanded]'
    await page.click(`${branch} .i`)
    await page.waitForSelector(`${branch}[aria-expanded=true] + ul a`)
    assert.is(page.url(), url(''))
    assert.match(await page.$eval(`${branch} + ul`, (list) => list.textContent ?? ''), /Locks/)
    await page.focus(branch)
    await page.keyboard.press('ArrowLeft')
    assert.is(await page.$eval(branch, (link) => link.getAttribute('aria-expanded')), 'false')
    assert.is(await page.$eval(`${branch} + ul`, (list) => (list as HTMLElement).hidden), true)
  }))

test('the first page of a visit loads six files at most, and each kind within its budget', async () => {
  for (const [path, onDemand] of [
    ['', 0],
    ['/blocks', 2],
  ] as const) {
    const profile = await browser.createBrowserContext()
    const page = await profile.newPage()
    const weights = await weigh(await page.createCDPSession())
    await page.goto(url(path), { waitUntil: 'networkidle0' })
    await profile.close()
    for (const kind of ['Document', 'Stylesheet', 'Script', 'Font'])
      assert.ok((weights.bytes.get(kind) ?? 0) > 1_000, `${kind} is measured`)
    assert.equal(exceeded(weights), [], path)
    assert.ok(weights.onDemand.length <= onDemand, `${path}: ${weights.onDemand.join(' ')}`)
  }
})

test('pressing a link prefetches its page', () =>
  visit('/last', async (page) => {
    // The rules are those of a later page of a visit.
    await Promise.all([page.waitForNavigation(), page.click(`a[href="${site.base}"], a[href="${site.base}/"]`)])
    const link = `.pager a[href$="/cluster"]`
    await page.$eval(link, (one) => one.scrollIntoView())
    const box = await (await page.$(link))?.boundingBox()
    assert.ok(box)
    pages.length = 0
    await page.mouse.move(box.x + 20, box.y + 20)
    await page.mouse.down()
    while (!pages.includes(`${site.base}/cluster`)) await sleep(20)
    assert.is(page.url(), url(''), 'the reader is still on the first page')
    await page.mouse.up()
    await opened(page, '/cluster')
    assert.is(pages.filter((path) => path === `${site.base}/cluster`).length, 1, 'it is fetched once')
  }))

test('the outline marks the visible section', () =>
  visit('', async (page) => {
    await page.evaluate(() => document.querySelector('h2[id]')?.scrollIntoView())
    await page.waitForFunction(() =>
      document.querySelector('.toc a[aria-current=true]')?.textContent?.startsWith('Second part'),
    )
  }))

test('a wide page shows its history in its sections, and centers text across its width', () =>
  visit('/wide', async (page) => {
    const { seen, gone, middle } = await page.evaluate(() => {
      const boxes = (of: string) => [...document.querySelectorAll(of)].map((one) => one.getBoundingClientRect())
      const heights = (of: string) => boxes(of).map(({ height }) => height)
      const centers = [...boxes('.prose'), ...boxes('.prose > [align=center]')].map(({ x, width }) => x + width / 2)
      return { seen: heights('.prose > .fold'), gone: heights('.prose > .rec'), middle: centers }
    })
    assert.ok(seen.length > 0 && seen.every((height) => height > 0))
    assert.ok(gone.length > 0 && gone.every((height) => height === 0))
    assert.is(middle[0], middle[1])
  }))

test('tabs, copy buttons, pictures, embeds and printing work for blocks', async () => {
  const shell = await (await fetch(url('/last'))).text()
  await visit(
    '/last',
    async (page) => {
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', {
          value: { writeText: async (text: string) => Object.assign(window, { copied: text }) },
        })
      })
      await page.focus('#one [role=tab]')
      await page.keyboard.press('ArrowRight')
      assert.is(await focused(page), 'BUTTON macOS')
      const shown = (): Promise<string[]> =>
        page.$$eval('.tab:not([hidden])', (panels) => panels.map((panel) => panel.lastElementChild?.textContent ?? ''))
      assert.equal(await shown(), ['brew install', 'log show'], 'groups with the same title change together')
      assert.is(await page.$eval('#one .tab[hidden]', (panel) => panel.getAttribute('hidden')), 'until-found')
      await page.click('[data-copy]')
      await page.waitForFunction(() => 'copied' in window)
      assert.is(await page.evaluate(() => (window as unknown as { copied: string }).copied), 'ls \\\n  -l\npwd\n')
      await page.click('a.zoom')
      await page.waitForSelector('dialog.picture[open] img[alt="A picture"]')
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.querySelector('dialog.picture') === null)
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      assert.equal([await page.$$eval('details:not([open])', (all) => all.length), (await shown()).length], [0, 4])
      await page.evaluate(() => dispatchEvent(new Event('afterprint')))
      assert.equal([await page.$$eval('details.more:not([open])', (all) => all.length), (await shown()).length], [1, 2])
      await page.click('a.poster')
      assert.is(await page.$eval('iframe', (frame) => frame.getAttribute('src')), 'https://frame.example.org/1')
      await page.reload({ waitUntil: 'load' })
      assert.equal(await shown(), ['brew install', 'log show'], 'the chosen title is remembered')
    },
    (page) => servingBlocks(page, shell.replace(/<div class="prose">/, `<div class="prose">${BLOCKS}`)),
  )
})

/** Serves a page with blocks instead of `/last`, and nothing from other hosts. */
async function servingBlocks(page: Page, body: string): Promise<void> {
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    const { pathname, host } = new URL(request.url())
    if (pathname.endsWith('/last')) return void request.respond({ contentType: 'text/html; charset=utf-8', body })
    if (pathname === '/picture.svg')
      return void request.respond({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>',
      })
    return void (host === new URL(origin).host ? request.continue() : request.respond({ status: 204 }))
  })
}

test('without script, a reader reaches every page, searches and sends feedback', () =>
  visit(
    '',
    async (page) => {
      const follow = async (selector: string): Promise<string> => {
        const before = page.url()
        await page.click(selector)
        while (page.url() === before) await sleep(20)
        await page.waitForSelector('h1')
        return page.$eval('h1', (title) => title.textContent?.trim() ?? '')
      }
      assert.is(await follow('.tree a[aria-expanded]'), 'Cluster')
      assert.is(await follow('.tree a[aria-expanded] + ul a'), 'Locks')
      assert.is(await follow('.pager .next'), 'Last')
      assert.is(await follow('.field[data-open-search]'), 'Search')
      await page.type('.search-form input[name=q]', 'provider')
      assert.is(await follow('.search-form button'), 'Search')
      assert.is(await follow('.results .hit'), 'Locks')
      assert.is(await follow('form[data-feedback] button'), 'Thank you for your feedback.')
      await page.type('textarea[name=comment]', 'Without script')
      assert.is(await follow('form.ending button'), 'Thank you for your feedback.')
      const { items } = (await here.admin.call('get', `${site.api}/feedback`).expect(200)).body
      assert.is(items[0].comment, 'Without script')
    },
    (page) => page.setJavaScriptEnabled(false),
  ))

test.run()
