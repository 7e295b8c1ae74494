/** Prints parts of specifications as markdown: the text in a block of a page, and whole computed pages. */
import type { ShownModel, ShownOperation } from '../../model/index.js'
import { DocumentError, DocumentTooLarge } from '../blocks/document-error.js'
import { printDocument } from '../blocks/print.js'
import type { BlockNode } from '../types.js'
import { bold, code, fence, italic, list, item, paragraph, plain, words } from './nodes.js'
import { partBlocks } from './part-blocks.js'
import { strangersBlocks } from './stranger.js'

/** Characters of one page. */
const MAX_PAGE = 192 * 1024
/** Characters of a part that can only be shown as JSON. */
const MAX_JSON = 20_000

type PrintablePart = ShownOperation | ShownModel

/** What a page of a specification consists of. */
interface SpecPage {
  /** The slug of the specification. */
  spec: string
  description?: string
  parts: PrintablePart[]
  /** Whether each part has a heading: the page has several. */
  headed: boolean
  /** The titles of parts that are not shown. */
  rest: string[]
}

const printed = (nodes: BlockNode[]): string => printDocument({ object: 'document', data: { schemaVersion: 1 }, nodes })

/** The text of a part, without its block. */
export function printPart(part: PrintablePart): string {
  return printSafely(waysOf(part))
}

/** As it should be; without formats in descriptions; as JSON. */
const waysOf = (part: PrintablePart): (() => BlockNode[])[] => [
  () => partBlocks(part),
  () => partBlocks(withPlainTexts(part)),
  () => [fence(JSON.stringify(part, null, 2).slice(0, MAX_JSON), 'json')],
]

function withPlainTexts(part: PrintablePart): PrintablePart {
  const plainText = (key: string, value: unknown): unknown =>
    key === 'description' && typeof value === 'string' ? value.replace(/[^\p{L}\p{M}\p{N}.,;()'"? -]+/gu, ' ') : value
  return JSON.parse(JSON.stringify(part, plainText)) as PrintablePart
}

/** The first of several ways that can be written as markdown and read back as the same; every text is a stranger's. */
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

/** A computed page: its description, and a block for each part until the page is long; the others are named. */
export function printSpecPage({ spec, description, parts, headed, rest }: SpecPage): string {
  const texts =
    description === undefined ? [] : [printSafely([() => strangersBlocks(description), () => [fence(description)]])]
  let length = 0
  let at = 0
  for (; at < parts.length && length < MAX_PAGE; at++) {
    const part = parts[at] as PrintablePart
    const text = (headed ? `${headingOf(part)}\n` : '') + blockOf(spec, part)
    length += text.length
    texts.push(text)
  }
  const left = [...parts.slice(at).map(titleOf), ...rest]
  if (left.length > 0) {
    const told = paragraph(italic(`There is too much for one page. ${left.length} more are not shown:`))
    texts.push(
      printSafely([
        () => [told, ...list(left.slice(0, 1_000).map((title) => item(paragraph(words(title)))))],
        () => [told],
      ]),
    )
  }
  return texts.filter((text) => text !== '').join('\n')
}

const headingOf = (part: PrintablePart): string =>
  printSafely([words, code].map((way) => () => [plain('heading-2', {}, [way(titleOf(part))])]))

const titleOf = (part: PrintablePart): string => (part.kind === 'operation' ? part.title : part.name)

/** A part in the block that names it. */
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
