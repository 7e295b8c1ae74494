/** Checks the structure of a signature: the covered element and the algorithms. The cryptography follows. */
import { SamlRefused } from './refused.js'
import { SIGNATURE } from './structure.js'
import { attribute, children, named, only, textOf } from './xml.js'

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const CANONICAL: ReadonlySet<string> = new Set([EXCLUSIVE, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'])
const METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
])
const DIGESTS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
])

/**
 * Checks that a signature covers exactly its parent element, as a whole, with an algorithm that is not known to be
 * weak.
 * Throws `SamlRefused`.
 */
export function checkSignature(signature: Element): void {
  const signed = signature.parentNode as Element
  for (const child of children(signature))
    if (child.namespaceURI !== SIGNATURE || !['SignedInfo', 'SignatureValue', 'KeyInfo'].includes(child.localName))
      throw new SamlRefused('A signature must only contain SignedInfo, SignatureValue and KeyInfo.')
  textOf(only(signature, SIGNATURE, 'SignatureValue'))
  if (named(signature, SIGNATURE, 'KeyInfo').length > 1)
    throw new SamlRefused('A signature must have at most one KeyInfo.')
  const info = only(signature, SIGNATURE, 'SignedInfo')
  if (children(info).length !== 3)
    throw new SamlRefused('A signature must have one canonicalization, one method and one reference.')
  expect(only(info, SIGNATURE, 'CanonicalizationMethod'), CANONICAL, 'canonicalization')
  const method = only(info, SIGNATURE, 'SignatureMethod')
  expect(method, METHODS, 'algorithm')
  if (children(method).length > 0) throw new SamlRefused('The algorithm of a signature must not have parameters.')
  checkReference(only(info, SIGNATURE, 'Reference'), attribute(signed, 'ID'))
}

function checkReference(reference: Element, id: string | null): void {
  // Only XML names, so that a lookup by ID cannot be an expression.
  if (id === null || !/^[A-Za-z_][\w.-]{0,255}$/.test(id)) throw new SamlRefused('The signed element must have an ID.')
  if (attribute(reference, 'URI') !== `#${id}`) throw new SamlRefused('A signature must cover its parent element.')
  expect(only(reference, SIGNATURE, 'DigestMethod'), DIGESTS, 'digest')
  textOf(only(reference, SIGNATURE, 'DigestValue'))
  const transforms = children(only(reference, SIGNATURE, 'Transforms')).map((one) => attribute(one, 'Algorithm') ?? '')
  const [enveloped, canonical, ...more] = transforms
  if (enveloped !== ENVELOPED || more.length > 0 || (canonical !== undefined && !CANONICAL.has(canonical)))
    throw new SamlRefused('A signature must only have the transforms of an enveloped signature.')
}

function expect(element: Element, allowed: ReadonlySet<string>, what: string): void {
  if (!allowed.has(attribute(element, 'Algorithm') ?? ''))
    throw new SamlRefused(
      `The ${what} of the signature is not accepted. Use RSA with SHA-256 or SHA-512, and canonicalization without comments.`,
    )
}
