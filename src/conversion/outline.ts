/** The task that reads the nested link lists of an index page: the order and the tree of an export's pages. */
import type { Element } from 'hast'
import { selectAll } from 'hast-util-select'
import { pack } from './container.js'
import { decodeText } from './decode-text.js'
import { attribute, parseHtml } from './html-tree.js'
import { absolutize } from './html-addresses.js'

const MAX_ROWS = 10_000
const MAX_URL = 2_048

/** The links of an index in order, each with its depth from 0. */
export interface OutlineFacts {
  rows: [depth: number, url: string][]
}

/** Reads the first link of every list item and its nesting depth. */
export function readOutline(bytes: Uint8Array, url: string): Uint8Array {
  const tree = parseHtml(decodeText(bytes))
  absolutize(tree, url)
  const rows: OutlineFacts['rows'] = []
  const visit = (element: Element, depth: number): void => {
    for (const child of element.children) {
      if (child.type !== 'element' || rows.length >= MAX_ROWS) continue
      if (child.tagName === 'ul' || child.tagName === 'ol') visit(child, depth + 1)
      else {
        const [link] = child.tagName === 'a' ? [child] : []
        if (link && attribute(link, 'href') !== '' && attribute(link, 'href').length <= MAX_URL)
          rows.push([Math.max(0, depth), attribute(link, 'href').replace(/#.*$/s, '')])
        visit(child, depth)
      }
    }
  }
  for (const body of selectAll('body', tree)) visit(body, -1)
  return pack({ rows } satisfies OutlineFacts)
}
