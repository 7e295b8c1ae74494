/** Tests the comparison of two versions of a page: both can be read from it, and only changes are marked. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { append, type Inline } from '../../src/content/blocks/node.js'
import { parseDocument } from '../../src/content/blocks/parse.js'
import { type ComparedBlock, compareDocuments } from '../../src/content/compare/compare.js'
import { compareText } from '../../src/content/compare/words.js'
import { blockDigest } from '../../src/content/compare/digest.js'
import type { BlockNode } from '../../src/content/types.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { soup } from './blocks/soup.js'

const test = suite('comparison of two versions of a page')

type Side = 'before' | 'after'
const compare = (before: string, after: string) => compareDocuments(parseDocument(before), parseDocument(after))

/** Returns one version of a block that shows both. */
function read(node: BlockNode, side: Side): BlockNode {
  const { change, ...data } = node.data
  const kept = node.nodes.filter(
    (child) => child.object !== 'block' || child.data['change'] !== (side === 'after' ? 'removed' : 'added'),
  )
  if (kept.some((child) => child.object === 'block'))
    return { ...node, data, nodes: kept.map((child) => (child.object === 'block' ? read(child, side) : child)) }
  return { ...node, data, nodes: readText(kept as Inline[], side) }
}

function readText(nodes: readonly Inline[], side: Side, into: Inline[] = []): Inline[] {
  for (const node of nodes) {
    if (node.object === 'text')
      append(into, { ...node, leaves: node.leaves.map((leaf) => ({ ...leaf, marks: leaf.marks })) })
    else if (node.type === (side === 'after' ? 'inserted' : 'deleted')) readText(node.nodes, side, into)
    else if (node.type !== 'inserted' && node.type !== 'deleted') {
      const inner = readText(node.nodes, side)
      if (inner.length > 0 || node.nodes.length === 0) append(into, { ...node, nodes: inner })
    }
  }
  return into
}

const indexOf = (node: BlockNode): number => Number(node.key.slice(1))

function version(blocks: readonly ComparedBlock[], side: Side): string[] {
  const own = blocks.filter((block) => block[side])
  const sorted = side === 'after' ? own : own.sort((a, b) => indexOf(a.before!.node) - indexOf(b.before!.node))
  return sorted.map(({ shown }) => blockDigest(read(shown, side)))
}

const digests = (markdown: string): string[] => parseDocument(markdown).nodes.map(blockDigest)

/** Returns the marked texts of a block, in order: `-` removed, `+` added. */
function marks(node: { nodes: BlockNode['nodes'] }): string[] {
  return node.nodes.flatMap((child): string[] => {
    if (child.object === 'text') return []
    if (child.type === 'inserted' || child.type === 'deleted')
      return [(child.type === 'inserted' ? '+' : '-') + textIn(child.nodes)]
    return marks(child)
  })
}
const textIn = (nodes: readonly (BlockNode | Inline)[]): string =>
  nodes.map((one) => (one.object === 'text' ? one.leaves.map(({ text }) => text).join('') : textIn(one.nodes))).join('')

const changes = (before: string, after: string): string[] =>
  compare(before, after).map(({ change, shown }) => [change, ...marks(shown)].join(' '))

/** Pages with every kind of container, whose words are edited at random. */
const WORDS = ['stone', 'river', 'cloud', 'amber', 'maple', 'otter', 'quartz', '中文字', '3.8.0', "it's"]
const line = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 9 }).map((words) => words.join(' '))
const block = fc.oneof(
  line,
  line.map((text) => `## ${text}`),
  fc.array(line, { minLength: 1, maxLength: 4 }).map((items) => items.map((one) => `- ${one}`).join('\n')),
  fc.array(line, { minLength: 1, maxLength: 3 }).map((items) => items.map((one, at) => `${at + 1}. ${one}`).join('\n')),
  fc
    .array(fc.tuple(line, line), { minLength: 1, maxLength: 4 })
    .map((rows) => ['| a | b |', '| - | - |', ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join('\n')),
  line.map((text) => `{% hint style="info" %}\n${text}\n{% endhint %}`),
  fc.tuple(line, line).map(([a, b]) => `A [${a}](a.md) and **${b}** with \`${a}\``),
  fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => `\`\`\`js\n${lines.join('\n  ')}\n\`\`\``),
  line.map((text) => `> ${text}\n>\n> - ${text}`),
  fc.constantFrom('***', '![alt](pic.png)', '$$\nx^2\n$$', '<!-- note -->'),
)
const page = fc.array(block, { maxLength: 8 })
const joined = (blocks: readonly string[]): string => blocks.join('\n\n')

/** Two versions: blocks are dropped, moved and inserted, and words are replaced. */
const versions = fc
  .tuple(page, page, fc.array(fc.tuple(fc.nat(50), fc.constantFrom('drop', 'swap', 'insert', 'word', 'item'))))
  .map(([blocks, others, edits]) => {
    const next = [...blocks]
    for (const [at, edit] of edits) {
      const index = next.length === 0 ? 0 : at % next.length
      const own = next[index] ?? ''
      if (edit === 'drop') next.splice(index, 1)
      if (edit === 'swap') next.push(...next.splice(index, 1))
      if (edit === 'insert') next.splice(index, 0, others[at % Math.max(1, others.length)] ?? 'new block')
      if (edit === 'word') next[index] = own.replace(WORDS[at % WORDS.length] ?? '', 'changed')
      if (edit === 'item') next[index] = own.replace(/^(- .*)$/m, '$1\n- added item')
    }
    return [joined(blocks), joined(next)] as const
  })

