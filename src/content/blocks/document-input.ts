// Checks the block trees that clients send before they are printed as markdown.
import type { BlockNode, DocumentNode, InlineNode, TextNode } from '../types.js'
import { describeBlocks } from './describe.js'
import { DocumentError, DocumentTooLarge } from './document-error.js'
import { pageLimit, textLimit } from './weight.js'
import { isRecord } from '../../kernel/guards.js'

/** Maximum number of levels, nodes and characters of a tree that a client may send. */
const MAX_NESTING = 150
const MAX_NODES = 200_000
const MAX_TEXT = 4 * 1024 * 1024
/** Shorter texts (in characters) never exceed the limits of pages. */
const LONG_TEXT = 10_000

const described = describeBlocks()
const BLOCKS = new Set(described.filter((one) => one.object === 'block').map((one) => one.type))
const INLINES = new Set(described.filter((one) => one.object === 'inline').map((one) => one.type))
const MARKS = new Set([
  'bold',
  'italic',
  'strikethrough',
  'underline',
  'code',
  'keyboard',
  'superscript',
  'subscript',
  'color',
])
/** Blocks whose children are inline nodes. */
const PHRASING = new Set([
  'paragraph',
  'caption',
  'expandable-title',
  'table-cell',
  'code',
  'math',
  'html',
  'raw',
  ...[1, 2, 3, 4, 5, 6].map((n) => `heading-${n}`),
])

type Json = Record<string, unknown>
type Leaf = TextNode['leaves'][number]

/** Throws a `DocumentError`. `path` is the path of the invalid value. */
function fail(path: string, message: string): never {
  throw new DocumentError(`${path}: ${message}`)
}

function tooLarge(path: string, message: string): never {
  throw new DocumentTooLarge(`${path}: ${message}`)
}

/**
 * Checks that JSON is a block tree within the limits, with types that `describeBlocks` lists. Returns a copy in which
 * every node has its `key`, `isVoid`, `data` and `nodes`. Throws a `DocumentError` that starts with the path of the
 * invalid value (`nodes/3/data`).
 */
export function checkDocument(input: unknown): DocumentNode {
  if (!isRecord(input) || input['object'] !== 'document') return fail('object', 'must be "document"')
  const checker = new Checker()
  const nodes = arrayAt(input['nodes'], 'nodes').map((node, index) => checker.block(node, `nodes/${index}`, 0))
  checker.checkTexts()
  return { object: 'document', data: { schemaVersion: 1 }, nodes }
}

const arrayAt = (value: unknown, path: string): unknown[] =>
  Array.isArray(value) ? value : fail(path, 'must be an array')

/** Checks nodes one by one, and adds up their counts and lengths. */
class Checker {
  #nodes = 0
  #length = 0
  /** The texts of all blocks, separated by blank lines as in a page. */
  readonly #texts: string[] = []

  block(node: unknown, path: string, depth: number): BlockNode {
    this.#enter(depth, path)
    if (!isRecord(node)) return fail(path, 'must be an object')
    if (node['object'] !== 'block') return fail(`${path}/object`, 'must be "block" here')
    const own = this.#common(node, path, BLOCKS, depth)
    const hasInlines = PHRASING.has(own.type)
    if (hasInlines) this.#texts.push('\n\n')
    const nodes = arrayAt(node['nodes'] ?? [], `${path}/nodes`).map((child, index) =>
      hasInlines
        ? this.#inline(child, `${path}/nodes/${index}`, depth + 1)
        : this.block(child, `${path}/nodes/${index}`, depth + 1),
    )
    return { object: 'block', ...own, nodes }
  }

