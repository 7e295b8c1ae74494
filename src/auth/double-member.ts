/** Finds members that a JSON object has twice: readers disagree about which of them counts. */

/** Deepest nesting that is looked into; what is nested deeper counts as double, so that it is refused. */
const MAX_DEPTH = 32
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/** Whether an object in a valid JSON text has a member twice, escapes resolved. Linear in the text. */
export function hasDoubleMember(json: string): boolean {
  /** The members of each open object; null for an open list. */
  const open: (Set<string> | null)[] = []
  let text: string | null = null
  for (const [token] of json.matchAll(TOKENS)) {
    const names = open.at(-1)
    if (token === ':' && names && text !== null) {
      const name = JSON.parse(text) as string
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
