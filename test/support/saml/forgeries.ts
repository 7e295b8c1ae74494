/** Forged responses beyond the known wrapping attacks, derived from a response that is signed for the attacker. */
import { createHmac, createPublicKey } from 'node:crypto'
import { EXCLUSIVE } from './idp.js'

const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#'
const between = (xml: string, start: string, end: string): string => {
  const from = xml.indexOf(start)
  return xml.slice(from, xml.indexOf(end, from) + end.length)
}

/** A signature whose SignatureValue is an HMAC with public data. */
function byHmac(xml: string, key: string | Buffer): string {
  const info = between(xml, '<ds:SignedInfo', '</ds:SignedInfo>').replace(
    /(<ds:SignatureMethod Algorithm=")[^"]*/,
    `$1${MORE}hmac-sha256`,
  )
  const canonical = info.replace('<ds:SignedInfo', '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"')
  const value = createHmac('sha256', key).update(canonical).digest('base64')
  return xml
    .replace(between(xml, '<ds:SignedInfo', '</ds:SignedInfo>'), info)
    .replace(/(<ds:SignatureValue>)[^<]*/, `$1${value}`)
}

/**
 * Forged responses that must be rejected, by name. A name that the attacker can choose is `victim`.
 * @param xml a response whose assertion is signed, with the NameID `ada`
 */
