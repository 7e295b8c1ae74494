/** Parses XML from identity providers within limits, and rejects constructs that two parsers might read differently. */
import { required } from '../../kernel/defined.js'
import { DOMParser } from '@xmldom/xmldom'
import { SamlRefused } from './refused.js'

/** Maximum size of the XML, in bytes. A response with hundreds of groups has 100 KB. */
export const XML_BYTES = 192 * 1024
const TAGS = 10_000
const DEPTH = 50
/** Maximum number of attributes per element. The parser searches its attribute list for each attribute. */
const ATTRIBUTES = 100

const DECLARATION =
  /^\s*<\?xml version=(["'])1\.0\1(?: encoding=(["'])utf-8\2)?(?: standalone=(["'])(?:yes|no)\3)?\s*\?>/i

/**
 * Parses a document. Declarations (DOCTYPE, entities), comments, CDATA sections and processing instructions are
 * rejected everywhere,
 * so that only elements, attributes and text remain. Throws `SamlRefused`.
 */
export function readXml(xml: string): Element {
  if (Buffer.byteLength(xml) > XML_BYTES) throw new SamlRefused(`The XML exceeds the limit of ${XML_BYTES} bytes.`)
  const body = xml.replace(DECLARATION, '')
  if (body.includes('<!'))
    throw new SamlRefused('The XML must not have a DOCTYPE, entities, comments or CDATA sections.')
  if (body.includes('<?')) throw new SamlRefused('The XML must not have processing instructions, and must be in UTF-8.')
  if (!/^\s*</.test(body)) throw new SamlRefused('The XML is not well-formed.')
  if (count(body, '<') > TAGS) throw new SamlRefused(`The XML exceeds the limit of ${TAGS} tags.`)
  for (const [tag] of body.matchAll(/<[^<]*/g))
    if (manyAttributes(tag)) throw new SamlRefused(`An element exceeds the limit of ${ATTRIBUTES} attributes.`)
  const root = parse(xml)
  checkDepth(root)
  return root
}

/** Whether a tag, with the text up to the next tag, has too many attributes. */
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
  // The parser does not check the nodes next to the root.
  for (let node = document?.firstChild; node; node = node.nextSibling)
    if (
      node.nodeType === 1
        ? node !== document.documentElement
        : node.nodeType === 3 && (node.nodeValue ?? '').trim() !== ''
    )
      fail()
  return document?.documentElement ?? fail()
}

/** Checks the depth without recursion: a tree as deep as its text is long must not exhaust the stack. */
function checkDepth(root: Element): void {
  let level: Element[] = [root]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > DEPTH) throw new SamlRefused(`The XML is nested more than ${DEPTH} levels deep.`)
    level = level.flatMap(children)
  }
}

/** Returns the child elements of an element, in order. */
export function children(element: Element): Element[] {
  const found: Element[] = []
  for (let node = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType === 1) found.push(node as Element)
  return found
}

/** Returns the child elements with this name. */
export const named = (element: Element, namespace: string, name: string): Element[] =>
  children(element).filter((child) => child.namespaceURI === namespace && child.localName === name)

/** Returns an element and all its descendants, in no particular order. */
export function all(root: Element): Element[] {
  const found = [root]
  for (let i = 0; i < found.length; i++) found.push(...children(required(found[i])))
  return found
}

/** Returns the only child element with this name. Throws `SamlRefused` if there is none, or several. */
export function only(element: Element, namespace: string, name: string): Element {
  const [first, ...more] = named(element, namespace, name)
  if (!first || more.length > 0) throw new SamlRefused(`There must be exactly one ${name} in the ${element.localName}.`)
  return first
}

/** Returns the trimmed text of an element without child elements. Throws `SamlRefused` for others. */
export function textOf(element: Element): string {
  if (children(element).length > 0) throw new SamlRefused(`The ${element.localName} must contain only text.`)
  return (element.textContent ?? '').trim()
}

/** Returns the value of an attribute without a namespace; null if it is missing. */
export const attribute = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null
