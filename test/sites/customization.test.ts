import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { faults, type MadeSite, makeSite } from './support.js'

let site: MadeSite
let path: string
const [test, here] = await suiteWith('sites: customization', startService)
test.before(async () => {
  site = await makeSite(here)
  path = `${site.base}/customization`
})

const get = async () => (await here.admin.call('get', path).expect(200)).body
const put = (body: unknown) => here.admin.call('put', path, body)
const themed = (value: string) => ({ light: value, dark: value })

test('a new site has all default members, and its customization can be sent back', async () => {
  const before = await get()
  const { styling, ...groups } = before
  assert.equal(groups, {
    favicon: {},
    socialAccounts: [],
    internationalization: { locale: 'en' },
    header: { preset: 'default', links: [] },
    footer: { groups: [] },
    themes: { default: 'light', toggeable: true },
    pdf: { enabled: true },
    feedback: { enabled: false },
    ai: { mode: 'none' },
    advancedCustomization: { enabled: false },
    git: { showEditLink: false },
    pageActions: { externalAI: false, markdown: true },
    externalLinks: { target: 'self' },
    pagination: { enabled: true },
    trademark: { enabled: true },
    privacyPolicy: {},
    socialPreview: {},
    insights: { trackingCookie: false },
  })
  const members =
    'background codeTheme corners dangerColor depth font icons infoColor links monospaceFont primaryColor search sidebar successColor theme warningColor'
  assert.is(Object.keys(styling).sort().join(' '), members)
  assert.match(styling.primaryColor.light, /^#[0-9a-f]{6}$/)
  assert.equal((await put(before).expect(200)).body, before)
  assert.equal(await get(), before)
})

test('every value of the contract is accepted, and so is any part of a group', async () => {
  const taken: [string, string, readonly string[]][] = [
    ['styling', 'theme', ['clean', 'muted', 'bold', 'gradient']],
    ['styling', 'corners', ['straight', 'rounded', 'circular']],
    ['styling', 'depth', ['subtle', 'flat']],
    ['styling', 'links', ['default', 'accent']],
    ['styling', 'background', ['plain', 'match']],
    ['styling', 'icons', ['regular', 'solid', 'duotone', 'light', 'thin']],
    ['styling', 'search', ['prominent', 'subtle']],
    ['internationalization', 'locale', ['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru']],
    ['header', 'preset', ['default', 'bold', 'contrast', 'custom', 'none']],
    ['announcement', 'style', ['info', 'warning', 'danger', 'success']],
    ['themes', 'default', ['light', 'dark']],
    ['ai', 'mode', ['none', 'search', 'assistant', 'integration']],
    ['externalLinks', 'target', ['self', 'blank']],
  ]
  for (const [group, member, values] of taken) {
    for (const value of values)
      assert.is((await put({ [group]: { [member]: value } }).expect(200)).body[group][member], value)
    await put({ [group]: { [member]: 'system' } }).expect(400)
  }
  assert.equal((await put({ announcement: { message: 'Soon' } }).expect(200)).body.announcement, {
    enabled: false,
    style: 'info',
    message: 'Soon',
  })
  await put({})
})

test('customization limits match the contract', async () => {
  const link = (title: string) => ({ header: { links: [{ title: 'More', to: null, links: [{ title, to: null }] }] } })
  const bounds: [(text: string) => object, number][] = [
    [(title) => ({ title }), 128],
    [(message) => ({ announcement: { message } }), 128],
    [(copyright) => ({ footer: { copyright } }), 300],
    [link, 64],
  ]
  for (const [body, most] of bounds) {
    await put(body('x'.repeat(most))).expect(200)
    await put(body('x'.repeat(most + 1))).expect(400)
  }
  await put({})
})

test('null removes a customization', async () => {
  const colour = themed('#000')
  const nothing = {
    title: null,
    favicon: null,
    styling: { tint: null },
    header: { logo: null, linkColor: null, backgroundColor: null },
    footer: { copyright: null },
    privacyPolicy: { url: null },
  }
  const { body } = await put(nothing).expect(200)
  assert.equal(
    [body.title, body.favicon, 'tint' in body.styling, Object.keys(body.header)],
    [undefined, {}, false, ['preset', 'links']],
  )
  const own = `${site.base}/site-spaces/${site.siteSpace}/customization`
  await put({ title: 'Docs', styling: { tint: { color: colour } }, header: { logo: themed('/logo.svg') } }).expect(200)
  await here.admin.call('put', own, { title: null, styling: { tint: null }, header: { logo: null } }).expect(200)
  await here.admin.call('post', `${site.base}/publish`).expect(200)
  const { customizations } = (await here.admin.call('get', `${site.base}/published`).expect(200)).body
  assert.equal(customizations.site.styling.tint, { color: colour })
  const shown = customizations.siteSpaces[site.siteSpace]
  assert.equal(
    [shown.title, 'tint' in shown.styling, Object.keys(shown.header)],
    [undefined, false, ['preset', 'links']],
  )
  await here.admin.call('delete', own).expect(204)
  await put({})
})

test('PUT resets every omitted customization to its default', async () => {
  const before = await get()
  const chosen = {
    title: 'Handbook',
    favicon: { emoji: '📘' },
    styling: { primaryColor: themed('#F00'), font: 'Lato', tint: { color: themed('#00ff00') } },
    header: {
      preset: 'bold',
      logo: themed('https://cdn.example.org/logo.svg'),
      links: [
        {
          title: 'Status',
          to: { kind: 'url', url: 'https://status.example.org' },
          style: 'button-primary',
          condition: 'visitor.claims.isBeta == true',
        },
        {
          title: 'More',
          to: null,
          links: [{ title: 'Start', to: { kind: 'page', page: site.page, space: site.space } }],
        },
      ],
    },
    footer: {
      copyright: '© Example',
      groups: [{ title: 'Legal', links: [{ title: 'Privacy', to: { kind: 'url', url: '/privacy' } }] }],
    },
    themes: { default: 'dark' },
    internationalization: { locale: 'de' },
    privacyPolicy: { url: 'https://example.org/privacy' },
    socialAccounts: [{ platform: 'github', handle: 'example' }],
  }
  const after = (await put(chosen).expect(200)).body
  assert.equal(after.styling, { ...before.styling, ...chosen.styling })
  assert.equal(after.header, {
    ...before.header,
    ...chosen.header,
    links: [
      { ...chosen.header.links[0], links: [] },
      { ...chosen.header.links[1], style: 'link' },
    ],
  })
  assert.equal(after.themes, { default: 'dark', toggeable: true })
  assert.equal([after.title, after.pdf], ['Handbook', before.pdf])
  assert.equal(await get(), after)
  await here.restart()
  assert.equal(await get(), after)
  assert.equal((await put({}).expect(200)).body, before)
})

const hostile: [why: string, body: object, at: string][] = [
  ['an unknown member', { script: 'x' }, '/script'],
  ['an unknown member of a group', { header: { html: '<script>' } }, '/header/html'],
  [
    'an unknown member of a link',
    { header: { links: [{ title: 'x', to: null, onclick: 'x' }] } },
    '/header/links/0/onclick',
  ],
  ['an invalid color', { styling: { primaryColor: themed('red') } }, '/styling/primaryColor/light'],
  [
    'style in a color',
    { styling: { tint: { color: themed('#fff;background:url(//x)') } } },
    '/styling/tint/color/light',
  ],
  [
    'style in the name of a font',
    { styling: { font: { fontFamily: "a'; } body { x", fontFaces: [] } } },
    '/styling/font/fontFamily',
  ],
  ['an unknown font', { styling: { font: 'Comic Sans' } }, '/styling/font'],
  ['a text for a boolean', { pdf: { enabled: 'true' } }, '/pdf/enabled'],
  ['an unknown language', { internationalization: { locale: 'tlh' } }, '/internationalization/locale'],
  [
    'javascript: in a header link',
    { header: { links: [{ title: 'x', to: { kind: 'url', url: 'javascript:alert(1)' } }] } },
    '/header/links/0/to/url',
  ],
  [
    'javascript: in a menu',
    {
      header: { links: [{ title: 'x', to: null, links: [{ title: 'y', to: { kind: 'url', url: 'javascript:1' } }] }] },
    },
    '/header/links/0/links/0/to/url',
  ],
  [
    'javascript: in the primary link',
    { header: { primaryLink: { title: 'x', to: { kind: 'url', url: 'javascript:1' } } } },
    '/header/primaryLink/to/url',
  ],
  [
    'javascript: in the footer',
    { footer: { groups: [{ title: 'x', links: [{ title: 'y', to: { kind: 'url', url: 'javascript:1' } }] }] } },
    '/footer/groups/0/links/0/to/url',
  ],
  [
    'javascript: in the announcement',
    { announcement: { link: { title: 'x', to: { kind: 'url', url: 'javascript:1' } } } },
    '/announcement/link/to/url',
  ],
  ['javascript: as privacy policy', { privacyPolicy: { url: 'javascript:alert(1)' } }, '/privacyPolicy/url'],
  ['data: as logo', { header: { logo: { light: '/logo.svg', dark: 'data:image/svg+xml,x' } } }, '/header/logo/dark'],
  ['data: as logo of the footer', { footer: { logo: { light: 'data:,', dark: '/x.svg' } } }, '/footer/logo/light'],
  [
    'another host as favicon',
    { favicon: { icon: { light: '//evil.example/x', dark: '/x.png' } } },
    '/favicon/icon/light',
  ],
  ['file: as preview', { socialPreview: { url: 'file:///etc/passwd' } }, '/socialPreview/url'],
  [
    'javascript: as a font',
    { styling: { font: { fontFamily: 'Mine', fontFaces: [{ weight: 400, sources: [{ url: 'javascript:1' }] }] } } },
    '/styling/font/fontFaces/0/sources/0/url',
  ],
  [
    'a condition that is none',
    { header: { links: [{ title: 'x', to: null, condition: 'visitor.claims.__proto__' }] } },
    '/header/links/0/condition',
  ],
  [
    'a space that is not there',
    { announcement: { link: { title: 'x', to: { kind: 'space', space: 'nowhere' } } } },
    '/announcement/link/to/space',
  ],
  [
    'a section of no site',
    { footer: { groups: [{ title: 'x', links: [{ title: 'y', to: { kind: 'site-section', siteSection: 'x' } }] }] } },
    '/footer/groups/0/links/0/to/siteSection',
  ],
  [
    'too many links',
    { header: { links: Array.from({ length: 51 }, () => ({ title: 'x', to: null })) } },
    '/header/links',
  ],
  [
    'an address that is too long',
    { privacyPolicy: { url: `https://example.org/${'x'.repeat(2048)}` } },
    '/privacyPolicy/url',
  ],
]
for (const [why, body, at] of hostile)
  test(`customization rejects ${why}`, async () => {
    const before = await get()
    const response = await put(body).expect(400)
    assert.ok(faults(response.body)[at], JSON.stringify(response.body))
    assert.equal(await get(), before)
  })

test('a custom font is accepted', async () => {
  const sources = [{ url: 'https://cdn.example.org/a.woff' }, { url: 'https://cdn.example.org/a' }]
  const font = { fontFamily: 'Größe Sans', fontFaces: [{ weight: 400, sources }] }
  const taken = (await put({ styling: { font } }).expect(200)).body.styling.font
  const formats = ['woff', 'woff2'].map((format, i) => ({ ...sources[i], format }))
  assert.equal(taken, {
    id: 'Größe-Sans',
    custom: true,
    fontFamily: 'Größe Sans',
    fontFaces: [{ weight: 400, sources: formats }],
  })
  assert.equal(
    (await put({ styling: { font: taken, monospaceFont: { ...taken, id: 'mine' } } }).expect(200)).body.styling.font,
    taken,
  )
  assert.is((await get()).styling.monospaceFont.id, 'mine')
})

test('readers see a customization, admins change it, and strangers get 404', async () => {
  for (const role of ['read', 'create'] as const) {
    const who = await here.caller(role)
    await who.call('get', path).expect(200)
    await who.call('put', path, {}).expect(403)
  }
  for (const who of [await here.caller(), await here.caller(null)]) {
    await who.call('get', path).expect(404)
    await who.call('put', path, {}).expect(404)
  }
})

test('one of two concurrent PUTs is stored completely', async () => {
  const bodies = Array.from({ length: 6 }, (_, i) => ({ title: `Title ${i}`, footer: { copyright: `Title ${i}` } }))
  for (const { status } of await Promise.all(bodies.map(put))) assert.is(status, 200)
  const after = await get()
  assert.is(after.title, after.footer.copyright)
})

test.run()
