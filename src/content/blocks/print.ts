/** Prints a block tree as markdown. */
import type { Root } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { type Options, toMarkdown, type Unsafe } from 'mdast-util-to-markdown'
import { MARKDOWN_STYLE, UNSAFE_TEXT } from '../../kernel/markdown-style.js'
import type { BlockNode, DocumentNode } from '../types.js'
import { DocumentError, DocumentTooLarge } from './document-error.js'
import { checkDocument } from './document-input.js'
import { meaningOf, fingerprint } from './meaning.js'
import type { Markdown } from '../gfm/tree.js'
import { parseDocument } from './parse.js'
import { patchSource, type PatchWay } from './patch.js'
import { blockFlow, definitionsOf, flow } from './print-block.js'
import type { Printing } from './print-inline.js'
import { styleOf } from './style.js'
import { verbatimText } from './verbatim.js'
import { pageLimit } from './weight.js'

const TIGHT = new Set(['paragraph', 'heading', 'code'])
const markdownOf = (node: unknown): Markdown => node as Markdown
/** No blank lines between a tag and the text in it; the printer's default for everything else. */
const atTags = (left: unknown, right: unknown): number | undefined => {
  const [before, after] = [markdownOf(left), markdownOf(right)]
  const opens = before.type === 'verbatim' && before.label === 'open'
  const closes = after.type === 'verbatim' && after.label === 'close'
  const close = (node: Markdown) =>
    TIGHT.has(node.type) || (node.type === 'verbatim' && node.label !== null && node.label !== undefined)
  return (opens && close(after)) || (closes && close(before)) ? 0 : undefined
}

// Without the first one, which escapes addresses: to GFM, an address with an escape in it is a link all the same.
const [, ...gfm] = (gfmToMarkdown({ tablePipeAlign: false }).extensions ?? []).map((extension) => ({
  ...extension,
  ...(extension.unsafe ? { unsafe: extension.unsafe.flatMap(besideText) } : {}),
}))

/** A `~` between spaces strikes nothing through. */
function besideText(pattern: Unsafe): Unsafe[] {
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

/** How an edit is written, most careful first: what comes of it may be read as something else. */
const WAYS: PatchWay[] = [
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
 * Prints a block tree, which may come from anybody, as markdown that parses to the same tree. The result is parsed again and
 * compared, so that nothing in the tree can break out of its block. With `source`, the markdown that the tree was parsed from (the
 * `data.position` of its blocks are offsets into it), unchanged blocks keep their bytes. Throws a `DocumentError` that begins with
 * the path of what is wrong (`nodes/3/data/style`), and a `DocumentTooLarge` if the tree or its markdown is beyond a limit.
 */
export function printDocument(input: DocumentNode, source?: string): string {
  // A page beyond the limits, sent back unchanged.
  if (source !== undefined && verbatimText(input) === source) return source
  const document = checkDocument(input)
  const printing: Printing = { definitions: definitionsOf(document) }
  const wanted = meaningOf(document)
  const isRight = (markdown: string): boolean => meaningOf(parseDocument(markdown)) === wanted
  if (source !== undefined) {
    const base = parseDocument(source)
    if (fingerprint(base) === fingerprint(document)) return source
    const writeBlock = (node: BlockNode, path: string, like: string) =>
      write(blockFlow(node, printing, path), styleOf(like)).replace(/\n$/, '')
    const tried = new Set<string>()
    for (const way of WAYS) {
      const patched = patchSource(source, base, document, writeBlock, way)
      if (!tried.has(patched) && isRight(patched)) return patched
      tried.add(patched)
    }
  }
  const whole = print(document.nodes, printing)
  const limit = pageLimit(whole)
  if (limit !== null) throw new DocumentTooLarge(`nodes: as markdown, ${limit.replace(/^It/, 'it')}`)
  if (isRight(whole)) return whole
  throw new DocumentError(
    `${findFault(document, printing)}: cannot be written as markdown, since that would be read as something else. Change this block.`,
  )
}

/** The path of the first block that, printed alone, does not parse to the same block; `nodes` if there is none. */
function findFault(document: DocumentNode, printing: Printing): string {
  const definitions = document.nodes.filter((node) => node.type === 'definition' || node.type === 'footnote')
  const index = document.nodes.findIndex((node) => {
    const alone = { ...document, nodes: definitions.includes(node) ? definitions : [node, ...definitions] }
    return meaningOf(parseDocument(print(alone.nodes, printing))) !== meaningOf(alone)
  })
  return index < 0 ? 'nodes' : `nodes/${index}`
}
