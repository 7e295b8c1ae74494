/** Parses HTML into a tree (hast) with a bound on its nodes, and makes its addresses absolute. */
import type { Element, Root, RootContent } from 'hast'
import rehypeParse from 'rehype-parse'
import { unified } from 'unified'
import { SKIP, visit } from 'unist-util-visit'
import { Unconvertible } from './refused.js'

/** Most nodes of one page: a long reference page has 50,000. */
const MAX_NODES = 300_000

const parser = unified().use(rehypeParse, { fragment: false })

/** Parses a whole page. Throws `Unconvertible` if it has too many nodes. */
export function parseHtml(html: string): Root {
  const tree = parser.parse(html) as Root
  let nodes = 0
  visit(tree, () => {
    if (++nodes > MAX_NODES) throw new Unconvertible(`It has more than ${MAX_NODES} elements and texts. Split it into smaller pages.`)
  })
  return tree
}

/** An attribute as text; '' if it is absent. */
export function attribute(element: Element, name: string): string {
  const value = element.properties[name]
  return value === undefined || value === null || typeof value === 'boolean' ? '' : Array.isArray(value) ? value.join(' ') : String(value)
}

const absolute = (target: string, base: string): string | null => (URL.canParse(target, base) ? new URL(target, base).href : null)

/** The address that relative ones in the page refer to: the page's own, or what its `<base>` says. */
export function baseOf(tree: Root, url: string): string {
  let base = url
  visit(tree, 'element', (element) => {
    if (element.tagName !== 'base' || attribute(element, 'href') === '') return
    base = absolute(attribute(element, 'href'), url) ?? url
    return false
  })
  return base
}

/** The largest image of a `srcset`. */
function largestOf(srcset: string): string | null {
  const candidates = srcset
    .split(/,\s+/)
    .map((one) => one.trim().split(/\s+/))
    .filter(([target]) => target)
  const sizeOf = ([, size = '1']: string[]): number => Number.parseFloat(size) || 1
  return candidates.sort((a, b) => sizeOf(b) - sizeOf(a))[0]?.[0] ?? null
}

/** Where lazily loaded images keep their address. */
const LAZY = ['dataSrc', 'dataOriginal', 'dataLazySrc'] as const

function sourceOf(image: Element): string {
  const src = attribute(image, 'src')
  const lazy = LAZY.map((name) => attribute(image, name)).find((one) => one !== '')
  if (lazy !== undefined && (src === '' || src.startsWith('data:'))) return lazy
  return src || (largestOf(attribute(image, 'srcSet')) ?? '')
}

/** Makes the addresses of links and images absolute. What is no address loses it: scripts (`javascript:`), and what cannot be parsed. */
export function absolutize(tree: Root, base: string): void {
  visit(tree, 'element', (element) => {
    const { properties, tagName } = element
    if (tagName === 'a') {
      const href = attribute(element, 'href')
      const target = href === '' ? null : absolute(href, base)
      if (target !== null && /^(https?|mailto|tel|ftp|archive):/.test(target)) properties.href = target
      else delete properties.href
    }
    if (tagName === 'img') {
      const target = absolute(sourceOf(element), base)
      if (target !== null && /^(https?|data|archive):/.test(target)) properties.src = target
      else delete properties.src
    }
    if (['iframe', 'video', 'audio', 'source'].includes(tagName) && attribute(element, 'src') !== '') {
      const target = absolute(attribute(element, 'src'), base)
      if (target !== null && /^https?:|^archive:/.test(target)) properties.src = target
      else delete properties.src
    }
  })
}

/** Removes the elements for which `unwanted` holds. */
export function removeElements(tree: Root | Element, unwanted: (element: Element) => boolean): void {
  visit(tree, 'element', (element, index, parent) => {
    if (!parent || index === undefined || !unwanted(element)) return
    ;(parent.children as RootContent[]).splice(index, 1)
    return [SKIP, index]
  })
}
