/** Parses HTML into a tree (hast) with a limit for its nodes. */
import type { Element, Root } from 'hast'
import rehypeParse from 'rehype-parse'
import { unified } from 'unified'
import { SKIP, visit } from 'unist-util-visit'
import { Unconvertible } from './refused.js'

/** Maximum number of nodes of one page. A long reference page has 50,000. */
const MAX_NODES = 300_000

const parser = unified().use(rehypeParse, { fragment: false })

/** Parses a whole page. Throws `Unconvertible` if it has too many nodes. */
export function parseHtml(html: string): Root {
  const tree = parser.parse(html)
  let nodes = 0
  visit(tree, () => {
    if (++nodes > MAX_NODES)
      throw new Unconvertible(`It has more than ${MAX_NODES} elements and texts. Split it into smaller pages.`)
  })
  return tree
}

/** Returns an attribute as text; '' if it is absent. */
export function attribute(element: Element, name: string): string {
  const value = element.properties[name]
  return value === undefined || value === null || typeof value === 'boolean'
    ? ''
    : Array.isArray(value)
      ? value.join(' ')
      : String(value)
}

/** Removes the elements that match `unwanted`. */
export function removeElements(tree: Root | Element, unwanted: (element: Element) => boolean): void {
  visit(tree, 'element', (element, index, parent) => {
    if (!parent || index === undefined || !unwanted(element)) return
    parent.children.splice(index, 1)
    return [SKIP, index]
  })
}
