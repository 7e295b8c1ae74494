/** Prints a block tree as markdown. */
import type { Root } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { defaultHandlers, type Options, toMarkdown, type Unsafe } from 'mdast-util-to-markdown'
import { MARKDOWN_STYLE, UNSAFE_TEXT } from '../../kernel/markdown-style.js'
import type { BlockNode, DocumentNode } from '../types.js'
import { DocumentError, DocumentTooLarge } from './document-error.js'
import { checkDocument } from './document-input.js'
import { meaningOf, fingerprint } from './meaning.js'
import type { Markdown } from '../gfm/tree.js'
import { parseDocument } from './parse.js'
import { patchSource, type PatchMode } from './patch.js'
import { blockFlow, definitionsOf, flow } from './print-block.js'
import type { Printing } from './print-inline.js'
import { verbatimText } from './verbatim.js'
import { pageLimit } from './weight.js'
import { isOneOf } from '../../kernel/guards.js'

/** The number of characters that are examined. */
const MAX_EXAMINED = 20_000

const marker = <const M extends string>(text: string, of: RegExp, markers: readonly M[]): M | undefined => {
  const [, found] = of.exec(text) ?? []
  return isOneOf(markers, found) ? found : undefined
}
const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0

/** Prints a hard break as two spaces. */
const spacedBreak: typeof defaultHandlers.break = (...given) => defaultHandlers.break(...given).replace('\\\n', '  \n')

/** Returns the printer options that match the style of `source`. Constructs that do not occur in it get no options. */
function styleOf(source: string): Partial<Options> {
  const text = source.slice(0, MAX_EXAMINED)
  const bullet = marker(text, /^[ \t>]*([-*+])[ \t]+\S/m, ['-', '*', '+'])
  const ordered = marker(text, /^[ \t>]*\d{1,9}([.)])[ \t]+\S/m, ['.', ')'])
  const stars = count(text, /(?<![*\\\p{L}\p{N}])\*(?![*\s])/gu)
  const underscores = count(text, /(?<![_\\\p{L}\p{N}])_(?![_\s])/gu)
  const strong = count(text, /(?<![_\\\p{L}\p{N}])__(?![_\s])/gu) > count(text, /(?<![*\\])\*\*(?![*\s])/gu)
  const repeated = /^([ \t>]*1[.)])[ \t]+\S.*\r?\n\1[ \t]/m.test(text)
  const wide = /^[ \t>]*(?:[-*+] {3}|\d[.)] {2})\S/m.test(text)
  return {
    ...(wide ? { listItemIndent: 'tab' } : {}),
    ...(bullet ? { bullet, bulletOther: bullet === '-' ? '*' : '-' } : {}),
    ...(ordered ? { bulletOrdered: ordered } : {}),
    ...(stars > underscores ? { emphasis: '*' } : {}),
    ...(strong ? { strong: '_' } : {}),
    ...(repeated ? { incrementListMarker: false } : {}),
    ...(/\S {2,}\r?\n/.test(text) && !/\\\r?\n/.test(text) ? { handlers: { break: spacedBreak } } : {}),
  }
}

const TIGHT = new Set(['paragraph', 'heading', 'code'])
const markdownOf = (node: unknown): Markdown => node as Markdown
/** Omits blank lines between a tag and its text. Everything else uses the printer's default. */
const atTags = (left: unknown, right: unknown): number | undefined => {
  const [before, after] = [markdownOf(left), markdownOf(right)]
  const opens = before.type === 'verbatim' && before.label === 'open'
  const closes = after.type === 'verbatim' && after.label === 'close'
  const close = (node: Markdown) =>
    TIGHT.has(node.type) || (node.type === 'verbatim' && node.label !== null && node.label !== undefined)
  return (opens && close(after)) || (closes && close(before)) ? 0 : undefined
}

// Drop the first extension, which escapes addresses. GFM links an address even if it contains an escape.
const [, ...gfm] = (gfmToMarkdown({ tablePipeAlign: false }).extensions ?? []).map((extension) => ({
  ...extension,
  ...(extension.unsafe ? { unsafe: extension.unsafe.flatMap(nextToText) } : {}),
}))

