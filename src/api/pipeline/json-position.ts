/** Finds the position of the syntax error in malformed JSON, for the message of the 400. */
import { required } from '../../kernel/defined.js'

const SCALAR = /-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,400})?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/**
 * Returns the offset after the string that starts at `start`, or null. Written by hand, because a regular expression
 * over megabytes exhausts the stack.
 */
function endOfString(text: string, start: number): number | null {
  if (text[start] !== '"') return null
  for (let at = start + 1; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return null
    if (code !== 0x5c) at++
    else {
      ESCAPE.lastIndex = at
      if (!ESCAPE.test(text)) return null
      at = ESCAPE.lastIndex
    }
  }
  return null
}

/**
 * Returns the 0-based offset of the first token that is not valid JSON, or the length of the text if it ends too early.
 * For texts that `JSON.parse` has rejected: its own messages name no position for the majority of mistakes.
 */
export function jsonErrorPosition(text: string): number {
  const open: ('{' | '[')[] = []
  let at = 0
  const skipSpace = (): void => {
    while (at < text.length && ' \t\n\r'.includes(required(text[at]))) at++
  }
  const takeString = (): boolean => {
    const end = endOfString(text, at)
    if (end !== null) at = end
    return end !== null
  }
  const takeScalar = (): boolean => {
    SCALAR.lastIndex = at
    const found = SCALAR.test(text)
    if (found) at = SCALAR.lastIndex
    return found
  }
  const takeMark = (mark: string): boolean => {
    skipSpace()
    if (text[at] !== mark) return false
    at++
    return true
  }
  const takeKey = (): boolean => {
    skipSpace()
    return takeString() && takeMark(':')
  }
  for (;;) {
    skipSpace()
    if (takeMark('{')) {
      if (!takeMark('}')) {
        open.push('{')
        if (!takeKey()) return at
        continue
      }
    } else if (takeMark('[')) {
      if (!takeMark(']')) {
        open.push('[')
        continue
      }
    } else if (!takeString() && !takeScalar()) return at
    for (;;) {
      const inside = open.at(-1)
      skipSpace()
      if (inside === undefined) return at
      if (takeMark(',')) {
        if (inside === '{' && !takeKey()) return at
        break
      }
      if (!takeMark(inside === '{' ? '}' : ']')) return at
      open.pop()
    }
  }
}

/** Formats an offset as `line 2, column 7`. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`
}
