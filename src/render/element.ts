/**
 * Creates elements of HTML trees. Texts and attributes are plain values, which are escaped when the tree is printed.
 */
import type { Properties } from 'hast'
import type { Html, HtmlElement } from './types.js'

type Child = Html | string | null | Child[]
type Attributes = Record<string, string | number | boolean | readonly string[] | null | undefined>

/** Creates an element. Omits attributes that are null, undefined, false or '', and children that are null. */
export function h(tagName: string, attributes: Attributes = {}, ...children: Child[]): HtmlElement {
  const properties: Properties = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (
      value === null ||
      value === undefined ||
      value === false ||
      value === '' ||
      (Array.isArray(value) && value.length === 0)
    )
      continue
    properties[name] = typeof value === 'object' ? [...value] : value
  }
  return { type: 'element', tagName, properties, children: flat(children) }
}

function flat(children: readonly Child[]): Html[] {
  const out: Html[] = []
  for (const child of children) {
    if (child === null || child === '') continue
    if (typeof child === 'string') out.push({ type: 'text', value: child })
    else if (Array.isArray(child)) for (const one of flat(child)) out.push(one)
    else out.push(child)
  }
  return out
}

/** Matches the first letter that has a text direction. */
const STRONG = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{L}]/u
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/**
 * Returns the direction of an element that contains several texts, from its first letter; null for left to right.
 * (`dir="auto"` considers only an element's own text, because the elements in it have their own direction.) Code is
 * ignored.
 */
function directionOf(nodes: readonly Html[]): 'rtl' | null {
  return firstStrong(nodes) === 'rtl' ? 'rtl' : null
}

function firstStrong(nodes: readonly Html[]): 'rtl' | 'ltr' | null {
  for (const node of nodes) {
    const found =
      node.type === 'text'
        ? ofText(node.value)
        : node.type === 'element' && node.properties['dir'] !== 'ltr'
          ? firstStrong(node.children)
          : null
    if (found) return found
  }
  return null
}

function ofText(text: string): 'rtl' | 'ltr' | null {
  const letter = STRONG.exec(text)?.[0]
  return letter === undefined ? null : RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'
}

/** Number of characters that decide the direction of an element. */
const DECIDING = 2_000
const LETTER = /\p{L}/u

/** Returns the direction of most letters in a tree, outside of code; null without letters. */
export function directionOfMost(nodes: readonly Html[]): 'rtl' | 'ltr' | null {
  const counts = { rtl: 0, ltr: 0, left: DECIDING }
  count(nodes, counts)
  return counts.rtl + counts.ltr === 0 ? null : counts.rtl > counts.ltr ? 'rtl' : 'ltr'
}

function count(nodes: readonly Html[], counts: { rtl: number; ltr: number; left: number }): void {
  for (const node of nodes) {
    if (counts.left <= 0) return
    if (node.type === 'element' && node.properties['dir'] !== 'ltr') count(node.children, counts)
    if (node.type !== 'text') continue
    for (const char of node.value.slice(0, counts.left))
      if (LETTER.test(char)) counts[RIGHT_TO_LEFT.test(char) ? 'rtl' : 'ltr']++
    counts.left -= node.value.length
  }
}

/** Creates an element that contains blocks, with their direction. */
export const holder = (tagName: string, attributes: Attributes, content: Html[]): HtmlElement =>
  h(tagName, { ...attributes, dir: directionOf(content) }, content)

/** Returns the text of a tree. */
export function textIn(nodes: readonly Html[]): string {
  return nodes
    .map((node) => (node.type === 'text' ? node.value : node.type === 'element' ? textIn(node.children) : ''))
    .join('')
}