test('both versions of a page can be read from the comparison', () => {
  const holds = ([before, after]: readonly [string, string]): void => {
    const blocks = compare(before, after)
    assert.equal(version(blocks, 'after'), digests(after))
    assert.equal(version(blocks, 'before'), digests(before))
  }
  fc.assert(fc.property(versions, holds), { numRuns: runs(133, 2_000) })
  fc.assert(
    fc.property(soup, soup, (before, after) => holds([before, after])),
    { numRuns: runs(100, 1_500) },
  )
})

test('a comparison without marked words finds the same changes', () => {
  const kinds = (blocks: readonly ComparedBlock[]) => blocks.map(({ change, before, after }) => [change, before, after])
  const holds = (before: string, after: string): void => {
    const [old, now] = [parseDocument(before), parseDocument(after)]
    assert.equal(kinds(compareDocuments(old, now, compareText)), kinds(compareDocuments(old, now)))
  }
  fc.assert(
    fc.property(versions, ([before, after]) => holds(before, after)),
    { numRuns: runs(100, 1_500) },
  )
  fc.assert(fc.property(soup, soup, holds), { numRuns: runs(100, 1_500) })
  holds('One <b>two</b> three four.', 'One <i>two</i> three four.')
  holds('One **two** three.', 'One two  three.')
})

test('a page that did not change has no marks', () => {
  fc.assert(
    fc.property(fc.oneof(soup, page.map(joined)), (markdown) => {
      for (const { change, shown } of compare(markdown, markdown))
        assert.equal([change, ...marks(shown)], ['unchanged'])
    }),
    { numRuns: runs(100, 1_500) },
  )
})

test('no marked change starts or ends with a word that is unchanged', () => {
  const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}.']+/gu) ?? []
  fc.assert(
    fc.property(versions, ([before, after]) => {
      for (const { change, shown } of compare(before, after)) {
        if (change !== 'changed') continue
        const found = marks(shown)
        for (const [at, text] of found.entries()) {
          const next = found[at + 1] ?? ''
          if (!text.startsWith('-') || !next.startsWith('+') || text.includes('stone stone')) continue
          const [old, now] = [wordsOf(text.slice(1)), wordsOf(next.slice(1))]
          if (old.length > 0 && now.length > 0) assert.is.not(old.join(' '), now.join(' '))
        }
      }
    }),
    { numRuns: runs(100, 1_500) },
  )
})

test('changed words, cells, list items and lines of code are marked separately', () => {
  assert.equal(changes('One two three.', 'One 2 three.'), ['changed -two +2'])
  assert.equal(changes('The old name is long', 'The new title is long'), ['changed -old name +new title'])
  assert.equal(changes('- a item\n- b item', '- a item\n- x item'), ['changed -b +x'])
  assert.equal(changes('- first item\n- second item', '- first item\n- brand new thing\n- second item'), [
    'changed +brand new thing',
  ])
  const table = (cell: string) => `| a | b |\n| - | - |\n| 1 | ${cell} |\n| 3 | 4 |`
  assert.equal(changes(table('2'), table('20')), ['changed -2 +20'])
  assert.equal(changes(table('2'), `${table('2')}\n| 5 | 6 |`), ['changed +5 +6'])
  assert.equal(changes('```sh\npull x:latest\n```', '```sh\npull x:3.8.0\n```'), ['changed -latest +3.8.0'])
  assert.equal(changes('```sh\na\n  b\n```', '```sh\na\n    b\n```'), ['changed -   +    '])
})

test('links, marks, options and pictures that change are marked', () => {
  assert.equal(changes('See [the page](a.md) now', 'See [the page](b.md) now'), ['changed -the page +the page'])
  assert.equal(changes('See the page now', 'See **the** page now'), ['changed -the +the'])
  assert.equal(changes('See ![x](a.png) in it', 'See ![x](b.png) in it'), ['changed - +'])
  const hint = (style: string) => `{% hint style="${style}" %}\nRead this\n{% endhint %}`
  assert.equal(changes(hint('info'), hint('danger')), ['removed', 'added'])
  assert.equal(changes('- [ ] do it', '- [x] do it'), ['changed -do it +do it'])
  assert.equal(changes('| a |\n| - |\n| 1 |', '| a |\n| :-: |\n| 1 |'), ['removed', 'added'])
})

test('a different source with the same rendering has no marks', () => {
  assert.equal(changes('- one\n- two', '* one\n* two'), ['unchanged'])
  assert.equal(changes('one two\nthree', 'one\ntwo three'), ['unchanged'])
})

test('added, removed and moved blocks are marked as a whole', () => {
  const [a, b, c] = ['The first of the blocks.', 'Another text is here.', 'Third one, at the end.']
  assert.equal(changes(joined([a, b]), joined([a, c, b])), ['unchanged', 'added', 'unchanged'])
  assert.equal(changes(joined([a, c, b]), joined([a, b])), ['unchanged', 'removed', 'unchanged'])
  assert.equal(changes(joined([a, b, c]), joined([c, a, b])), ['moved', 'unchanged', 'unchanged'])
  assert.equal(changes(a, 'Nothing in common, really different.'), ['removed', 'added'])
})

test.run()
