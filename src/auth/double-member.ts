/** Finds duplicate members of JSON objects. Parsers disagree about which of them counts. */

/** Maximum nesting depth. Deeper texts are treated as having a duplicate, so that they are rejected. */
const MAX_DEPTH = 32
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/** Whether an object in a valid JSON text has a duplicate member, after resolving escapes. Linear in the text. */
export function hasDoubleMember(json: string): boolean {
  /** The members of each open object; null for an open list. */
  const open: (Set<string> | null)[] = []
  let text: string | null = null
  for (const [token] of json.matchAll(TOKENS)) {
    const names = open.at(-1)
    if (token === ':' && names && text !== null) {
      const name: string = JSON.parse(text)
      if (names.has(name)) return true
      names.add(name)
    }
    text = token.startsWith('"') ? token : null
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    if (token === '}' || token === ']') open.pop()
    if (open.length > MAX_DEPTH) return true
  }
  return false
}
