/** Makes the addresses in an HTML tree absolute. */
import type { Element, Root } from 'hast'
import { visit } from 'unist-util-visit'
import { attribute } from './html-tree.js'

const absolute = (target: string, base: string): string | null =>
  URL.canParse(target, base) ? new URL(target, base).href : null

/** Returns the base address for relative addresses: the page's address, or that of its `<base>`. */
export function baseOf(tree: Root, url: string): string {
  let base = url
  visit(tree, 'element', (element) => {
    if (element.tagName !== 'base' || attribute(element, 'href') === '') return
    base = absolute(attribute(element, 'href'), url) ?? url
    return false
  })
  return base
}

/** Returns the largest image of a `srcset`. */
function largestOf(srcset: string): string | null {
  const candidates = srcset
    .split(/,\s+/)
    .map((one) => one.trim().split(/\s+/))
    .filter(([target]) => target)
  const sizeOf = ([, size = '1']: string[]): number => Number.parseFloat(size) || 1
  return candidates.sort((a, b) => sizeOf(b) - sizeOf(a))[0]?.[0] ?? null
}

/** The attributes that contain the address of a lazily loaded image. */
const LAZY = ['dataSrc', 'dataOriginal', 'dataLazySrc'] as const

/** Returns the address of an image, even if it is loaded lazily or has several sizes; '' if there is none. */
function sourceOf(image: Element): string {
  const src = attribute(image, 'src')
  const lazy = LAZY.map((name) => attribute(image, name)).find((one) => one !== '')
  if (lazy !== undefined && (src === '' || src.startsWith('data:'))) return lazy
  return src || (largestOf(attribute(image, 'srcSet')) ?? '')
}

/** Makes the addresses of links and images absolute. Removes scripts (`javascript:`) and invalid addresses. */
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
