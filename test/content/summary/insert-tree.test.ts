import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type EntryTree, insertEntries } from '../../../src/content/summary/edit.js'
import { suite } from '../../support/suite.js'
import { at, type Model, modelOf, paths, summaryText } from './model.js'

const test = suite('content: trees of entries in SUMMARY.md')

const tree: readonly EntryTree[] = [
  {
    title: 'New 1',
    href: 'new-1.md',
    children: [{ title: 'New 2', href: 'a b/new (2).md', children: [{ title: 'New 3', href: null, children: [] }] }],
  },
  { title: 'New 4', href: 'new-4.md', children: [{ title: 'New 5', href: 'new-5.md', children: [] }] },
]
const modelOfTree = (entries: readonly EntryTree[]): Model[] =>
  entries.map(({ title, href, children }) => ({ type: 'entry', title, href, children: modelOfTree(children) }))

/** The model without the new nodes. */
const without = (nodes: readonly Model[]): Model[] =>
  nodes.filter(({ title }) => !/^New \d$/.test(title)).map((node) => ({ ...node, children: without(node.children) }))
const decoded = (nodes: readonly Model[]): Model[] =>
  nodes.map((node) => ({
    ...node,
    href: node.href?.replace(/%20/g, ' ').replace(/%28/g, '(').replace(/%29/g, ')') ?? null,
    children: decoded(node.children),
  }))

test('a whole tree is written below its parent in the style of the file', () => {
  assert.is(
    insertEntries('# T\n\n- [a](a.md)\n    - [b](b.md)\n', { entries: tree, parent: [0] }),
    '# T\n\n- [a](a.md)\n    - [b](b.md)\n    - [New 1](new-1.md)\n      - [New 2](<a b/new (2).md>)\n        - New 3\n    - [New 4](new-4.md)\n      - [New 5](new-5.md)\n',
  )
  assert.is(insertEntries('', { entries: tree.slice(1), parent: null }), '* [New 4](new-4.md)\n  * [New 5](new-5.md)\n')
  assert.is(
    insertEntries('*\t[a](a.md)\n', { entries: tree.slice(1), parent: null }),
    '*\t[a](a.md)\n*\t[New 4](new-4.md)\n    *\t[New 5](new-5.md)\n',
  )
  let inserted = 0
  fc.assert(
    fc.property(summaryText, fc.nat(), (text, pick) => {
      const before = modelOf(text)
      const parents = [null, ...paths(before)]
      const parent = parents[pick % parents.length] ?? null
      let done: string
      try {
        done = insertEntries(text, { entries: tree, parent })
      } catch (error) {
        if (error instanceof RangeError) return
        throw error
      }
      inserted++
      const after = modelOf(done)
      assert.equal(without(after), before, text)
      const siblings = parent ? at(after, parent).children : after
      assert.equal(
        decoded(siblings.filter(({ title }) => /^New \d$/.test(title))),
        modelOfTree(tree),
        `${JSON.stringify(text)}\n${JSON.stringify(done)}`,
      )
      for (const line of text.split(/\r?\n/)) assert.ok(done.includes(line))
    }),
    { numRuns: 500 },
  )
  assert.ok(inserted > 300)
})

test('a tree that would be nested too deeply is rejected', () => {
  const deep = Array.from({ length: 70 }).reduce<EntryTree>(
    (child, _, n) => ({ title: `${n}`, href: null, children: [child] }),
    {
      title: 'x',
      href: null,
      children: [],
    },
  )
  assert.throws(() => insertEntries('', { entries: [deep], parent: null }), /nested more than/)
})

test.run()
