/** Prints parts of specifications as markdown: the text in a block of a page, and whole computed pages. */
import { required } from '../../kernel/defined.js'
import type { ShownModel, ShownOperation } from '../../model/index.js'
import { DocumentError, DocumentTooLarge } from '../blocks/document-error.js'
import { printDocument } from '../blocks/print.js'
import type { BlockNode } from '../types.js'
import { bold, code, fence, italic, list, item, paragraph, plain, words } from './nodes.js'
import { partBlocks } from './part-blocks.js'
import { untrustedBlocks } from './stranger.js'

/** Maximum length of a page before the remaining parts are only named, in characters. */
const MAX_PAGE = 192 * 1024
/** Maximum length of a part that can only be shown as JSON, in characters. */
const MAX_JSON = 20_000

type PrintablePart = ShownOperation | ShownModel

/** The content of a specification page. */
interface SpecPage {
  /** The slug of the specification. */
  spec: string
  description?: string
  parts: PrintablePart[]
  /** Whether each part has a heading, because the page has several. */
  headed: boolean
  /** The titles of parts that are not shown. */
  rest: string[]
}

const printed = (nodes: BlockNode[]): string => printDocument({ object: 'document', data: { schemaVersion: 1 }, nodes })

/** Prints the text of a part, without its block. */
export function printPart(part: PrintablePart): string {
  return printSafely(waysOf(part))
}

/** Returns the ways to print a part: complete, with descriptions as plain text, and as JSON. */
const waysOf = (part: PrintablePart): (() => BlockNode[])[] => [
  () => partBlocks(part),
  () => partBlocks(withPlainTexts(part)),
  () => [fence(JSON.stringify(part, null, 2).slice(0, MAX_JSON), 'json')],
]

function withPlainTexts(part: PrintablePart): PrintablePart {
  const plainText = (key: string, value: unknown): unknown =>
    key === 'description' && typeof value === 'string' ? value.replace(/[^\p{L}\p{M}\p{N}.,;()'"? -]+/gu, ' ') : value
  return JSON.parse(JSON.stringify(part, plainText))
}

/** Prints the first way that can be written as markdown and parses to the same blocks. All texts are untrusted. */
function printSafely(ways: readonly (() => BlockNode[])[]): string {
  for (const way of ways) {
    try {
      return printed(way())
    } catch (error) {
      if (!(error instanceof DocumentError || error instanceof DocumentTooLarge)) throw error
    }
  }
  return ''
}

/**
 * Prints a computed page: its description, and a block for each part until the page is long enough. The other parts are
 * only named.
 */
export function printSpecPage({ spec, description, parts, headed, rest }: SpecPage): string {
  const texts =
    description === undefined ? [] : [printSafely([() => untrustedBlocks(description), () => [fence(description)]])]
  let length = 0
  let at = 0
  for (; at < parts.length && length < MAX_PAGE; at++) {
    const part = required(parts[at])
    const text = (headed ? `${headingOf(part)}\n` : '') + blockOf(spec, part)
    length += text.length
    texts.push(text)
  }
  const left = [...parts.slice(at).map(titleOf), ...rest]
  if (left.length > 0) {
    const notice = paragraph(italic(`There is too much for one page. ${left.length} more are not shown:`))
    texts.push(
      printSafely([
        () => [notice, ...list(left.slice(0, 1_000).map((title) => item(paragraph(words(title)))))],
        () => [notice],
      ]),
    )
  }
  return texts.filter((text) => text !== '').join('\n')
}

const headingOf = (part: PrintablePart): string =>
  printSafely([words, code].map((way) => () => [plain('heading-2', {}, [way(titleOf(part))])]))

const titleOf = (part: PrintablePart): string => (part.kind === 'operation' ? part.title : part.name)

/** Prints a part in the block that refers to it. */
function blockOf(spec: string, part: PrintablePart): string {
  const block = (way: () => BlockNode[]) => (): BlockNode[] => {
    const nodes = way()
    return part.kind === 'operation'
      ? [
          plain(
            'openapi-operation',
            tagged('openapi-operation', { spec, path: part.path, method: part.method.toLowerCase() }),
            nodes,
          ),
        ]
      : [plain('openapi-schemas', tagged('openapi-schemas', { spec, schemas: part.name }), nodes)]
  }
  return printSafely([...waysOf(part).map(block), () => [paragraph(bold(titleOf(part)))]])
}

const tagged = (tag: string, attributes: Record<string, string>): Record<string, unknown> => ({
  tag,
  attributes,
  ...attributes,
})
