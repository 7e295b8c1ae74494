/** Tests pages of sites with axe, in Chromium. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { entry, operation, put } from '../openapi/fixture.js'
import type { Files } from '../support/bare-repository.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openChromium } from './chromium.js'
import { publishSite } from './published.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const fixture = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="280"/>'
const wide = `| ${Array.from({ length: 12 }, (_, n) => `Column ${n}`).join(' | ')} |\n|${' --- |'.repeat(12)}\n|${' A longer value |'.repeat(12)}\n`
const long = Array.from(
  { length: 60 },
  (_, n) => `await step(${n}, { title: 'A line that does not fit into the column', retries: ${n} })`,
)
/** A page in one of its versions, which differ in a text, in code and in a wide table. */
const changed = (text: string, code: string): string =>
  `# Changed\n\nFirst.\n\n## One\n\n${text}\n\n\`\`\`sh\n${code}\n\`\`\`\n\n## Two\n\n${wide.replace('A longer', text)}`
const pages: Files = {
  'changed.md': changed('First edition.', 'one'),
  'blocks.md': fixture('every-block.md'),
  'code.md': `# Code\n\n\`\`\`typescript {3} title="steps.ts"\n${long.join('\n')}\n\`\`\`\n\n{% code title="a.ts" lineNumbers="true" overflow="wrap" %}\n\`\`\`ts\n${long[0]}\n\`\`\`\n{% endcode %}\n`,
  'tables.md': `# Tables\n\n${wide}`,
  'page.md':
    '---\ndescription: What the probes mean\nicon: rocket\ncover: light.svg\n---\n\n# Health checks\n\n## One\n\nText.\n',
  'parent/README.md': '# Parent\n',
  'parent/one.md': '# One\n\nText.\n',
  'values-production.yaml': 'a: 1\n',
  'light.svg': SVG,
  'dark.svg': SVG,
  'small.svg': SVG,
}
const SUMMARY = `* [Blocks](blocks.md)\n* [Code](code.md)\n* [Tables](tables.md)\n* [Page](page.md)\n* [Changed](changed.md)\n\n## Group\n\n* [Parent](parent/README.md)\n  * [One](parent/one.md)\n${entry('flows')}`

const call = operation('Run a flow', ['Flows'], {
  description: 'Starts a flow.',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'Which flow' },
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50, default: 10 } },
  ],
  requestBody: {
    content: {
      'application/json': {
        schema: { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
      },
    },
  },
})

const [test, context] = await suiteWith('site/axe', async () => {
  const here = await startService()
  await put(here, 'flows', { '/flows/{id}': { post: call, delete: { ...call, deprecated: true } } })
  const main = await openDesk(here, {
    'SUMMARY.md': `* [Home](README.md)\n${SUMMARY}`,
    'README.md': '# Home\n\nHello.\n',
    ...pages,
  })
  const now = Math.floor(Date.now() / 1000)
  for (const [days, code] of [
    [1, 'two'],
    [90, 'two'],
  ] as const)
    await main.human({ 'changed.md': changed(`Edition of day ${days}.`, code) }, { seconds: now + days * 86_400 })
  const arabic = await openDesk(here, {
    'SUMMARY.md': '* [Home](README.md)\n',
    'README.md': fixture('other-scripts.md'),
    'page.md': '# الصفحة\n',
  })
  const japanese = await openDesk(here, {
    'SUMMARY.md': '* [ホーム](README.md)\n',
    'README.md': '# ホーム\n\n## 概要\n\n*慎重に*デプロイします。\n',
  })
  const many = await openDesk(here, {
    'SUMMARY.md': Array.from({ length: 300 }, (_, n) => `* [Page ${n}](p${n}.md)`).join('\n'),
    ...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}.md`, `# Page ${n}\n\nText.\n`])),
  })
  for (const [desk, language] of [
    [arabic, 'ar'],
    [japanese, 'ja'],
  ] as const)
    await here.admin.call('patch', desk.url, { language, title: language }).expect(200)
  const to = { kind: 'url', url: 'https://example.org/' }
  const site = await publishSite(here, [main.space, arabic.space, japanese.space], {
    feedback: { enabled: true },
    pdf: { enabled: true },
    announcement: { enabled: true, style: 'warning', message: 'Version 4 is out.', link: { title: 'Read more', to } },
    header: {
      links: [
        { title: 'Community', to },
        { title: 'More', to: null, links: [{ title: 'Blog', to }] },
      ],
      primaryLink: { title: 'Try it', to },
    },
    footer: { copyright: '© Example', groups: [{ title: 'Product', links: [{ title: 'Status', to }] }] },
    socialAccounts: [{ platform: 'github', handle: 'example', display: { footer: true, header: true } }],
  })
  const section = { spaceId: many.space, title: 'Reference' }
  const { id } = (await here.admin.call('post', `${site.api}/sections`, section).expect(201)).body
  await here.admin.call('post', `${site.api}/section-groups`, { title: 'More', sections: [id] }).expect(201)
  const browser = await openChromium(here)
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, main, site, browser, close }
})
const { here, main, site, browser } = context
const origin = here.service.sites

interface Kind {
  path: string
  width?: number
  scheme?: 'dark'
  media?: 'print'
  forced?: true
  before?: (page: Page) => Promise<unknown>
}

