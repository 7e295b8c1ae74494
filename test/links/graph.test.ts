/** Tests the links of a revision without a service: their resolution, and the cost of hostile pages. */
import * as assert from 'uvu/assert'
import { findReferences } from '../../src/content/find-references.js'
import { idOf } from '../../src/content/identity.js'
import { checkAnchors, filesWithAnchors } from '../../src/content/links/check-anchors.js'
import { linkKey } from '../../src/content/links/link.js'
import { buildGraph } from '../../src/content/links/link-graph.js'
import { outwardLinks } from '../../src/content/links/outward-links.js'
import { anchorFinder } from '../../src/content/outline/find-anchor.js'
import { readStructure } from '../../src/content/structure.js'
import { inPlace } from '../../src/content/work/direct.js'
import { Submodules } from '../../src/content/submodules.js'
import { atOnce } from '../../src/kernel/slices.js'
import { memoryTree } from '../support/memory-tree.js'
import { suite } from '../support/suite.js'

const test = suite('graph of links')

/** The graph of some files. Anchors exist per file. */
async function graphOf(files: Record<string, string>, anchors: Record<string, string[]> = {}) {
  const structure = await readStructure(memoryTree(files), idOf(new Map()), inPlace)
  const known = new Map(
    Object.entries(files).map(([path, text]) => [path, { references: findReferences(text), attributes: {} }]),
  )
  const reusable = new Map(structure.reusableContents.map(({ gitPath, id }) => [gitPath, id]))
  const graph = atOnce(
    buildGraph(
      { structure, reusable, submodules: new Submodules([]), folded: new Map(), exists: (path) => path in files },
      known,
    ),
  )
  const finders = Object.entries(anchors).map(
    ([path, all]) => [path, anchorFinder({ headings: [], anchors: all })] as const,
  )
  const looked = filesWithAnchors(graph)
  atOnce(checkAnchors(graph, new Map(finders)))
  return { graph, structure, known, looked }
}

test('content that includes itself is scanned once', async () => {
  const files: Record<string, string> = {
    'SUMMARY.md': '* [A](a.md)\n',
    'a.md': '[x](a.md#deep)\n\n{% include ".gitbook/includes/0.md" %}\n',
  }
  for (let n = 0; n < 10; n++)
    files[`.gitbook/includes/${n}.md`] = `{% include "${n + 1}.md" %}\n\n{% include "0.md" %}\n`
  files['.gitbook/includes/10.md'] = '# Deep\n'
  const anchors = Object.fromEntries(
    Object.keys(files).map((path) => [path, path.endsWith('/10.md') ? ['deep'] : ['other']]),
  )
  const { graph, looked } = await graphOf(files, anchors)
  assert.ok(looked.size < Object.keys(files).length)
  assert.is(graph.links.length > 20, true)
})

test('an anchor in an unreadable file is not reported as broken', async () => {
  const { graph } = await graphOf({ 'SUMMARY.md': '* [A](a.md)\n', 'a.md': '[x](#y) [z](#w)\n' }, {})
  assert.equal(
    graph.links.map(({ problem, to }) => [problem, to && 'anchor' in to ? to.anchor : null]),
    [
      [null, 'w'],
      [null, 'y'],
    ],
  )
})

test('links have unique keys of any length and are ordered by them', async () => {
  const long = 'x'.repeat(5_000)
  const { graph } = await graphOf({
    'SUMMARY.md': '* [A](a.md)\n* [B](b.md)\n',
    'a.md': `[1](${long}1.md) [2](${long}2.md) [3](b.md)\n`,
    'b.md': '[a](a.md)\n',
  })
  const keys = graph.links.map(linkKey)
  assert.is(new Set(keys).size, keys.length)
  for (const key of keys) assert.ok(key.length < 250)
  for (const { target } of graph.links) assert.ok(target.length <= 2_048)
  assert.equal(keys.slice(0, -1), keys.slice(0, -1).sort())
})

test('the cost of anchors grows with links plus headings, not with their product', async () => {
  const anchors = Array.from({ length: 2_000 }, (_, n) => `heading-${n}`)
  const make = async (links: number): Promise<number> => {
    const text = Array.from({ length: links }, (_, n) => `[x](b.md#missing-${n})`).join('\n\n')
    const files = { 'SUMMARY.md': '* [A](a.md)\n* [B](b.md)\n', 'a.md': text, 'b.md': '# B\n' }
    const before = process.cpuUsage()
    const { graph } = await graphOf(files, { 'b.md': anchors })
    assert.is(graph.links.filter(({ problem }) => problem === 'anchor').length, links)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await make(500)
  const [few, many] = [await make(1_000), await make(10_000)]
  assert.ok(many < 40 * few + 200_000, `${few} and ${many} µs of processor time`)
})

test('addresses are grouped by origin, and those of one page are resolved once', async () => {
  const { structure, known } = await graphOf({
    'SUMMARY.md': '* [A](a.md)\n* [Site](https://Docs.example.org/x)\n',
    'a.md':
      '[1](HTTPS://docs.example.org/a) [1](HTTPS://docs.example.org/a) <https://other.example/> www.bare.example [s](/spaces/abc/x) [rel](b.md) [v](https://docs.example.org/{{ x }})\n',
  })
  const found = atOnce(outwardLinks(structure, known))
  assert.equal(
    [...found].map(([origin, links]) => [origin, links.map(({ target }) => target)]),
    [
      ['https://docs.example.org', ['https://Docs.example.org/x', 'HTTPS://docs.example.org/a']],
      ['https://other.example', ['https://other.example/']],
      ['http://www.bare.example', ['http://www.bare.example']],
      ['', ['/spaces/abc/x']],
    ],
  )
})

test.run()
