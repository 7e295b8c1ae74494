// Refuses YAML that is nested too deeply, before a parser recurses into it.
import { Lexer, Parser } from 'yaml'

/** Most lists, maps and documents that may be open at the same time: far more than settings need. */
const MAX_OPEN = 100
const LEADS = new Set([' ', '\t', '-', '?', ':'])

/**
 * Throws a `RangeError` for YAML whose lists and maps are nested too deeply. Call this before composing a text that anybody may
 * have written: composing recurses, and a regular expression that V8 compiles when the stack is full ends the whole process.
 */
export function checkNesting(text: string): void {
  if (mostOpen(text) <= MAX_OPEN) return
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_OPEN) throw new RangeError('it is nested too deeply')
  }
}

/** An upper bound of what can be open at the same time: each bracket opens one, and so may each column of indentation. */
function mostOpen(text: string): number {
  let [brackets, deepest, lead] = [0, 0, 0]
  let leading = true
  for (const character of text) {
    if (character === '\n') [leading, lead] = [true, 0]
    else if (leading && LEADS.has(character)) deepest = Math.max(deepest, ++lead)
    else {
      leading = false
      if (character === '[' || character === '{') brackets++
    }
  }
  return brackets + deepest
}