/** Escapes `~` only next to text. A `~` between spaces strikes nothing through. */
function nextToText(pattern: Unsafe): Unsafe[] {
  return pattern.character === '~'
    ? [
        { ...pattern, before: '[^\\s]' },
        { ...pattern, after: '[^\\s]' },
      ]
    : [pattern]
}

const OPTIONS: Options = {
  ...MARKDOWN_STYLE,
  extensions: gfm,
  handlers: {
    verbatim: Object.assign((node: unknown) => markdownOf(node).value ?? '', {
      peek: (node: unknown) => (markdownOf(node).value ?? '').charAt(0),
    }),
  } as unknown as NonNullable<Options['handlers']>,
  join: [atTags],
  unsafe: [
    ...UNSAFE_TEXT,
    { character: '\r', inConstruct: 'phrasing' },
    { character: '\n', after: '(?=[\\t ]*[\\r\\n])', inConstruct: 'phrasing' },
  ],
}

/**
 * Ways to write an edit, the most careful first. The result of a way may parse to something else; then the next one is
 * tried.
 */
const MODES: PatchMode[] = [
  { deep: true, restyle: true },
  { deep: true, restyle: false },
  { deep: false, restyle: false },
]

const write = (children: Markdown[], style: Partial<Options> = {}): string =>
  toMarkdown({ type: 'root', children } as Root, {
    ...OPTIONS,
    ...style,
    handlers: { ...OPTIONS.handlers, ...style.handlers },
  })
const print = (nodes: BlockNode['nodes'], printing: Printing): string => write(flow(nodes, printing, 'nodes'))

/**
 * Prints a block tree as markdown that parses to the same tree. The tree may come from an untrusted client. The result
 * is parsed again and compared, so that nothing in the tree can break out of its block. `source` is the markdown that
 * the tree was parsed from (the `data.position` of its blocks are offsets into it). If it is given, unchanged blocks
 * keep their bytes. Throws a `DocumentError` that starts with the path of the invalid value (`nodes/3/data/style`), and
 * a `DocumentTooLarge` if the tree or its markdown exceeds a limit.
 */
export function printDocument(input: object, source?: string): string {
  // A page that exceeds the limits, sent back unchanged.
  if (source !== undefined && verbatimText(input) === source) return source
  const document = checkDocument(input)
  const printing: Printing = { definitions: definitionsOf(document) }
  const expected = meaningOf(document)
  const isRight = (markdown: string): boolean => meaningOf(parseDocument(markdown)) === expected
  if (source !== undefined) {
    const base = parseDocument(source)
    if (fingerprint(base) === fingerprint(document)) return source
    const writeBlock = (node: BlockNode, path: string, like: string) =>
      write(blockFlow(node, printing, path), styleOf(like)).replace(/\n$/, '')
    const tried = new Set<string>()
    for (const mode of MODES) {
      const patched = patchSource(source, base, document, writeBlock, mode)
      if (!tried.has(patched) && isRight(patched)) return patched
      tried.add(patched)
    }
  }
  const whole = print(document.nodes, printing)
  const limit = pageLimit(whole)
  if (limit !== null) throw new DocumentTooLarge(`nodes: as markdown, ${limit.replace(/^It/, 'it')}`)
  if (isRight(whole)) return whole
  throw new DocumentError(
    `${findFault(document, printing)}: cannot be written as markdown, because the result would parse to a different block. Change this block.`,
  )
}

/**
 * Returns the path of the first block that does not parse to the same block when it is printed alone; `nodes` if there
 * is none.
 */
function findFault(document: DocumentNode, printing: Printing): string {
  const definitions = document.nodes.filter((node) => node.type === 'definition' || node.type === 'footnote')
  const index = document.nodes.findIndex((node) => {
    const alone = { ...document, nodes: definitions.includes(node) ? definitions : [node, ...definitions] }
    return meaningOf(parseDocument(print(alone.nodes, printing))) !== meaningOf(alone)
  })
  return index < 0 ? 'nodes' : `nodes/${index}`
}
