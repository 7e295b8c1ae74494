/** Reads XML of identity providers into a tree, within bounds, and refuses what two parsers might read differently. */
import { DOMParser } from '@xmldom/xmldom'
import { SamlRefused } from './refused.js'

/** Bytes of the XML. A response with hundreds of groups has 100 KB. */
export const XML_BYTES = 192 * 1024
const TAGS = 10_000
const DEPTH = 50
/** Attributes of one element. Those of a parser are a list that is gone through for each of them. */
const ATTRIBUTES = 100

const DECLARATION =
  /^\s*<\?xml version=(["'])1\.0\1(?: encoding=(["'])utf-8\2)?(?: standalone=(["'])(?:yes|no)\3)?\s*\?>/i

/**
 * Parses a document. Declarations (DOCTYPE, entities), comments, CDATA sections and processing instructions are refused wherever they
 * stand, so that what is left are elements, attributes and text. Throws `SamlRefused`.
 */
export function readXml(xml: string): Element {
  if (Buffer.byteLength(xml) > XML_BYTES) throw new SamlRefused(`The XML must have at most ${XML_BYTES} bytes.`)
  const body = xml.replace(DECLARATION, '')
  if (body.includes('<!')) throw new SamlRefused('The XML must have no DOCTYPE, entities, comments or CDATA sections.')
  if (body.includes('<?')) throw new SamlRefused('The XML must have no processing instructions, and be in UTF-8.')
  if (!/^\s*</.test(body)) throw new SamlRefused('The XML is not well-formed.')
  if (count(body, '<') > TAGS) throw new SamlRefused(`The XML must have at most ${TAGS} tags.`)
  for (const [tag] of body.matchAll(/<[^<]*/g))
    if (manyAttributes(tag)) throw new SamlRefused(`An element must have at most ${ATTRIBUTES} attributes.`)
  const root = parse(xml)
  checkDepth(root)
  return root
}

/** Whether what begins with a tag, up to the next one, has more attributes than an element may have. */
function manyAttributes(text: string): boolean {
  let found = 0
  for (const _ of text.matchAll(/=\s*["']/g)) if (++found > ATTRIBUTES) return true
  return false
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found++
  return found
}

function parse(xml: string): Element {
  const fail = (): never => {
    throw new SamlRefused('The XML is not well-formed.')
  }
  const errorHandler = { warning: fail, error: fail, fatalError: fail }
  const document = new DOMParser({ locator: {}, errorHandler }).parseFromString(xml, 'text/xml')
  // the parser takes what stands beside the root for granted
  for (let node = document?.firstChild; node; node = node.nextSibling)
    if (
      node.nodeType === 1
        ? node !== document.documentElement
        : node.nodeType === 3 && (node.nodeValue ?? '').trim() !== ''
    )
      fail()
  return document?.documentElement ?? fail()
}

/** Without recursion: a tree as deep as its text is long must not exhaust the stack. */
function checkDepth(root: Element): void {
  let level: Element[] = [root]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > DEPTH) throw new SamlRefused(`The XML must have at most ${DEPTH} levels.`)
    level = level.flatMap(children)
  }
}

/** The elements right below an element, in order. */
export function children(element: Element): Element[] {
  const found: Element[] = []
  for (let node = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType === 1) found.push(node as Element)
  return found
}

/** The elements right below an element that have a name. */
export const named = (element: Element, namespace: string, name: string): Element[] =>
  children(element).filter((child) => child.namespaceURI === namespace && child.localName === name)

/** An element and all below it, in no particular order. */
export function all(root: Element): Element[] {
  const found = [root]
  for (let i = 0; i < found.length; i++) found.push(...children(found[i] as Element))
  return found
}

/** The only element of a name right below; throws `SamlRefused` if there is none, or several. */
export function only(element: Element, namespace: string, name: string): Element {
  const [first, ...more] = named(element, namespace, name)
  if (!first || more.length > 0) throw new SamlRefused(`There must be exactly one ${name} in the ${element.localName}.`)
  return first
}

/** The text of an element without elements in it, trimmed. Throws `SamlRefused` for others. */
export function textOf(element: Element): string {
  if (children(element).length > 0) throw new SamlRefused(`The ${element.localName} must contain only text.`)
  return (element.textContent ?? '').trim()
}

/** The value of an attribute without a namespace; null if it is missing. */
export const attribute = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null