export function forgeries(xml: string, victim: string, certificate: string): Record<string, string> {
  const assertion = between(xml, '<saml:Assertion ', '</saml:Assertion>')
  const signature = between(assertion, '<ds:Signature ', '</ds:Signature>')
  const info = between(signature, '<ds:SignedInfo', '</ds:SignedInfo>')
  const digest = between(signature, '<ds:DigestValue', '</ds:DigestValue>')
  const bare = assertion.replace(signature, '')
  const id = (/ ID="([^"]*)"/.exec(bare) as RegExpExecArray)[1] as string
  const evil = bare.replace('>ada<', `>${victim}<`)
  const freed = evil.replace(` ID="${id}"`, '')
  const subject = between(bare, '<saml:Subject>', '</saml:Subject>')
  const evilSubject = subject.replace('>ada<', `>${victim}<`)
  const swap = (part: string, by: string): string => xml.replace(part, () => by)
  const signing = (method: string): string => xml.replace(/(<ds:SignatureMethod Algorithm=")[^"]*/, `$1${method}`)
  const digesting = (method: string): string => xml.replace(/(<ds:DigestMethod Algorithm=")[^"]*/, `$1${method}`)
  const key = createPublicKey(certificate)
  const der = Buffer.from(certificate.replaceAll(/-----.*?-----|\s/g, ''), 'base64')
  return {
    'another subject before the signed one': swap('<saml:Subject>', `${evilSubject}<saml:Subject>`),
    'another subject after the signed one': swap('</saml:Subject>', `</saml:Subject>${evilSubject}`),
    'another subject outside of the assertion': swap('<saml:Assertion ', `${evilSubject}<saml:Assertion `),
    'another subject in the signature, which the digest leaves out': swap(
      '<ds:SignedInfo',
      `<ds:Object>${evilSubject}</ds:Object><ds:SignedInfo`,
    ),
    'another subject in KeyInfo, which the digest leaves out': swap(
      '</ds:SignatureValue>',
      `</ds:SignatureValue><ds:KeyInfo>${evilSubject}</ds:KeyInfo>`,
    ),
    'another subject within SignatureValue': swap('<ds:SignatureValue>', `<ds:SignatureValue>${evilSubject}`),
    'another name within DigestValue': swap(
      '</ds:DigestValue>',
      `<saml:NameID>${victim}</saml:NameID></ds:DigestValue>`,
    ),
    'another name within the name': swap('>ada<', `>ada<saml:NameID>${victim}</saml:NameID><`),
    'the signature moved to the response, another name': swap(assertion, evil).replace(
      '</saml:Issuer>',
      `</saml:Issuer>${signature}`,
    ),
    'the signature moved to the response': swap(assertion, bare).replace(
      '</saml:Issuer>',
      `</saml:Issuer>${signature}`,
    ),
    'the signature at the end of the response': swap(assertion, bare).replace(
      '</samlp:Response>',
      `${signature}</samlp:Response>`,
    ),
    'the signature in the subject': swap(assertion, bare.replace('<saml:Subject>', `<saml:Subject>${signature}`)),
    'an assertion without an ID, the signed one in its signature': swap(
      assertion,
      freed.replace(
        '</saml:Issuer>',
        `</saml:Issuer>${signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`)}`,
      ),
    ),
    'an assertion with the ID under a prefix': swap(
      assertion,
      evil.replace(' ID=', ' xmlns:p="urn:p" p:ID=').replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
    ),
    'xml:id instead of ID, the signed one beside': swap(
      assertion,
      evil.replace(' ID=', ' xml:id=').replace('</saml:Issuer>', `</saml:Issuer>${signature}`) + bare,
    ),
    'the ID on the response': swap(assertion, evil.replace('</saml:Issuer>', `</saml:Issuer>${signature}`)).replace(
      / ID="[^"]*"/,
      ` ID="${id}"`,
    ),
    'the ID on the status, with the signed assertion in it': swap(
      assertion,
      freed.replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
    ).replace('<samlp:Status>', `<samlp:Status ID="${id}">`),
    'an assertion of another namespace in front': swap(
      '<saml:Assertion ',
      `${evil.replaceAll('SAML:2.0:assertion', 'SAML:1.0:assertion')}<saml:Assertion `,
    ),
    'the prefix bound to another namespace within the assertion': swap(
      '<saml:Subject>',
      `<saml:Subject xmlns:saml="urn:other"><saml:NameID>${victim}</saml:NameID></saml:Subject><saml:Subject>`,
    ),
    'a SignedInfo of another namespace before the signed one': swap(
      info,
      `<x:SignedInfo xmlns:x="urn:x">${info.slice(info.indexOf('>') + 1, -16)}</x:SignedInfo>${info}`,
    ),
    'a SignedInfo of no digest before the signed one': swap(info, `<ds:SignedInfo/>${info}`),
    'a second DigestValue': swap(digest, digest + digest),
    'a second DigestValue before': swap(digest, `<ds:DigestValue>AAAA</ds:DigestValue>${digest}`),
    'a DigestValue with elements': swap(digest, digest.replace('</ds:DigestValue>', '<a/></ds:DigestValue>')),
    'an empty DigestValue': swap(digest, '<ds:DigestValue/>'),
    'no DigestValue': swap(digest, ''),
    'no SignedInfo': swap(info, ''),
    'no reference': swap(between(info, '<ds:Reference ', '</ds:Reference>'), ''),
    'an empty SignatureValue': xml.replace(/(<ds:SignatureValue>)[^<]*/, '$1'),
    'no SignatureValue': xml.replace(/<ds:SignatureValue>[^<]*<\/ds:SignatureValue>/, ''),
    'a signature in a signature': swap('</ds:Signature>', `<ds:Object>${signature}</ds:Object></ds:Signature>`),
    'no transforms': xml.replace(/<ds:Transforms>.*<\/ds:Transforms>/, ''),
    'the enveloped transform twice': swap(
      '<ds:Transforms>',
      '<ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>',
    ),
    'a transform by base64': swap(
      '</ds:Transforms>',
      '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#base64"/></ds:Transforms>',
    ),
    'a thousand transforms': swap(
      '</ds:Transforms>',
      `${`<ds:Transform Algorithm="${EXCLUSIVE}"/>`.repeat(1000)}</ds:Transforms>`,
    ),
    'an XPath filter': swap(
      '<ds:Transforms>',
      '<ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2002/06/xmldsig-filter2"><XPath xmlns="http://www.w3.org/2002/06/xmldsig-filter2" Filter="subtract">//*[local-name(.)=\'NameID\']</XPath></ds:Transform>',
    ),
    'another canonicalization of SignedInfo': xml.replace(
      /(<ds:CanonicalizationMethod Algorithm=")[^"]*/,
      `$1${C14N}#WithComments`,
    ),
    'a canonicalization of SignedInfo that is not one': xml.replace(
      /(<ds:CanonicalizationMethod Algorithm=")[^"]*/,
      '$1urn:empty',
    ),
    'a reference by a file': xml.replace(/ URI="#[^"]*"/, ' URI="file:///etc/passwd"'),
    'a reference by an address': xml.replace(/ URI="#[^"]*"/, ' URI="http://127.0.0.1:1/"'),
    'a reference that breaks out of an expression': xml.replace(/ URI="#[^"]*"/, ` URI="#x' or '1'='1"`),
    'HMAC with the certificate': byHmac(swap('>ada<', `>${victim}<`), certificate),
    'HMAC with the bytes of the certificate': byHmac(xml, der),
    'HMAC with the public key': byHmac(xml, key.export({ type: 'spki', format: 'pem' })),
    'HMAC with the bytes of the public key': byHmac(xml, key.export({ type: 'spki', format: 'der' })),
    'HMAC with nothing': byHmac(xml, ''),
    DSA: signing('http://www.w3.org/2000/09/xmldsig#dsa-sha1'),
    ECDSA: signing(`${MORE}ecdsa-sha256`),
    'RSA-PSS': signing('http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1'),
    'RSA with MD5': signing(`${MORE}rsa-md5`),
    'no algorithm': signing(''),
    'an algorithm that every object has': signing('constructor'),
    'an algorithm named __proto__': signing('__proto__'),
    'a digest named toString': digesting('toString'),
    'a digest by MD5': digesting(`${MORE}md5`),
    'no digest': digesting(''),
    'a document type after a byte order mark': `\uFEFF<!DOCTYPE a>${xml}`,
    'a null character': swap('>ada<', `>ada\0${victim}<`),
    'a reference to a null character': swap('>ada<', `>ada&#0;${victim}<`),
    'an attribute twice': swap('<saml:Assertion ', '<saml:Assertion Version="2.0" '),
    'text after the response': `${xml}${victim}`,
    'text before the response': `${victim}${xml}`,
    'a second root': `${xml}${xml}`,
    'version 1.1 of XML': `<?xml version="1.1"?>${xml}`,
    'UTF-16 by declaration': `<?xml version="1.0" encoding="UTF-16"?>${xml}`,
    'a parameter entity': `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:1/">%p;]>${xml}`,
    'a style sheet': `<?xml-stylesheet href="http://127.0.0.1:1/"?>${xml}`,
    'an inclusion': swap(
      '<saml:Subject>',
      '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd"/><saml:Subject>',
    ),
    'a condition that is not known': swap(
      '</saml:AudienceRestriction>',
      '</saml:AudienceRestriction><saml:Condition/>',
    ),
    'no namespace of SAML': xml.replaceAll('urn:oasis:names:tc:SAML:2.0:assertion', 'urn:x'),
    'version 1.1 of SAML': swap(
      '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ',
      '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:1.0:protocol" ',
    ),
  }
}
