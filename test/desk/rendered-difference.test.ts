/**
 * The difference of two versions of a page, as HTML: what a reader sees as inserted and deleted is what was inserted and
 * deleted, word by word. All words of a page differ, so a model knows which ones an edit touches.
 */
import type { Element, Nodes } from 'hast'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { renderChanges } from '../../src/render/changes.js'
import { tableTargets } from '../../src/render/targets.js'
import type { RenderOptions } from '../../src/render/types.js'
import { parseHtml } from '../site/words-of.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'

const test = suite('desk/rendered-difference')

/** A part of a block: a name that stays the same, and words that are edited. */
interface Part {
  name: string
  words: readonly string[]
}
/** A block: its kind, and its parts. */
interface Block {
  kind: string
  parts: readonly Part[]
}

const wordsOf = (parts: readonly Part[]): string[] => parts.flatMap(({ words }) => words)
const said = (...parts: readonly Part[]): string => wordsOf(parts).join(' ')
const each = (parts: readonly Part[], write: (text: string, name: string, at: number) => string, by = '\n'): string =>
  parts.map((part, at) => write(said(part), part.name, at)).join(by)
const lines = (parts: readonly Part[]): string => each(parts, (text) => text)
const paragraphs = (parts: readonly Part[]): string => each(parts, (text) => text, '\n\n')
const rows = (parts: readonly Part[]): string[][] =>
  Array.from({ length: parts.length / 2 }, (_, at) => parts.slice(2 * at, 2 * at + 2).map((part) => said(part)))
const htmlRows = (parts: readonly Part[]): string =>
  rows(parts)
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')
const MARKUP = [
  ['**', '**'],
  ['_', '_'],
  ['~~', '~~'],
  ['`', '`'],
  ['<mark style="color:red;">', '</mark>'],
  ['<del>', '</del>'],
  ['<ins>', '</ins>'],
] as const

/** Writes a block of each kind. */
const KINDS: Readonly<Record<string, (parts: readonly Part[]) => string>> = {
  paragraph: lines,
  heading: (parts) => `## ${said(...parts)}`,
  bullets: (parts) => each(parts, (text) => `- ${text}`),
  'loose bullets': (parts) => each(parts, (text) => `- ${text}`, '\n\n'),
  numbers: (parts) => each(parts, (text, _, at) => `${at + 1}. ${text}`),
  tasks: (parts) => each(parts, (text, _, at) => `- [${at % 2 === 0 ? ' ' : 'x'}] ${text}`),
  nested: (parts) => each(parts, (text, _, at) => `${'  '.repeat(at % 3)}- ${text}`),
  table: (parts) =>
    ['| Same | Fixed |', '| --- | --- |', ...rows(parts).map((cells) => `| ${cells.join(' | ')} |`)].join('\n'),
  'html table': (parts) =>
    `<table><thead><tr><th>Same</th><th>Fixed</th></tr></thead><tbody>${htmlRows(parts)}</tbody></table>`,
  cards: (parts) =>
    `<table data-view="cards"><thead><tr><th></th><th></th></tr></thead><tbody>${htmlRows(parts)}</tbody></table>`,
  hint: (parts) => `{% hint style="info" %}\n${paragraphs(parts)}\n{% endhint %}`,
  quote: (parts) => each(parts, (text) => `> ${text}`, '\n>\n'),
  code: (parts) => `\`\`\`js\n${lines(parts)}\n\`\`\``,
  'code with a title': (parts) =>
    `{% code title="same.js" lineNumbers="true" %}\n\`\`\`js\n${lines(parts)}\n\`\`\`\n{% endcode %}`,
  tabs: (parts) =>
    `{% tabs %}\n${each(parts, (text, name) => `{% tab title="${name}" %}\n${text}\n{% endtab %}`, '\n\n')}\n{% endtabs %}`,
  stepper: (parts) =>
    `{% stepper %}\n${each(parts, (text, name) => `{% step %}\n### ${name}\n\n${text}\n{% endstep %}`, '\n\n')}\n{% endstepper %}`,
  columns: (parts) =>
    `{% columns %}\n${each(parts, (text) => `{% column %}\n${text}\n{% endcolumn %}`, '\n\n')}\n{% endcolumns %}`,
  updates: (parts) =>
    `{% updates format="full" %}\n${each(parts, (text, name) => `{% update date="2026-01-02" %}\n## ${name}\n\n${text}\n{% endupdate %}`, '\n\n')}\n{% endupdates %}`,
  expandable: ([summary, ...parts]) =>
    `<details>\n\n<summary>${said(...(summary ? [summary] : []))}</summary>\n\n${paragraphs(parts)}\n\n</details>`,
  picture: (parts) => `<figure><img src="same.png" alt=""><figcaption><p>${said(...parts)}</p></figcaption></figure>`,
  embed: (parts) => `{% embed url="https://example.org/same" %}\n${said(...parts)}\n{% endembed %}`,
  link: ([text, ...parts]) => `[${said(...(text ? [text] : []))}](same.md) ${said(...parts)}`,
  marks: (parts) => each(parts, (text, _, at) => `Same ${MARKUP[at % MARKUP.length]?.join(text)}`),
  'html marks': (parts) => each(parts, (text, _, at) => `Same ${MARKUP[4 + (at % 3)]?.join(text)}`),
  condition: (parts) => `{% if visitor.claims.same %}\n${paragraphs(parts)}\n{% endif %}`,
}

