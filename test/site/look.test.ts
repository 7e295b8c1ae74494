/** Tests the customization of sites: legible colors, fonts, icons, and the attributes of the document. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { defaultCustomization } from '../../src/domain/sites/customization-default.js'
import type { SiteCustomization } from '../../src/model/index.js'
import type { SharedAssets } from '../../src/site/assets.js'
import { loadAssets } from '../../src/site/assets.js'
import { type Look, lookAttributes } from '../../src/site/look/attributes.js'
import { CODE_THEMES, codeColors } from '../../src/site/look/code-themes.js'
import { fontHosts, fontsOf } from '../../src/site/look/fonts.js'
import { MONOSPACE_FONTS, SANS_FONTS } from '../../src/site/look/font-table.js'
import { symbolsFor } from '../../src/site/look/icons.js'
import { contrast, legible, ramp } from '../../src/site/look/ramp.js'
import { styleOf } from '../../src/site/look/site-style.js'
import { colorTokens } from '../../src/site/look/style.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'

const test = suite('site/look')
const assets: SharedAssets = loadAssets()

type Styling = SiteCustomization['styling']
const lookWith = (styling: Partial<Styling>, more: Partial<SiteCustomization> = {}): SiteCustomization => ({
  ...defaultCustomization,
  ...more,
  styling: { ...defaultCustomization.styling, ...styling },
})

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const status = fc.record({ info: color, success: color, warning: color, danger: color })
const PAPERS = ['paper', 'paper-2', 'paper-3']
const FAMILIES = ['accent', 'info', 'success', 'warning', 'danger']
const CODE = ['keyword', 'string', 'number', 'name', 'red', 'yellow']

/** Returns the pairs of tokens whose contrast is below the minimum. */
function illegible(tokens: Record<string, string>): string[] {
  const low: string[] = []
  const check = (name: string, grounds: readonly string[], bar: number): void => {
    for (const ground of grounds)
      if (contrast(tokens[name] as string, tokens[ground] as string) < bar)
        low.push(`${name} ${tokens[name]} on ${ground} ${tokens[ground]}`)
  }
  check('ink', PAPERS, 7)
  check('ink', ['accent-wash'], 4.5)
  for (const name of ['ink-2', 'ink-3', ...CODE.map((one) => `code-${one}`)]) check(name, PAPERS, 4.5)
  check('line-strong', PAPERS, 3)
  check('on-accent', ['accent-fill'], 4.5)
  for (const name of FAMILIES) {
    check(`${name}-text`, [...PAPERS, `${name}-wash`], 4.5)
    check(`${name}-line`, [...PAPERS, `${name}-wash`], 3)
  }
  return low
}

const SETS = runs(2_000, 10_000)

test(
  `text and controls are legible with ${SETS} random color sets in four themes`,
  () => {
    let drawn = 0
    fc.assert(
      fc.property(color, color, status, fc.boolean(), (primary, tint, picked, dark) => {
        drawn++
        const options = { dark, status: picked, match: drawn % 2 === 0, ...(drawn % 4 < 2 ? {} : { tint }) }
        assert.equal(illegible(ramp(primary, options)), [], JSON.stringify({ primary, options }))
      }),
      { numRuns: SETS },
    )
  },
  { timeoutMs: 240_000 },
)