/** Opens a page and returns the findings of axe, as lines. */
async function findings({ path, width = 1440, scheme, media, forced, before }: Kind): Promise<string[]> {
  const page = await browser.newPage()
  try {
    await page.setViewport({ width, height: 900 })
    const features = [
      { name: 'prefers-color-scheme', value: scheme ?? 'light' },
      { name: 'forced-colors', value: forced ? 'active' : 'none' },
    ]
    const protocol = await page.createCDPSession()
    await protocol.send('Emulation.setEmulatedMedia', { media: media ?? 'screen', features })
    const address = path.startsWith('http')
      ? path
      : `${origin}${path.startsWith('//') ? path.slice(1) : site.base + path}`
    await page.goto(address, { waitUntil: 'load' })
    await before?.(page)
    await page.evaluate(axe)
    return (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + failureSummary))
    )`)) as string[]
  } finally {
    await page.close()
  }
}

const clickOn = (selector: string) => (page: Page) => page.click(selector)
const search = async (page: Page): Promise<void> => {
  await page.evaluate(() => document.querySelector<HTMLElement>('[data-open-search]')?.click())
  await page.waitForSelector('dialog.finder[open]')
  await page.type('dialog.finder input[name=q]', 'flow')
  await page.waitForSelector('dialog.finder .hit')
}
const operations = async (): Promise<string[]> =>
  [...(await main.byPath()).keys()].filter((path) => path.includes('flows'))

const kinds: Readonly<Record<string, Kind>> = {
  'an article': { path: '' },
  'all blocks': { path: '/blocks' },
  'all blocks in the dark': { path: '/blocks', scheme: 'dark' },
  'all blocks on a phone': { path: '/blocks', width: 390 },
  'all blocks in print': { path: '/blocks', media: 'print' },
  'all blocks in forced colors': { path: '/blocks', forced: true },
  'all blocks at 320 px': { path: '/blocks', width: 320 },
  'long code': { path: '/code' },
  'a wide table': { path: '/tables', width: 834 },
  'a cover and an icon': { path: '/page' },
  'a history': { path: '/changed', before: clickOn('.rec summary') },
  'a history in the dark': { path: '/changed', scheme: 'dark', width: 834 },
  'a history on a phone': { path: '/changed', width: 390, before: clickOn('.fold summary') },
  'a history in forced colors': { path: '/changed', forced: true },
  'a page of subpages': { path: '/group/parent' },
  'a subpage': { path: '/group/parent/one' },
  'a page of 300': { path: '/reference/p150' },
  'a right-to-left page': { path: '/ar' },
  'a right-to-left page on a phone, in the dark': { path: '/ar', width: 390, scheme: 'dark' },
  'a Japanese page': { path: '/ja' },
  'a missing page': { path: '/flow' },
  'results of a search': { path: '/~search?q=flow' },
  'results of a search in the dark': { path: '/~search?q=flow', scheme: 'dark', width: 390 },
  'no results': { path: '/~search?q=zzzzzz' },
  'the search dialog': { path: '', before: search },
  'the search dialog on a phone': { path: '', width: 390, before: search },
  'the menu on a phone': { path: '', width: 390, before: clickOn('[popovertarget="ui~tree"]') },
  'the menu of the theme': { path: '', before: clickOn('[popovertarget="ui~theme"]') },
  'the menu of a header link': { path: '', before: clickOn('.top [popovertarget]') },
  'the menu of a section group': { path: '', before: clickOn('.sections [popovertarget]') },
  'the variants': { path: '', before: clickOn('.switch') },
  'the actions of a page': { path: '', before: clickOn('.record [popovertarget]') },
  'the sign-in of a share link': { path: '/~share/unknown/page' },
}

for (const [name, kind] of Object.entries(kinds))
  test(`axe finds nothing on ${name}`, async () => assert.equal(await findings(kind), []))

test('axe finds nothing on operations of an API', async () => {
  const paths = await operations()
  assert.ok(paths.length > 0)
  for (const path of paths) assert.equal(await findings({ path: `/${path}` }), [], path)
  assert.equal(await findings({ path: `/${paths.at(-1)}`, scheme: 'dark', width: 390 }), [])
})

test('axe finds nothing in a preview, and after feedback without script', async () => {
  const { urls } = (await here.admin.call('get', site.api).expect(200)).body
  assert.equal(await findings({ path: `${urls.preview}/blocks` }), [])
  const send = async (page: Page): Promise<void> => {
    await page.setJavaScriptEnabled(false)
    await page.reload()
    await Promise.all([page.waitForNavigation(), page.click('form[data-feedback] button')])
    await page.setJavaScriptEnabled(true)
  }
  assert.equal(await findings({ path: '/page', before: send }), [])
})

const COLORS = { yellow: '#ffd400', red: '#8f1d3f', gray: '#808080' }
const styles = [
  {
    theme: 'muted',
    corners: 'straight',
    sidebar: { background: 'filled', list: 'line' },
    search: 'subtle',
    header: 'contrast',
  },
  {
    theme: 'bold',
    corners: 'circular',
    sidebar: { background: 'default', list: 'pill' },
    links: 'accent',
    header: 'bold',
  },
  { theme: 'gradient', depth: 'flat', background: 'match', icons: 'duotone', header: 'custom' },
]
test('axe finds nothing with other themes, headers and colors, light and dark', async () => {
  for (const [n, color] of Object.values(COLORS).entries()) {
    const { header, ...styling } = styles[n] as (typeof styles)[number]
    const both = { light: color, dark: color }
    const custom =
      header === 'custom' ? { backgroundColor: both, linkColor: { light: '#777777', dark: '#888888' } } : {}
    await here.admin
      .call('put', `${site.api}/customization`, {
        styling: { ...styling, primaryColor: both },
        header: {
          preset: header,
          ...custom,
          links: [{ title: 'Blog', to: { kind: 'url', url: 'https://example.org/' } }],
        },
      })
      .expect(200)
    assert.equal(await findings({ path: '/blocks' }), [], color)
    assert.equal(await findings({ path: '', scheme: 'dark' }), [], color)
  }
})

test.run()
