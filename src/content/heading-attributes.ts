/**
 * The attribute lists that Python-Markdown, kramdown, Pandoc and mdBook read at the end of a heading: `{#id}`, `{ #id
 * .class }`, `{: #id }`.
 */

/** Maximum length of an attribute list in characters, with the white space before it. */
import { defined, required } from '../kernel/defined.js'

const MAX_LENGTH = 300
const LIST = /(\s*)\{(:?)([^{}\r\n]*)\}\s*$/
const PART = /^(?:[#.][^\s#.{}"'=][^\s{}"'=]*|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"']+))$/

/** An attribute list. */
interface AttributeList {
  /** The list as written, without surrounding white space. */
  written: string
  /** The ID in the list, if any. */
  id?: string
  /** The length of the text before the list and its white space. */
  before: number
}

/** Finds the attribute list at the end of a heading's text. Returns null if there is none. */
export function findAttributeList(text: string): AttributeList | null {
  if (!text.includes('{')) return null
  const tail = text.slice(-MAX_LENGTH)
  const found = LIST.exec(tail)
  if (!found) return null
  const [whole, space = '', colon = '', inner = ''] = found
  const parts = inner.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  const isList =
    parts.length > 0 && parts.every((part) => PART.test(part)) && (colon !== '' || /^[#.]/.test(required(parts[0])))
  if (!isList) return null
  const id = parts.find((part) => part.startsWith('#'))?.slice(1)
  return {
    written: whole.slice(space.length).trimEnd(),
    before: text.length - whole.length,
    ...defined({ id }),
  }
}