test('links and controls are legible in a header of any color', () => {
  fc.assert(
    fc.property(color, color, (link, ground) => {
      assert.ok(contrast(legible(link, ground, 4.55), ground) >= 4.5, `${link} on ${ground}`)
    }),
    { numRuns: 2_000 },
  )
  const header = {
    preset: 'custom',
    links: [],
    backgroundColor: { light: '#777777', dark: '#102030' },
    linkColor: { light: '#888888', dark: '#203040' },
  } as SiteCustomization['header']
  const css = colorTokens(lookWith({}, { header }))
  assert.match(css, /--top-bg:light-dark\(#777777,#102030\)/)
  const [, light = '', dark = ''] = /--top-ink-2:light-dark\((#\w+),(#\w+)\)/.exec(css) ?? []
  assert.ok(contrast(light, '#777777') >= 4.5 && contrast(dark, '#102030') >= 4.5)
  assert.not.match(colorTokens(lookWith({})), /--top-bg/)
})

test('settings become attributes of the document, except default values', () => {
  assert.equal(lookAttributes(defaultCustomization), { 'data-depth': 'subtle' })
  const look = lookWith(
    {
      theme: 'muted',
      corners: 'circular',
      depth: 'flat',
      links: 'accent',
      icons: 'thin',
      search: 'subtle',
      sidebar: { background: 'filled', list: 'pill' },
    },
    { header: { preset: 'bold', links: [] }, themes: { default: 'dark', toggeable: false } },
  )
  assert.equal(lookAttributes(look), {
    'data-theme': 'muted',
    'data-corners': 'circular',
    'data-depth': 'flat',
    'data-links': 'accent',
    'data-icons': 'thin',
    'data-sidebar': 'filled',
    'data-list': 'pill',
    'data-search': 'subtle',
    'data-header': 'bold',
    'data-toggle': 'off',
    'data-scheme': 'dark',
  })
})

test("the site's theme applies until the reader chooses one, or else that of the system", () => {
  const scheme = (look: Look) => lookAttributes(look)['data-scheme']
  assert.is(scheme(defaultCustomization), undefined)
  for (const chosenTheme of ['light', 'dark'] as const)
    assert.is(scheme({ ...defaultCustomization, chosenTheme }), chosenTheme)
  for (const theme of ['light', 'dark'] as const)
    assert.is(scheme(lookWith({}, { themes: { default: theme, toggeable: false } })), theme)
})

test('syntax colors follow the code themes, and are legible on any site color', () => {
  const css = colorTokens(lookWith({ codeTheme: { light: 'github-light', dark: 'default-dark' } }))
  const [, light = '', dark = ''] = /--syntax-string:light-dark\((#\w+),(#\w+)\)/.exec(css) ?? []
  assert.is(light, '#032f62')
  assert.match(css, new RegExp(`--code-string:light-dark\\(#\\w+,${dark}\\)`))
  assert.not.match(colorTokens(lookWith({ codeTheme: { light: 'unknown', dark: 'toString' } })), /syntax/)
  fc.assert(
    fc.property(color, status, fc.boolean(), fc.constantFrom(...CODE_THEMES), (primary, picked, dark, theme) => {
      const code = codeColors(theme)
      assert.ok(code)
      const tokens = ramp(primary, { dark, status: picked, match: dark, code })
      for (const name of ['keyword', 'string', 'number', 'name'])
        for (const ground of [...PAPERS, 'accent-wash'])
          assert.ok(contrast(tokens[`syntax-${name}`] ?? '', tokens[ground] ?? '') >= 4.5, `${theme} ${name} ${ground}`)
    }),
    { numRuns: 1_000 },
  )
})

test('every font in the model loads only its own faces', async () => {
  const others = /^(?:Noto Sans (?:Arabic|Hebrew|Devanagari|Thai)|STIX Two Web)$/
  for (const font of Object.keys(SANS_FONTS) as Exclude<Styling['font'], object>[]) {
    const { css, preload } = await fontsOf(assets, lookWith({ font }))
    const { family } = SANS_FONTS[font] as { family: string }
    const families = new Set([...css.matchAll(/@font-face\{font-family:"([^"]+)"/g)].map(([, name = '']) => name))
    const own = [...families].filter((name) => !others.test(name)).sort()
    assert.equal(own, [family, `${family} Fallback`, 'IBM Plex Mono', 'IBM Plex Mono Fallback'].sort(), font)
    assert.is(preload.length, 2)
    for (const face of css.split('@font-face').filter((one) => one.includes('Fallback')))
      assert.match(face, /size-adjust|--sans/)
  }
  for (const monospaceFont of Object.keys(MONOSPACE_FONTS) as Exclude<Styling['monospaceFont'], object>[]) {
    const { css } = await fontsOf(assets, lookWith({ monospaceFont }))
    assert.match(css, `"${MONOSPACE_FONTS[monospaceFont]?.family} Fallback"`)
  }
})

test('pages in Arabic load the Arabic font first', async () => {
  const { preloadFor } = await fontsOf(assets, defaultCustomization)
  assert.match(
    preloadFor('ar-EG')
      .map(({ name }) => name)
      .join(),
    /noto-sans-arabic-arabic-400.*noto-sans-arabic-arabic-600/,
  )
  assert.equal(preloadFor('en'), [])
})

test('a custom font is in the content security policy, and cannot inject styles', async () => {
  const font = {
    id: 'own',
    custom: true,
    fontFamily: 'Own Face',
    fontFaces: [
      {
        weight: 400,
        sources: [
          { url: 'https://fonts.example.org:8443/a".woff2?x=1);}body{color:red', format: 'woff2' },
          { url: '/fonts/b.woff2', format: 'woff2' },
        ],
      },
    ],
  } as Styling['font']
  const look = lookWith({ font })
  assert.equal(fontHosts(look), ['https://fonts.example.org:8443'])
  assert.equal(fontHosts(defaultCustomization), [])
  const { css } = await fontsOf(assets, look)
  assert.match(
    css,
    /font-family:"Own Face";src:url\("https:\/\/fonts\.example\.org:8443\/a%22\.woff2\?x=1\);}body{color:red"\) format\("woff2"\)/,
  )
  assert.match(css, /--sans:"Own Face"/)
})

test('sites with the same styling share their style sheet', async () => {
  const first = await styleOf(assets, lookWith({}))
  assert.is(await styleOf(assets, lookWith({}, { title: 'Other' })), first)
  assert.is.not(await styleOf(assets, lookWith({ primaryColor: { light: '#aa0000', dark: '#aa0000' } })), first)
})

test('icons are found by their Font Awesome names, in five styles', async () => {
  const styles = ['regular', 'solid', 'duotone', 'light', 'thin'] as const
  const shapes = new Set<string>()
  for (const style of styles) shapes.add(await symbolsFor(assets, ['fa~gear'], style))
  assert.is(shapes.size, styles.length)
  // An older name, a name that only Font Awesome has, a brand, and an icon of the interface.
  const made = await symbolsFor(assets, ['fa~cog', 'fa~ankh', 'fa~github', 'info', 'fa~cog'], 'regular')
  assert.equal(
    [...made.matchAll(/<symbol id="([^"]+)" viewBox="([^"]+)"/g)].map(([, id, box]) => `${id} ${box}`),
    ['i-fa~cog 0 0 256 256', 'i-fa~ankh 0 0 320 512', 'i-fa~github 0 0 256 256', 'i-info 0 0 20 20'],
  )
  assert.not.match(made, /<!--|<script|xmlns/)
  const pro = await symbolsFor(assets, ['fa~gitbook-assistant', 'fa~globe-pointer', 'fa~globe'], 'regular')
  const [, nearest, globe] = pro
    .split('<symbol ')
    .slice(1)
    .map((one) => one.replace(/^id="[^"]*"/, ''))
  assert.is(nearest, globe)
})

test('icon names cannot escape the folder, and unknown icons are omitted', async () => {
  const names = [
    'fa~../../../package',
    'fa~..%2f',
    'fa~a/b',
    'fa~constructor',
    '__proto__',
    'fa~',
    `fa~${'a'.repeat(500)}`,
  ]
  assert.is(await symbolsFor(assets, names, 'regular'), '')
})

test.run()
