import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'

const [test, here] = await suiteWith('sites: navigation', () => startService())

/** The navigation of a page. */
const treeOf = (html: string): string => /<nav class="tree".*?<\/nav>/s.exec(html)?.[0] ?? ''
const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => decodeURIComponent(href))
/** Text that does not compress well, because words repeat less than in a real title. */
const title = (n: number): string =>
  `${Math.imul(n + 1, 2654435761) >>> 0} ${Math.imul(n + 7, 40503) >>> 0} notes on part ${n}`
const COUNT = 10_000

test('the navigation for 10,000 pages on one level has at most 10 KB and links to all of them', async () => {
  const names = Array.from({ length: COUNT }, (_, n) => `page-${n}.md`)
  const desk = await openDesk(here, {
    'SUMMARY.md': `# Table of contents\n\n${names.map((name, n) => `* [${title(n)}](${name})`).join('\n')}\n`,
    ...Object.fromEntries(names.map((name, n) => [name, `Text ${n}.\n`])),
  })
  const site = await publishSite(here, [desk.space])
  const middle = treeOf((await site.get('/page-5000')).text)
  assert.ok(gzipSync(middle, { level: 9 }).length <= 10_000, `${gzipSync(middle).length} bytes`)
  const links = linksOf(middle)
  assert.ok(links.length > 60, `${links.length} links`)
  assert.ok(links.includes(`${site.base}/page-4999`) && links.includes(`${site.base}/page-5001`), 'neighbors')
  assert.match(middle, /aria-current="page"[^>]*>[^<]*part 5000</)
  // Without script, the links beyond the cuts reach the ends.
  const last = /<a class="cut" href="([^"]+)"[^>]*>(?:(?!<\/a>).)*More pages/s.exec(middle)?.[1] ?? ''
  const next = treeOf((await site.get(last.slice(site.base.length))).text)
  assert.match(next, new RegExp(`href="${last}" aria-current="page"`))
  const end = linksOf(treeOf((await site.get(`/page-${COUNT - 1}`)).text))
  assert.is(end.at(-1), `${site.base}/page-${COUNT - 1}`)
  const start = treeOf((await site.get('')).text)
  assert.not.match(start, /Earlier pages/)
  assert.match(start, /More pages/)
})

test('the navigation of a deep tree has at most 10 KB and shows the way to the page', async () => {
  const files: Record<string, string> = {}
  const lines: string[] = []
  let folder = ''
  for (let level = 0; level < 50; level++) {
    const indent = '  '.repeat(level)
    for (let n = 0; n < 100; n++) {
      files[`${folder}leaf-${n}.md`] = `Leaf ${n}.\n`
      if (n < 50) lines.push(`${indent}* [${title(level * 100 + n)}](${folder}leaf-${n}.md)`)
    }
    folder += `a-rather-long-name-of-level-${level}/`
    files[`${folder}README.md`] = `Level ${level}.\n`
    lines.push(`${indent}* [Level ${level}](${folder}README.md)`)
  }
  const desk = await openDesk(here, { 'SUMMARY.md': `# Table of contents\n\n${lines.join('\n')}\n`, ...files })
  const site = await publishSite(here, [desk.space])
  const path = `/${folder}leaf-0`.replace(/a-rather-long-name-of-level-49\/leaf-0$/, 'a-rather-long-name-of-level-49')
  const { status, text } = await site.get(path)
  assert.is(status, 200)
  const tree = treeOf(text)
  assert.ok(gzipSync(tree, { level: 9 }).length <= 10_000, `${gzipSync(tree).length} bytes`)
  assert.match(tree, />Level 49</)
  assert.match(tree, />Level 48</)
  assert.match(tree, /Earlier pages/)
  assert.ok(gzipSync(text, { level: 9 }).length <= 20_000, 'the whole page')
})

test('a closed branch loads its subpages as a fragment, and is a plain link without script', async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md':
      '* [Start](README.md)\n* [Closed](closed/README.md)\n  * [One](closed/one.md)\n  * [Two](closed/two.md)\n    * [Three](closed/three.md)\n  * [Secret](closed/secret.md)\n',
    'README.md': '# Start\n\nText.\n',
    'closed/README.md': '# Closed\n\nText.\n',
    'closed/one.md': '# One\n\nText.\n',
    'closed/two.md': '# Two\n\nText.\n',
    'closed/three.md': '# Three\n\nText.\n',
    'closed/secret.md': '---\nif: visitor.claims.never\n---\n\n# Secret\n\nText.\n',
  })
  const site = await publishSite(here, [desk.space])
  const tree = treeOf((await site.get('')).text)
  const id = await desk.id('closed')
  assert.match(tree, new RegExp(`<a href="${site.base}/closed" aria-expanded="false" data-nav="${id}">Closed`))
  assert.not.match(tree, />One</)
  const source = /data-nav-source="([^"]+)"/.exec(tree)?.[1] ?? ''
  const fragment = await site.get(`${source.slice(site.base.length)}${id}`)
  assert.is(fragment.status, 200)
  assert.match(fragment.text, /^<ul><li><a href="[^"]+\/closed\/one">One<\/a><\/li>/)
  assert.match(fragment.text, /data-nav="[^"]+">Two/)
  assert.not.match(fragment.text, /Three|Secret/)
  const secret = (await desk.byPath()).get('closed/secret')?.id as string
  const [hidden, absent] = [await site.get(`/~nav/${secret}`), await site.get('/~nav/aaaaaaaaaaaaaaaaaaaa')]
  assert.equal([hidden.status, absent.status], [404, 404])
  assert.is(hidden.text.length, absent.text.length)
})

test.run()
