/** Tests versions of a site, and the icons and covers that a team chose for its pages and sections. */
import * as assert from 'uvu/assert'
import { latestVersions } from '../../src/site/versions.js'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type PublishedSite, publishSite } from './published.js'

const [test, here] = await suiteWith('site/versions', startService)

const files = (more: Record<string, string> = {}): Record<string, string> => ({
  'SUMMARY.md':
    '* [Home](README.md)\n* [Install](install/README.md)\n  * [Linux](install/linux.md)\n* [Only here](only.md)\n',
  'README.md': '---\nicon: rocket\n---\n\n# Home\n\nText.\n',
  'install/README.md': '---\nicon: fa-gear\ncover: cover.png\ncoverY: -200\n---\n\n# Install\n\nText.\n',
  'install/linux.md': '---\nicon: linux\n---\n\n# Linux\n\nText.\n',
  'only.md': '---\nicon: "x\\" onload=\\"y"\n---\n\n# Only here\n\nText.\n',
  'install/cover.png': 'not a picture',
  ...more,
})

async function space(title: string, more?: Record<string, string>): Promise<string> {
  const { space, url } = await openDesk(here, files(more))
  await here.admin.call('patch', url, { title, language: 'en' }).expect(200)
  return space
}

let site: PublishedSite
test.before(async () => {
  const { 'only.md': _only, ...without } = files()
  const two = await openDesk(here, without)
  await here.admin.call('patch', two.url, { title: 'v2.0', language: 'en' }).expect(200)
  site = await publishSite(here, [two.space, await space('v1.9'), await space('v3 beta'), await space('Handbook')])
})

/** Returns the path of a variant by its title. */
async function baseOf(title: string): Promise<string> {
  const { text } = await site.get('')
  const menu = /<div class="menu" id="ui~variant".*?<\/div>/s.exec(text)?.[0] ?? ''
  const href = new RegExp(`<a href="([^"]*)"[^>]*><span>${title}`).exec(menu)?.[1] ?? ''
  return href.slice(site.base.length)
}

test('the latest and the old versions are marked, and others are not', async () => {
  const { text } = await site.get('')
  const menu = /<div class="menu" id="ui~variant".*?<\/div>/s.exec(text)?.[0] ?? ''
  const tags = [...menu.matchAll(/<span>([^<]*)<\/span>(?:<span class="tag (\w+)">(\w+))?/g)].map(([, ...one]) => one)
  assert.equal(tags, [
    ['v2.0', 'plain', 'Latest'],
    ['v1.9', 'warning', 'Old'],
    ['v3 beta', undefined, undefined],
    ['Handbook', undefined, undefined],
  ])
  assert.not.match(text, 'old-version')
})

test('a page of an old version links to the latest one, which is its canonical address', async () => {
  const old = await baseOf('v1.9')
  const install = (await site.get(`${old}/install`)).text
  assert.match(install, new RegExp(`<link rel="canonical" href="[^"]*${site.base}/install"`))
  assert.match(install, new RegExp(`old version\\. <a href="${site.base}/install">Open the latest version</a>`))
  const only = (await site.get(`${old}/only`)).text
  assert.match(only, new RegExp(`<link rel="canonical" href="[^"]*${old}/only"`))
  assert.match(only, new RegExp(`<a href="${site.base}">Open the latest version</a>`))
})

test('versions are compared by number, within one language', () => {
  const of = (titles: string[], lang?: string, first = 0) =>
    titles.map((title, at) => ({ id: title, title, lang, isDefault: at === first }))
  const old = (...lists: ReturnType<typeof of>[]): string[] =>
    [...latestVersions(lists.flat())].filter(([, { isOld }]) => isOld).map(([id]) => id)
  assert.equal(old(of(['1.10', '1.9', '1.x', '2.0'])), ['1.9'])
  assert.equal(old(of(['Version 2', 'Version 1'])), ['Version 1'])
  assert.equal(old(of(['Part 2', 'Part 1'])), [])
  assert.equal(old(of(['Cloud', 'v1'])), [])
  assert.equal(old(of(['v2', 'v1'], 'en'), of(['v2 fr', 'v1 fr'], 'fr', -1)), ['v1', 'v1 fr'])
})

test('icons of pages are in the navigation, also in parts that are loaded', async () => {
  const { text } = await site.get('')
  const tree = /<nav class="tree".*?<\/nav>/s.exec(text)?.[0] ?? ''
  assert.match(tree, /<a href="[^"]*"[^>]*><svg class="i"[^>]*><use href="#i-fa~rocket"><\/use><\/svg>Home/)
  assert.match(text, '<symbol id="i-fa~gear"')
  assert.not.match(text, 'onload')
  const source = /data-nav-source="([^"]+)"/.exec(tree)?.[1] ?? ''
  const id = /data-nav="([^"]+)"/.exec(tree)?.[1] ?? ''
  const part = (await site.get(source.slice(site.base.length) + id)).text
  assert.match(part, /<use href="#i-fa~linux"><\/use><\/svg>Linux.*<\/ul><svg hidden><symbol id="i-fa~linux"/)
})

test('icons of sections are in the tabs', async () => {
  const other = await space('More')
  const section = { spaceId: other, title: 'API', icon: 'code' }
  const { body } = await here.admin.call('post', `${site.api}/sections`, section)
  assert.ok(body.id, JSON.stringify(body))
  const { text } = await site.get('')
  assert.match(text, /<use href="#i-fa~code"><\/use><\/svg>API/)
})

test('coverY sets the visible part of a cover', async () => {
  assert.match((await site.get('/install')).text, /<div class="page-cover y4">/)
})

test.run()
