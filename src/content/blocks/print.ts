import { gfmToMarkdown } from 'mdast-util-gfm'
import { type Options, toMarkdown } from 'mdast-util-to-markdown'
import type { BlockNode, DocumentNode } from '../types.js'
import { DocumentError, DocumentTooLarge } from './document-error.js'
import { checkDocument } from './document-input.js'
import { meaningOf, fingerprint } from './meaning.js'
import type { Markdown } from './markdown.js'
import { parseDocument } from './parse.js'
import { patches } from './patch.js'
import { blockFlow, definitionsOf, flow } from './print-block.js'
import type { Printing } from './print-inline.js'
import { verbatimText } from './verbatim.js'
import { pageLimit } from './weight.js'

const TIGHT = new Set(['paragraph', 'heading', 'code'])
const markdownOf = (node: unknown): Markdown => node as Markdown
/** A tag stands directly above and below the text in it; all else is parted by blank lines. */
const atTags = (left: unknown, right: unknown): number | undefined => {
  const [before, after] = [markdownOf(left), markdownOf(right)]
  const opens = before.type === 'verbatim' && before.label === 'open'
  const closes = after.type === 'verbatim' && after.label === 'close'
  const close = (node: Markdown) => TIGHT.has(node.type) || (node.type === 'verbatim' && node.label !== null && node.label !== undefined)
  return (opens && close(after)) || (closes && close(before)) ? 0 : undefined
}

const OPTIONS: Options = {
  bullet: '*',
  bulletOther: '-',
  emphasis: '_',
  rule: '*',
  fences: true,
  listItemIndent: 'one',
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  handlers: {
    verbatim: Object.assign((node: unknown) => markdownOf(node).value ?? '', { peek: (node: unknown) => (markdownOf(node).value ?? '').charAt(0) }),
  } as unknown as NonNullable<Options['handlers']>,
  join: [atTags],
  unsafe: [
    { character: '{', after: '(?=[%{])', inConstruct: 'phrasing' },
    { character: '$', after: '(?=\\$)', inConstruct: 'phrasing' },
    { character: '$', before: '(?<=\\$)', inConstruct: 'phrasing' },
    { character: '\r', inConstruct: 'phrasing' },
    { character: '\n', after: '(?=[\\t ]*[\\r\\n])', inConstruct: 'phrasing' },
  ],
}

const write = (children: Markdown[]): string => toMarkdown({ type: 'root', children } as never, OPTIONS)
const print = (nodes: BlockNode['nodes'], printing: Printing): string => write(flow(nodes, printing, 'nodes'))

/**
 * A block tree as markdown that reads back as the same tree. With `source`, the markdown that the tree was read from
 * (`data.position` of its blocks are offsets into it), what is unchanged keeps its bytes: only changed blocks are written.
 * What is written is read again and compared, so nothing in the tree can break out of the block that it stands in. `input`
 * may come from anybody. Throws a `DocumentError` that begins with the path of what is wrong (`nodes/3/data/style`), and a
 * `DocumentTooLarge` where it, or what would be written, is beyond a limit.
 */
export function printDocument(input: DocumentNode, source?: string): string {
  // A page beyond the limits, handed back as it was read.
  if (source !== undefined && verbatimText(input) === source) return source
  const document = checkDocument(input)
  const printing: Printing = { definitions: definitionsOf(document) }
  const wanted = meaningOf(document)
  const says = (markdown: string): boolean => meaningOf(parseDocument(markdown)) === wanted
  if (source !== undefined) {
    const base = parseDocument(source)
    if (fingerprint(base) === fingerprint(document)) return source
    const piece = (node: BlockNode, path: string) => write(blockFlow(node, printing, path)).replace(/\n$/, '')
    for (const deep of [true, false]) {
      const patched = patches(source, base, document, piece, deep)
      if (says(patched)) return patched
    }
  }
  const whole = print(document.nodes, printing)
  const limit = pageLimit(whole)
  if (limit !== null) throw new DocumentTooLarge(`nodes: as markdown, ${limit.replace(/^It/, 'it')}`)
  if (says(whole)) return whole
  throw new DocumentError(`${findFault(document, printing)}: cannot be written as markdown that reads back the same`)
}

/** The path of the first block that does not read back alone, as well as that can be told. */
function findFault(document: DocumentNode, printing: Printing): string {
  const definitions = document.nodes.filter((node) => node.type === 'definition' || node.type === 'footnote')
  const index = document.nodes.findIndex((node) => {
    const alone = { ...document, nodes: definitions.includes(node) ? definitions : [node, ...definitions] }
    return meaningOf(parseDocument(print(alone.nodes, printing))) !== meaningOf(alone)
  })
  return index < 0 ? 'nodes' : `nodes/${index}`
}
