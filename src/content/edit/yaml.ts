// Edits keys of a YAML text. Everything else is preserved as written.
import { required } from '../../kernel/defined.js'
import {
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  LineCounter,
  isCollection,
  isMap,
  isPair,
  isScalar,
  parseDocument,
  stringify,
} from 'yaml'
import { checkNesting } from '../yaml-depth.js'
import { sameValue } from '../json.js'
import { isRecord } from '../../kernel/guards.js'

/** Thrown if YAML cannot be edited key by key, because it is invalid or not a map. */
export class YamlEditError extends Error {
  override name = 'YamlEditError'
}

type Path = readonly string[]
type YamlPair = Pair<Node, Node | null>
type YamlMap = YAMLMap<Node, Node | null>

/** Whether a node is a map, with a node for each key. */
const isYamlMap = (node: unknown): node is YamlMap => isMap(node)

/**
 * Sets one key (`['layout', 'title', 'visible']` is a nested key), or removes its lines (`undefined`), in YAML whose
 * top level is a map or empty. All other lines keep their bytes. A value keeps its quotes or block style if the new
 * value allows that. A nested map is removed with its last key. Setting a key to its current value changes nothing. If
 * a scalar on one line is changed and then restored, its old bytes are restored as well, unless the other value needed
 * quotes; the quotes then remain.
 * @throws YamlEditError if the text is invalid, or its top level is not a map
 */
export function setYamlKey(text: string, path: Path, value: unknown): string {
  const map = topMap(text)
  if (path.length === 0) throw new YamlEditError('The key is missing.')
  if (map === null) return value === undefined ? text : text + separator(text) + pairText(path, value, eolOf(text))
  if (map.flow) throw new YamlEditError('The YAML is written in braces. Write each key on a separate line.')
  return setIn(text, map, path, value)
}

/**
 * Sets many keys, each like `setYamlKey`. Texts that replace other texts are written after a single parse of the YAML;
 * a parse for each of them would take quadratic time.
 * @throws YamlEditError like `setYamlKey`
 */
export function setYamlKeys(text: string, changes: readonly (readonly [Path, unknown])[]): string {
  const map = changes.length > 1 ? topMap(text) : null
  const edits: Edit[] = []
  const rest: (readonly [Path, unknown])[] = []
  for (const change of changes) {
    const [path, value] = change
    const found = map && !map.flow && typeof value === 'string' ? findText(map, path) : null
    if (found === null) rest.push(change)
    else if (found.value !== value) edits.push(replacement(text, found.map, found.pair, value))
  }
  edits.sort((a, b) => a.start - b.start)
  const parts = edits.map(({ start, put }, index) => text.slice(edits[index - 1]?.end ?? 0, start) + put)
  return rest.reduce(
    (now, [path, value]) => setYamlKey(now, path, value),
    parts.join('') + text.slice(edits.at(-1)?.end ?? 0),
  )
}

/** Returns the text at a path, in maps that are not written in braces. */
function findText(map: YamlMap, [key, ...rest]: Path): { map: YamlMap; pair: YamlPair; value: string } | null {
  const pair = pairOf(map, key)
  const value = pair?.value
  if (rest.length > 0) return isYamlMap(value) && !value.flow ? findText(value, rest) : null
  return pair && isScalar(value) && typeof value.value === 'string' ? { map, pair, value: value.value } : null
}

const pairOf = (map: YamlMap, key: string | undefined): YamlPair | undefined =>
  map.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key)

/** Parses YAML whose top level is a map; `{}` if it is empty. @throws YamlEditError */
export function readYamlMap(text: string): Record<string, unknown> {
  const document = readDocument(text)
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    if (value === null || value === undefined) return {}
    if (isRecord(value)) return value
  } catch (cause) {
    throw new YamlEditError('The YAML cannot be parsed: it has too many aliases, or an alias without an anchor.', {
      cause,
    })
  }
  throw new YamlEditError('The YAML is not a map. Write one "name: value" per line.')
}

function readDocument(text: string): ReturnType<typeof parseDocument> {
  try {
    checkNesting(text)
  } catch (cause) {
    throw new YamlEditError('The YAML cannot be parsed: it is nested too deeply.', { cause })
  }
  const lineCounter = new LineCounter()
  // Pretty errors take quadratic time, because each one quotes its line.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false, logLevel: 'silent', prettyErrors: false })
  const [error] = document.errors
  if (error) {
    const { line, col } = lineCounter.linePos(Math.max(0, error.pos[0]))
    throw new YamlEditError(`The YAML cannot be parsed: ${error.message.split('\n')[0]} at line ${line}, column ${col}`)
  }
  return document
}

function topMap(text: string): YamlMap | null {
  const contents: unknown = readDocument(text).contents
  if (isYamlMap(contents)) return contents
  if (contents === null || (isScalar(contents) && contents.value === null)) return null
  throw new YamlEditError('The YAML is not a map. Write one "name: value" per line.')
}

const eolOf = (text: string): string => /\r\n|\n/.exec(text)?.[0] ?? '\n'
const separator = (text: string): string => (text === '' || /[\n\ufeff]$/.test(text) ? '' : eolOf(text))

