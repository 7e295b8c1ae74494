import { Lexer, Parser } from 'yaml'

/** Open lists, maps and documents at a time: many more than settings have. */
const MAX_OPEN = 100
const LEADS = new Set([' ', '\t', '-', '?', ':'])

/**
 * Throws a `RangeError` for YAML whose lists and maps lie too deep in each other. To be asked before such a text is composed: that
 * recurses, and a regular expression that is compiled for the first time where the stack ends ends the whole process.
 */
export function checkNesting(text: string): void {
  if (mostOpen(text) <= MAX_OPEN) return
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_OPEN) throw new RangeError('it is nested too deeply')
  }
}

/** At least as many as can be open at a time: each bracket opens one, and block lists and maps lie deeper column by column. */
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