  #inline(node: unknown, path: string, depth: number): InlineNode | TextNode {
    this.#enter(depth, path)
    if (!isRecord(node)) return fail(path, 'must be an object')
    if (node['object'] === 'text') return this.#text(node, path)
    if (node['object'] !== 'inline') return fail(`${path}/object`, 'must be "inline" or "text" here')
    const own = this.#common(node, path, INLINES, depth)
    const nodes = arrayAt(node['nodes'] ?? [], `${path}/nodes`).map((child, index) =>
      this.#inline(child, `${path}/nodes/${index}`, depth + 1),
    )
    return { object: 'inline', ...own, nodes }
  }

  #text(node: Json, path: string): TextNode {
    const leaves = arrayAt(node['leaves'], `${path}/leaves`).map((leaf, index) =>
      this.#leaf(leaf, `${path}/leaves/${index}`),
    )
    return { object: 'text', key: '', leaves }
  }

  #leaf(leaf: unknown, path: string): Leaf {
    this.#enter(0, path)
    if (!isRecord(leaf)) return fail(path, 'must be an object')
    const marks = arrayAt(leaf['marks'] ?? [], `${path}/marks`).map((mark, index) =>
      this.#mark(mark, `${path}/marks/${index}`, index),
    )
    const text = this.#writable(this.#string(leaf['text'], `${path}/text`), `${path}/text`)
    this.#texts.push(text)
    return { object: 'leaf', text, marks }
  }

  #mark(mark: unknown, path: string, index: number): Leaf['marks'][number] {
    if (index >= MAX_NESTING) return fail(path, `a text has at most ${MAX_NESTING} marks`)
    if (!isRecord(mark)) return fail(path, 'must be an object')
    const type = this.#string(mark['type'], `${path}/type`)
    if (!MARKS.has(type))
      fail(
        `${path}/type`,
        `${JSON.stringify(type.slice(0, 50))} is not a known mark. Use one of ${[...MARKS].join(', ')}`,
      )
    return { object: 'mark', type, data: this.#data(mark['data'], `${path}/data`, 0) }
  }

  #common(
    node: Json,
    path: string,
    types: ReadonlySet<string>,
    depth: number,
  ): Pick<BlockNode, 'type' | 'key' | 'isVoid' | 'data'> {
    const type = this.#string(node['type'], `${path}/type`)
    if (!types.has(type)) fail(`${path}/type`, `${JSON.stringify(type.slice(0, 50))} is not a known type`)
    return { type, key: '', isVoid: node['isVoid'] === true, data: this.#data(node['data'], `${path}/data`, depth) }
  }

  #data(value: unknown, path: string, depth: number): Json {
    if (value === undefined) return {}
    if (!isRecord(value)) return fail(path, 'must be an object')
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.#count(name, path), this.#json(one, `${path}/${name}`, depth)]),
    )
  }

  #json(value: unknown, path: string, depth: number): unknown {
    this.#enter(depth, path)
    if (typeof value === 'string') return this.#count(value, path)
    if (Array.isArray(value)) return value.map((one, index) => this.#json(one, `${path}/${index}`, depth + 1))
    return isRecord(value) ? this.#data(value, path, depth + 1) : value
  }

  #string(value: unknown, path: string): string {
    return typeof value === 'string' ? this.#count(value, path) : fail(path, 'must be a string')
  }

  /**
   * Rejects texts that are too costly in total although each one is within its limit. This check is faster than
   * printing them as markdown.
   */
  checkTexts(): void {
    const limit = this.#length < LONG_TEXT ? null : textLimit(this.#texts.join(''))
    if (limit !== null) tooLarge('nodes', limit)
  }

  /** Rejects a text that would be too costly to parse after it is written. */
  #writable(text: string, path: string): string {
    const limit = text.length < LONG_TEXT ? null : pageLimit(text)
    return limit === null ? text : tooLarge(path, limit)
  }

  #count(text: string, path: string): string {
    if ((this.#length += text.length) > MAX_TEXT) tooLarge(path, `a document has at most ${MAX_TEXT} characters`)
    return text
  }

  #enter(depth: number, path: string): void {
    if (depth > MAX_NESTING) tooLarge(path, `is nested deeper than ${MAX_NESTING} levels`)
    if (++this.#nodes > MAX_NODES) tooLarge(path, `a document has at most ${MAX_NODES} nodes`)
  }
}