/** Kinds whose parts can be added and removed: items, lines, paragraphs, rows. Columns have a place, so they are one unit. */
const GROWS = new Set('bullets,loose bullets,numbers,table,html table,hint,quote,code,stepper,tabs'.split(','))
const ROWS = new Set(['table', 'html table', 'cards'])

const EDITS = ['replace', 'insert', 'delete', 'grow', 'shrink', 'new block', 'drop block'] as const
type Edit = readonly [block: number, part: number, word: number, edit: (typeof EDITS)[number]]

interface Versions {
  before: readonly Block[]
  after: readonly Block[]
}

/** Makes blocks in which no word comes twice. */
class Writer {
  #words = 0
  #parts = 0
  words = (count: number): string[] => Array.from({ length: count }, () => `w${this.#words++}x`)
  part = (count: number): Part => ({ name: `Part ${this.#parts++}`, words: this.words(count) })
  block = (kind: string, parts: readonly number[]): Block => ({
    kind,
    parts: (ROWS.has(kind) && parts.length % 2 === 1 ? [...parts, 6] : parts).map(this.part),
  })
}

function editBlock({ kind, parts }: Block, part: number, word: number, edit: Edit[3], writer: Writer): Block {
  const own = [...parts]
  const { name, words: old } = own[part % own.length] ?? writer.part(0)
  const words = [...old]
  const at = word % words.length
  const step = ROWS.has(kind) ? 2 : 1
  const place = Math.floor((part % (own.length + 1)) / step) * step
  if (edit === 'replace') words.splice(at, 1, ...writer.words(1))
  if (edit === 'insert') words.splice(at, 0, ...writer.words(1))
  if (edit === 'delete' && words.length > 3) words.splice(at, 1)
  own[part % own.length] = { name, words }
  if (edit === 'grow' && GROWS.has(kind)) own.splice(place, 0, ...Array.from({ length: step }, () => writer.part(6)))
  if (edit === 'shrink' && GROWS.has(kind) && own.length > 2 * step && place < own.length) own.splice(place, step)
  return { kind, parts: own }
}

/** Edits a page, each block at most once. */
function versionsOf(given: readonly (readonly [string, readonly number[]])[], edits: readonly Edit[]): Versions {
  const writer = new Writer()
  const before = given.map(([kind, parts]) => writer.block(kind, parts))
  const edited = new Map(edits.map(([block, ...edit]) => [block % before.length, edit]))
  const after = before.flatMap((block, at) => {
    const [part, word, edit] = edited.get(at) ?? []
    if (part === undefined || word === undefined || edit === undefined) return [block]
    if (edit === 'drop block') return []
    if (edit === 'new block') return [block, writer.block('paragraph', [7])]
    return [editBlock(block, part, word, edit, writer)]
  })
  return { before, after }
}

const wordsIn = (blocks: readonly Block[]): string[] => blocks.flatMap(({ parts }) => wordsOf(parts))
const pageOf = (blocks: readonly Block[]): string =>
  blocks.map(({ kind, parts }) => `${KINDS[kind]?.(parts)}\n`).join('\n')

const MERGING = new Set(['bullets', 'loose bullets', 'numbers', 'tasks', 'nested', 'picture'])
/** Whether no two neighbors are one block in markdown. */
const isApart = (blocks: readonly Block[]): boolean =>
  blocks.every(({ kind }, at) => !MERGING.has(kind) || !MERGING.has(blocks[at + 1]?.kind ?? ''))

type Mark = 'same' | 'inserted' | 'deleted'
const MARKS: Readonly<Record<string, Mark>> = { ins: 'inserted', del: 'deleted', added: 'inserted', removed: 'deleted' }

