/** Parses the response of an engine for a segment. */
import { required } from '../../kernel/defined.js'
import { decodeReferences } from '../blocks/html.js'
import type { Code, Piece } from './pieces.js'

/** Maximum length of a response, relative to the request: this factor, plus this many characters. */
const MAX_RESPONSE = { factor: 10, plus: 1_000 }

/** Control characters, and unpaired surrogates. */
const INVALID = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\p{Cs}/u
const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y
const ID = /\sid\s*=\s*["'](\d{1,4})["']/
const VOID = new Set(['img', 'br'])

interface Open {
  id: number
  name: string
  children: Piece[]
}

/**
 * Returns the pieces of a response that contains every placeholder of `codes` exactly once, well nested. Returns null
 * for any other response, because responses are untrusted.
 */
export function readEngineResponse(answer: string, codes: readonly Code[], asked: string): Piece[] | null {
  const text = answer.replace(/\s*[\r\n\u2028\u2029]\s*/g, ' ').trim()
  if (text === '' || text.length > asked.length * MAX_RESPONSE.factor + MAX_RESPONSE.plus || INVALID.test(text))
    return null
  const stack: Open[] = [{ id: 0, name: '', children: [] }]
  const used = new Set<number>()
  let at = 0
  while (at < text.length) {
    const next = text.indexOf('<', at)
    const end = next < 0 ? text.length : next
    addText(required(stack.at(-1)), text.slice(at, end))
    if (next < 0) break
    TAG.lastIndex = next
    const tag = TAG.exec(text)
    if (!tag || !takeTag(tag, stack, codes, used)) return null
    at = TAG.lastIndex
  }
  return stack.length === 1 && used.size === codes.length ? required(stack[0]).children : null
}

function addText({ children }: Open, source: string): void {
  if (source === '') return
  const value = decodeReferences(source).replace(/[\0-\x1f\x7f]+/g, ' ')
  const last = children.at(-1)
  if (last?.type === 'text') last.value += value
  else children.push({ type: 'text', raw: '', value })
}

function takeTag(
  [, slash, name = '', attributes = '', empty]: RegExpExecArray,
  stack: Open[],
  codes: readonly Code[],
  used: Set<number>,
): boolean {
  if (slash) return closeTag(name, stack, codes)
  const id = Number(ID.exec(attributes)?.[1] ?? 0)
  const code = codes[id - 1]
  if (!code || used.has(id)) return false
  used.add(id)
  const isEmpty = empty === '/' || VOID.has(name.toLowerCase())
  if (isEmpty) return code.close === undefined && put(stack, { type: 'atom', raw: code.open })
  stack.push({ id, name, children: [] })
  return true
}

function closeTag(name: string, stack: Open[], codes: readonly Code[]): boolean {
  const open = stack.pop()
  if (!open || stack.length === 0 || open.name.toLowerCase() !== name.toLowerCase()) return false
  const code = required(codes[open.id - 1])
  if (code.close !== undefined) return put(stack, ...outsideSpace(code.open, code.close, open.children))
  const isBlank = open.children.every((piece) => piece.type === 'text' && piece.value.trim() === '')
  return isBlank && put(stack, { type: 'atom', raw: code.open })
}

function put(stack: Open[], ...pieces: Piece[]): boolean {
  stack.at(-1)?.children.push(...pieces)
  return true
}

/** Moves white space out of a pair, because emphasis cannot start or end with it. */
function outsideSpace(open: string, close: string, children: Piece[]): Piece[] {
  const [first, last] = [children[0], children.at(-1)]
  const before = first?.type === 'text' ? (/^\s*/.exec(first.value)?.[0] ?? '') : ''
  if (first?.type === 'text') first.value = first.value.trimStart()
  const after = last?.type === 'text' ? (/\s*$/.exec(last.value)?.[0] ?? '') : ''
  if (last?.type === 'text') last.value = last.value.trimEnd()
  const space = (value: string): Piece[] => (value === '' ? [] : [{ type: 'text', raw: '', value: ' ' }])
  return [...space(before), { type: 'pair', open, close, children }, ...space(after)]
}
