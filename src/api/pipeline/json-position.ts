const SPACE = /[ \t\n\r]*/y
const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y

/**
 * Where a text stops being JSON (0-based offset of the token that does not fit; its length where it ends too early).
 * For texts that `JSON.parse` has refused: its own messages name no position for most mistakes.
 */
export function jsonErrorPosition(text: string): number {
  const open: ('{' | '[')[] = []
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found !== null
  }
  const takeMark = (mark: string): boolean => {
    take(SPACE)
    if (text[at] !== mark) return false
    at++
    return true
  }
  const takeKey = (): boolean => {
    take(SPACE)
    return take(STRING) && takeMark(':')
  }
  for (;;) {
    take(SPACE)
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
    } else if (!take(SCALAR)) return at
    for (;;) {
      const inside = open.at(-1)
      take(SPACE)
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

/** `line 2, column 7` of an offset. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`
}