function setIn(text: string, map: YamlMap, path: Path, value: unknown): string {
  const [key, ...rest] = path
  const pair = pairOf(map, key)
  if (!pair) return value === undefined ? text : append(text, map, path, value)
  const inner = pair.value
  if (rest.length > 0 && isYamlMap(inner) && !inner.flow) {
    const loses = value === undefined && inner.items.length === 1 && holds(inner, rest)
    return loses ? cut(text, map, pair) : setIn(text, inner, rest, value)
  }
  const old: unknown = inner?.toJS(parseDocument('')) ?? null
  const wanted = rest.length > 0 ? withPath(old, rest, value) : value
  if (wanted === undefined) return cut(text, map, pair)
  if (sameValue(old, wanted) && !(inner === null && wanted === null)) return text
  const { start, end, put } = replacement(text, map, pair, wanted)
  return text.slice(0, start) + put + text.slice(end)
}

/** Whether removing `path` leaves the map empty. */
function holds(map: YamlMap, [key, ...rest]: Path): boolean {
  const [pair] = map.items
  if (!pair || !isScalar(pair.key) || String(pair.key.value) !== key) return false
  return rest.length === 0 || (isYamlMap(pair.value) && pair.value.items.length === 1 && holds(pair.value, rest))
}

function withPath(old: unknown, [key, ...rest]: Path, value: unknown): unknown {
  const members = typeof old === 'object' && old !== null && !Array.isArray(old) ? Object.entries(old) : []
  if (members.length === 0 && value === undefined) return old ?? undefined
  const current = members.find(([name]) => name === key)?.[1]
  const next = rest.length > 0 ? withPath(current, rest, value) : value
  const kept = members
    .filter(([name]) => name !== key || next !== undefined)
    .map(([name, was]) => [name, name === key ? next : was])
  if (next !== undefined && !members.some(([name]) => name === key)) kept.push([key, next])
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1
function lineEnd(text: string, offset: number): number {
  const found = text.indexOf('\n', offset)
  return found < 0 ? text.length : found + 1
}

/** Returns the end offset of a value, without the comments and blank lines after it. */
function endOf(text: string, pair: Pick<YamlPair, 'key' | 'value'>): number {
  const { value } = pair
  if (!value?.range) return required(pair.key.range)[1]
  if (isCollection<Node, Node | null>(value) && !value.flow && value.items.length > 0) {
    const last = value.items.at(-1) ?? null
    return endOf(text, isPair(last) ? last : { key: value, value: last })
  }
  const end = value.range[1]
  return value.range[0] === end
    ? Math.max(end, required(pair.key.range)[1])
    : value.range[0] + text.slice(value.range[0], end).trimEnd().length
}

/** Returns the indentation of a map's keys. */
const indentOf = (text: string, map: YamlMap): string => {
  const start = required(required(map.items[0]).key.range)[0]
  return text
    .slice(lineStart(text, start), start)
    .replace(/[^ ]/g, ' ')
    .replace(/^\ufeff/, '')
}

function cut(text: string, map: YamlMap, pair: YamlPair): string {
  const start = required(pair.key.range)[0]
  const end = lineEnd(text, endOf(text, pair))
  const from = lineStart(text, start)
  if (text.slice(from, start).trim() !== '' && map.items.length > 1)
    throw new YamlEditError('The key shares its line with another one. Write each key on a separate line.')
  const bom = text.charCodeAt(from) === 0xfeff ? 1 : 0
  const done = text.slice(0, from + bom) + text.slice(end)
  return end === text.length && !text.endsWith('\n') ? done.replace(/\r?\n$/, '') : done
}

function append(text: string, map: YamlMap, path: Path, value: unknown): string {
  const at = lineEnd(text, endOf(text, required(map.items.at(-1))))
  const eol = eolOf(text)
  const put = indented(pairText(path, value, '\n'), indentOf(text, map), eol)
  if (text[at - 1] === '\n') return text.slice(0, at) + put + text.slice(at)
  return text.slice(0, at) + eol + put.replace(/\r?\n$/, '')
}

/** A replacement of the text from `start` to `end` (exclusive). */
interface Edit {
  start: number
  end: number
  put: string
}

function replacement(text: string, map: YamlMap, pair: YamlPair, value: unknown): Edit {
  const { value: old, key } = pair
  const scalar = new Scalar(value)
  if (isScalar(old) && old.type && typeof old.value === 'string' && typeof value === 'string') scalar.type = old.type
  const name = text.slice(required(key.range)[0], required(key.range)[1])
  const flow = isCollection(old) && old.flow === true
  const written = stringify(
    { key: typeof value === 'object' && value !== null ? value : scalar },
    { lineWidth: scalar.type === Scalar.BLOCK_FOLDED ? 80 : 0, ...(flow ? { collectionStyle: 'flow' as const } : {}) },
  )
  const body = written.replace(/^(?:\{ )?key:/, '').replace(flow ? / \}\n$/ : /\n$/, '')
  const put = indented(body, indentOf(text, map), eolOf(text)).slice(indentOf(text, map).length)
  const end = endOf(text, pair)
  const colon = text.indexOf(':', required(key.range)[0] + name.length) + 1
  const oneLine =
    !body.includes('\n') && old?.range && old.range[0] < old.range[1] && !text.slice(colon, end).includes('\n')
  const start = oneLine ? required(old.range)[0] : colon
  return { start, end: Math.max(end, start), put: oneLine ? put.trimStart() : put }
}

const indented = (block: string, indent: string, eol: string): string =>
  block.replace(/^(?=.)/gm, indent).replace(/\n/g, eol)

/** Returns `a: value`, nested for a longer path, with a line end. */
function pairText(path: Path, value: unknown, eol: string): string {
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return stringify(nested, { lineWidth: 0 }).replace(/\n/g, eol)
}
