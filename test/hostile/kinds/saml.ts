import { type Kind, fill, lines } from './kind.js'

const HEAD = '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r" Version="2.0"'
const STATUS = '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>'
const ASSERTION = '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_a" Version="2.0">'
const response = (inside: string, attributes = ''): string =>
  `${HEAD}${attributes}>${STATUS}${ASSERTION}${inside}</saml:Assertion></samlp:Response>`
const ROOM = 400

const signature = (reference: string): string =>
  `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>${reference}</ds:SignedInfo><ds:SignatureValue>AAAA</ds:SignatureValue></ds:Signature>`
const reference = (transforms: string, digest = 'AAAA'): string =>
  `<ds:Reference URI="#_a"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>${transforms}</ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`

/** XML that is posted as a response of an identity provider. */
export const saml: Kind[] = [
  { name: 'levels', make: (bytes) => response('<a>'.repeat((bytes - ROOM) / 7) + '</a>'.repeat((bytes - ROOM) / 7)) },
  { name: 'tags left open', make: (bytes) => `${HEAD}>${fill('<a>', bytes - ROOM)}` },
  { name: 'elements', make: (bytes) => response(fill('<a/>', bytes - ROOM)) },
  {
    name: 'attributes',
    make: (bytes) =>
      response(
        '',
        lines(bytes - ROOM, (n) => ` a${n}="b"`),
      ),
  },
  {
    name: 'namespaces',
    make: (bytes) =>
      response(
        '',
        lines(bytes - ROOM, (n) => ` xmlns:a${n}="b"`),
      ),
  },
  {
    name: 'namespaces of many elements',
    make: (bytes) => response(lines(bytes - ROOM, (n) => `<p:a xmlns:p="u${n}"/>`)),
  },
  { name: 'IDs', make: (bytes) => response(lines(bytes - ROOM, (n) => `<a ID="i${n}"/>`)) },
  {
    name: 'entities',
    make: (bytes) =>
      `<!DOCTYPE r [${lines(bytes - 1000, (n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`)}]>${response('&e30;')}`,
  },
  { name: 'references of characters', make: (bytes) => response(fill('&#65;', bytes - ROOM)) },
  { name: 'comments', make: (bytes) => response(fill('<!---->', bytes - ROOM)) },
  { name: 'a comment left open', make: (bytes) => response(`<!--${fill('-', bytes - ROOM)}`) },
  { name: 'one value', make: (bytes) => response(`<a b="${fill('x', bytes - ROOM)}"/>`) },
  { name: 'signatures', make: (bytes) => response(fill(signature(reference('')), bytes - ROOM)) },
  { name: 'references', make: (bytes) => response(signature(fill(reference(''), bytes - 2 * ROOM - 200))) },
  {
    name: 'transforms',
    make: (bytes) =>
      response(
        signature(reference(fill('<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>', bytes - 1200))),
      ),
  },
  { name: 'a digest', make: (bytes) => response(signature(reference('', fill('A', bytes - 1400)))) },
  { name: 'quotes', make: (bytes) => response(fill('="', bytes - ROOM)) },
  { name: 'spaces in a tag', make: (bytes) => response(`<a${fill(' ', bytes - ROOM)}/>`) },
]

/** Texts that are sent as the JWT of a visitor. */
export const tokens: Kind[] = [
  { name: 'dots', make: (bytes) => fill('.', bytes) },
  { name: 'one part', make: (bytes) => fill('A', bytes) },
  {
    name: 'a payload nested',
    make: (bytes) => `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('['.repeat((bytes * 3) / 4 - 60)).toString('base64url')}.AAAA`,
  },
  {
    name: 'a payload of equal members',
    make: (bytes) =>
      `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(`{${fill('"a":1,', (bytes * 3) / 4 - 60)}"a":1}`).toString('base64url')}.AAAA`,
  },
  {
    name: 'a header of members',
    make: (bytes) =>
      `${Buffer.from(`{${lines((bytes * 3) / 4 - 60, (n) => `"k${n}":1,`)}"alg":"HS256"}`).toString('base64url')}.e30.AAAA`,
  },
]
