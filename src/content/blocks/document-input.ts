import type { BlockNode, DocumentNode, InlineNode, TextNode } from '../types.js'
import { describeBlocks } from './describe.js'
import { DocumentError, DocumentTooLarge } from './document-error.js'
import { pageLimit } from './weight.js'

/** Nesting, nodes and characters of a tree that a client may hand in. */
const MAX_NESTING = 150
const MAX_NODES = 200_000
const MAX_TEXT = 4 * 1024 * 1024
/** Shorter texts are never beyond a limit of pages. */
const LONG_TEXT = 10_000

const described = describeBlocks()
const BLOCKS = new Set(described.filter((one) => one.object === 'block').map((one) => one.type))
const INLINES = new Set(described.filter((one) => one.object === 'inline').map((one) => one.type))
const MARKS = new Set(['bold', 'italic', 'strikethrough', 'underline', 'code', 'keyboard', 'superscript', 'subscript', 'color'])
/** Blocks whose nodes are inline. */
export const PHRASING = new Set([
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
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function fail(path: string, message: string): never {
  throw new DocumentError(`${path}: ${message}`)
}

function tooLarge(path: string, message: string): never {
  throw new DocumentTooLarge(`${path}: ${message}`)
}

/**
 * Checks that JSON is a block tree of the types that `describeBlocks` lists, within bounds. Answers a copy whose `key`,
 * `isVoid`, `data` and `nodes` are there. Throws a `DocumentError` that begins with the path of what is wrong (`nodes/3/data`).
 */
export function checkDocument(input: unknown): DocumentNode {
  let nodes = 0
  let length = 0
  const count = (text: string, path: string): string => {
    if ((length += text.length) > MAX_TEXT) tooLarge(path, `a document has at most ${MAX_TEXT} characters`)
    return text
  }
  const written = (text: string, path: string): string => {
    const limit = text.length < LONG_TEXT ? null : pageLimit(text)
    return limit === null ? text : tooLarge(path, limit)
  }
  const string = (value: unknown, path: string): string => (typeof value === 'string' ? count(value, path) : fail(path, 'must be a string'))
  const array = (value: unknown, path: string): unknown[] => (Array.isArray(value) ? value : fail(path, 'must be an array'))
  const enter = (depth: number, path: string): void => {
    if (depth > MAX_NESTING) tooLarge(path, `is nested deeper than ${MAX_NESTING} levels`)
    if (++nodes > MAX_NODES) tooLarge(path, `a document has at most ${MAX_NODES} nodes`)
  }

  function data(value: unknown, path: string, depth: number): Json {
    if (value === undefined) return {}
    if (!isObject(value)) return fail(path, 'must be an object')
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [count(name, path), json(one, `${path}/${name}`, depth)]))
  }
  function json(value: unknown, path: string, depth: number): unknown {
    enter(depth, path)
    if (typeof value === 'string') return count(value, path)
    if (Array.isArray(value)) return value.map((one, index) => json(one, `${path}/${index}`, depth + 1))
    return isObject(value) ? data(value, path, depth + 1) : value
  }

  function text(node: Json, path: string): TextNode {
    const leaves = array(node['leaves'], `${path}/leaves`).map((leaf, index): TextNode['leaves'][number] => {
      const at = `${path}/leaves/${index}`
      enter(0, at)
      if (!isObject(leaf)) return fail(at, 'must be an object')
      const marks = array(leaf['marks'] ?? [], `${at}/marks`).map((mark, number): TextNode['leaves'][number]['marks'][number] => {
        const place = `${at}/marks/${number}`
        if (number >= MAX_NESTING) return fail(place, 'has too many marks')
        if (!isObject(mark)) return fail(place, 'must be an object')
        const type = string(mark['type'], `${place}/type`)
        if (!MARKS.has(type)) fail(`${place}/type`, `${JSON.stringify(type.slice(0, 50))} is no mark`)
        return { object: 'mark', type, data: data(mark['data'], `${place}/data`, 0) }
      })
      return { object: 'leaf', text: written(string(leaf['text'], `${at}/text`), `${at}/text`), marks }
    })
    return { object: 'text', key: '', leaves }
  }

  function inline(node: unknown, path: string, depth: number): InlineNode | TextNode {
    enter(depth, path)
    if (!isObject(node)) return fail(path, 'must be an object')
    if (node['object'] === 'text') return text(node, path)
    if (node['object'] !== 'inline') return fail(`${path}/object`, 'must be "inline" or "text" here')
    const own = common(node, path, INLINES, depth)
    return {
      object: 'inline',
      ...own,
      nodes: array(node['nodes'] ?? [], `${path}/nodes`).map((child, index) => inline(child, `${path}/nodes/${index}`, depth + 1)),
    }
  }

  function block(node: unknown, path: string, depth: number): BlockNode {
    enter(depth, path)
    if (!isObject(node)) return fail(path, 'must be an object')
    if (node['object'] !== 'block') return fail(`${path}/object`, 'must be "block" here')
    const own = common(node, path, BLOCKS, depth)
    const phrasing = PHRASING.has(own.type)
    const children = array(node['nodes'] ?? [], `${path}/nodes`)
    const made = children.map((child, index) => (phrasing ? inline : block)(child, `${path}/nodes/${index}`, depth + 1))
    return { object: 'block', ...own, nodes: made }
  }

  function common(node: Json, path: string, types: ReadonlySet<string>, depth: number) {
    const type = string(node['type'], `${path}/type`)
    if (!types.has(type)) fail(`${path}/type`, `${JSON.stringify(type.slice(0, 50))} is no type that is known here`)
    return { type, key: '', isVoid: node['isVoid'] === true, data: data(node['data'], `${path}/data`, depth) }
  }

  if (!isObject(input) || input['object'] !== 'document') return fail('object', 'must be "document"')
  return {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: array(input['nodes'], 'nodes').map((node, index) => block(node, `nodes/${index}`, 0)),
  }
}
