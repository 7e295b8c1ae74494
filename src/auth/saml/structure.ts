/** Checks the structure of a response before any signature: one assertion in its place, and no unexpected elements. */
import { required } from '../../kernel/defined.js'
import { SamlRefused } from './refused.js'
import { all, attribute, children, named, only } from './xml.js'

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'

/** The allowed children of a response and of an assertion, by namespace and name, with their maximum number. */
const IN_RESPONSE: Readonly<Record<string, number>> = {
  [`${ASSERTION} Issuer`]: 1,
  [`${SIGNATURE} Signature`]: 1,
  [`${PROTOCOL} Status`]: 1,
  [`${ASSERTION} Assertion`]: 1,
}
const IN_ASSERTION: Readonly<Record<string, number>> = {
  [`${ASSERTION} Issuer`]: 1,
  [`${SIGNATURE} Signature`]: 1,
  [`${ASSERTION} Subject`]: 1,
  [`${ASSERTION} Conditions`]: 1,
  [`${ASSERTION} AuthnStatement`]: 10,
  [`${ASSERTION} AttributeStatement`]: 10,
}

/** A response with a valid structure. */
export interface CheckedResponse {
  response: Element
  assertion: Element
  /** The signature of the assertion. */
  signature: Element
  /** The signature of the response; absent if there is none. */
  outerSignature?: Element
}

/** Checks the structure of a whole document. Throws `SamlRefused`. */
export function checkForm(root: Element): CheckedResponse {
  if (root.namespaceURI !== PROTOCOL || root.localName !== 'Response')
    throw new SamlRefused('The document must be a SAML 2.0 Response.')
  const elements = all(root)
  if (elements.some(({ localName }) => localName === 'EncryptedAssertion'))
    throw new SamlRefused('The assertion must not be encrypted. https already encrypts the response.')
  checkIds(elements)
  checkStatus(root)
  checkChildren(root, IN_RESPONSE)
  const assertion = only(root, ASSERTION, 'Assertion')
  for (const name of ['Assertion', 'Response'])
    if (elements.filter(({ localName }) => localName === name).length !== 1)
      throw new SamlRefused(`There must be exactly one ${name}.`)
  checkAssertion(assertion)
  const [signature] = named(assertion, SIGNATURE, 'Signature')
  if (!signature) throw new SamlRefused('The assertion must be signed. A signature of only the response is not enough.')
  const [outerSignature] = named(root, SIGNATURE, 'Signature')
  const signatures = elements.filter(({ localName }) => localName === 'Signature')
  if (signatures.length !== (outerSignature ? 2 : 1))
    throw new SamlRefused('Only the Assertion and the Response may have a Signature.')
  return { response: root, assertion, signature, ...(outerSignature ? { outerSignature } : {}) }
}

/** Checks the children of an assertion, and its version. */
export function checkAssertion(assertion: Element): void {
  if (assertion.namespaceURI !== ASSERTION || assertion.localName !== 'Assertion')
    throw new SamlRefused('The document must contain a SAML 2.0 Assertion.')
  checkChildren(assertion, IN_ASSERTION)
  if (attribute(assertion, 'Version') !== '2.0') throw new SamlRefused('The version of the assertion must be 2.0.')
}

function checkChildren(element: Element, allowed: Readonly<Record<string, number>>): void {
  const seen = new Map<string, number>()
  for (const { namespaceURI, localName } of children(element)) {
    const key = `${namespaceURI} ${localName}`
    const times = (seen.get(key) ?? 0) + 1
    seen.set(key, times)
    if (!Object.hasOwn(allowed, key)) throw new SamlRefused(`The ${element.localName} has an unexpected element.`)
    if (times > required(allowed[key]))
      throw new SamlRefused(`The ${element.localName} has too many ${localName} elements.`)
  }
}

/** Throws if an ID is not unique, for every attribute that a parser could treat as the ID. */
function checkIds(elements: readonly Element[]): void {
  const ids = new Set<string>()
  for (const element of elements)
    for (let i = 0; i < element.attributes.length; i++) {
      const { localName, name, value } = required(element.attributes.item(i))
      if ((localName ?? name).toLowerCase() !== 'id') continue
      if (ids.has(value)) throw new SamlRefused('An ID occurs twice in the response.')
      ids.add(value)
    }
}

/** Throws unless the status is success. A provider reports in it why it did not sign the person in. */
function checkStatus(response: Element): void {
  const code = attribute(only(only(response, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode'), 'Value')
  if (code !== SUCCESS) throw new SamlRefused('The identity provider did not sign you in.')
}