/** The words that a reader sees, each with its mark. */
function shownWords(node: Nodes, mark: Mark = 'same', into: [string, Mark][] = []): [string, Mark][] {
  if (node.type === 'text') for (const [word] of node.value.matchAll(/w\d+x/g)) into.push([word, mark])
  if (node.type === 'element') {
    const own = MARKS[node.tagName] ?? MARKS[String((node as Element).properties.dataChange)] ?? mark
    for (const child of node.children) shownWords(child, own, into)
  }
  if (node.type === 'root') for (const child of node.children) shownWords(child, mark, into)
  return into
}

const version = (blocks: readonly Block[]) => ({ markdown: pageOf(blocks), linesBefore: 0 })
const TARGETS = { links: { 'same.md': { href: '/same' } }, images: { 'same.png': '/same.png' } }
const OPTIONS: RenderOptions = {
  targets: tableTargets(TARGETS, ''),
  idPrefix: '',
  medium: 'site',
  conditional: 'show',
  site: { markBroken: true },
}
const differenceOf = ({ before, after }: Versions): [string, Mark][] =>
  renderChanges(version(before), version(after), OPTIONS).flatMap(({ change, html }) =>
    shownWords(parseHtml(html), MARKS[change] ?? 'same'),
  )

const kinds = fc.constantFrom(...Object.keys(KINDS))
const blocks = fc.array(fc.tuple(kinds, fc.array(fc.integer({ min: 5, max: 8 }), { minLength: 1, maxLength: 4 })), {
  minLength: 1,
  maxLength: 6,
})
const edits = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20), fc.constantFrom(...EDITS)), { maxLength: 4 })

function isExact(versions: Versions): void {
  const { before, after } = versions
  const [old, now] = [wordsIn(before), wordsIn(after)]
  const shown = differenceOf(versions)
  const marked = (mark: Mark): string[] => shown.filter(([, own]) => own === mark).map(([word]) => word)
  const text = `${pageOf(before)}\n=====>\n${pageOf(after)}`
  assert.equal(marked('inserted').sort(), now.filter((word) => !old.includes(word)).sort(), `inserted in ${text}`)
  assert.equal(marked('deleted').sort(), old.filter((word) => !now.includes(word)).sort(), `deleted in ${text}`)
  const read = (without: Mark): string[] => shown.filter(([, mark]) => mark !== without).map(([word]) => word)
  assert.equal(read('deleted'), now, `the new version of ${text}`)
  assert.equal(read('inserted'), old, `the old version of ${text}`)
}

for (const kind of Object.keys(KINDS))
  test(`each edit of a ${kind} block marks only the changed words`, () => {
    for (const edit of EDITS)
      for (const [count, part, word] of [
        [1, 0, 0],
        [2, 1, 3],
        [3, 2, 5],
        [4, 0, 6],
      ] as const) {
        const parts = Array.from({ length: count }, () => 6)
        isExact(
          versionsOf(
            [
              ['paragraph', [6]],
              [kind, parts],
              ['paragraph', [6]],
            ],
            [[1, part, word, edit]],
          ),
        )
      }
  })

test('titles of tabs are marked, and marks by authors are not', () => {
  const tab = (title: string) => `{% tabs %}\n{% tab title="${title}" %}\nIn it\n{% endtab %}\n{% endtabs %}\n`
  const html = (before: string, after: string): string =>
    renderChanges({ markdown: before, linesBefore: 0 }, { markdown: after, linesBefore: 0 }, OPTIONS)
      .map((one) => one.html)
      .join('')
  const tabs = html(tab('Old'), tab('New'))
  for (const part of [
    '<button type="button" data-change="removed">Old',
    '<button type="button" data-change="added">New',
    '<div class="tab flow" data-title="Old" data-change="removed">',
    '<div class="tab flow" data-title="New" data-change="added">',
  ])
    assert.match(tabs, part)
  for (const text of ['<ins>a</ins> b <del>c</del>', '<div>\n<INS class="x">a</INS> b <DEL>c</DEL>\n</div>'])
    assert.not.match(html(`${text}\n`, `${text}\n`), /<(?:ins|del)/i)
})

test('exactly the changes are marked on any page', () => {
  fc.assert(
    fc.property(blocks, edits, (given, list) => {
      const versions = versionsOf(given, list)
      fc.pre(isApart(versions.before) && isApart(versions.after))
      isExact(versions)
    }),
    { numRuns: runs(300, 20_000) },
  )
})

test.run()
