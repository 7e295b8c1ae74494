// Rejects YAML that is nested too deeply, before a parser recurses into it.
import { Lexer, Parser } from 'yaml'

/** Maximum number of lists, maps and documents that are open at the same time: far more than settings need. */
const MAX_OPEN = 100
const LEADS = new Set([' ', '\t', '-', '?', ':'])

/**
 * Throws a `RangeError` for YAML whose lists and maps are nested too deeply. Call this before composing an untrusted
 * text. Composing recurses, and a regular expression that V8 compiles on a full stack ends the whole process.
 */
export function checkNesting(text: string): void {
  if (maxNesting(text) <= MAX_OPEN) return
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_OPEN) throw new RangeError('it is nested too deeply')
  }
}

/** Returns an upper bound for the nesting. Each bracket opens one level, and so may each column of indentation. */
function maxNesting(text: string): number {
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
