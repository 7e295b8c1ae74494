/** Parses the content of a tag between `{%` and `%}`: its name and its attributes. */

/** A parsed `{% … %}` tag. */
export interface Tag {
  /** The name of the block, without `end`. */
  name: string
  closing: boolean
  /** Everything between the name and `%}`, trimmed. */
  body: string
}

const WORD = /^\{%-?\s*([A-Za-z][\w/.-]*)/

/** Parses the source of one tag, from `{%` to `%}`. Returns null if no name follows `{%`. */
export function parseTag(source: string): Tag | null {
  const word = WORD.exec(source)
  const name = word?.[1]
  if (!word || name === undefined) return null
  const closing = name.length > 3 && name.startsWith('end')
  return {
    name: closing ? name.slice(3) : name,
    closing,
    body: source.slice(word[0].length, -2).replace(/-$/, '').trim(),
  }
}
