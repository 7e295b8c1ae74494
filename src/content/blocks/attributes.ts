/** The attributes of a `{% … %}` tag. */
import { required } from '../../kernel/defined.js'
export interface TagAttributes {
  /** `name=value` in source order; a bare word is `true`. */
  named: Record<string, string | boolean>
  /** Quoted strings without a name. */
  positional: string[]
}

const CLOSERS: Record<string, string> = {
  '"': '"',
  "'": "'",
  '“': '”“"',
  '”': '”“"',
  '„': '”“"',
  '‟': '”“"',
  '‘': "’‘'",
  '’': "’‘'",
}
const NAME = /[^\s=]+/y
const SPACE = /\s*/y
const BARE = /\S*/y
function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** Reads the quoted string at `at`; null if there is none, or if it is not closed. A backslash escapes a quote or a backslash. */
function quoted(text: string, at: number): { value: string; end: number } | null {
  const closers = CLOSERS[text[at] ?? '']
  if (closers === undefined) return null
  let value = ''
  for (let i = at + 1; i < text.length; i++) {
    const char = required(text[i])
    const next = text[i + 1]
    if (char === '\\' && next !== undefined && (next === '\\' || next in CLOSERS)) {
      value += next
      i++
    } else if (closers.includes(char)) return { value, end: i + 1 }
    else value += char
  }
  return null
}

/**
 * Parses `a="b" c=d flag "positional"`. Never throws: malformed parts become bare words. A repeated name keeps its
 * first value.
 */
export function parseAttributes(text: string): TagAttributes {
  const named = new Map<string, string | boolean>()
  const positional: string[] = []
  const set = (name: string, value: string | boolean) => named.has(name) || named.set(name, value)
  let at = 0
  while ((at += match(SPACE, text, at).length) < text.length) {
    const string = quoted(text, at)
    if (string) {
      positional.push(string.value)
      at = string.end
      continue
    }
    const name = match(NAME, text, at)
    at += name.length
    if (text[at] !== '=') {
      set(name, true)
      continue
    }
    at++
    const value = quoted(text, at)
    const bare = value ? '' : match(BARE, text, at)
    if (name) set(name, value?.value ?? bare)
    at = value?.end ?? at + bare.length
  }
  return { named: Object.fromEntries(named), positional }
}
