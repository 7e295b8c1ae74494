/** Finds the certificate that a signature was made with, by its SignedInfo alone: what is forged costs no digest of the whole document. */
import { findAncestorNs, SignedXml } from 'xml-crypto'
import { SamlRefused } from './refused.js'
import { SIGNATURE } from './structure.js'
import { attribute, only, textOf } from './xml.js'

/** Characters of a canonical SignedInfo. It has one reference, so it is about 1,000 characters long. */
const SIGNED_INFO = 16 * 1024

/**
 * The certificates (PEM) by which the value of a signature is right. That its digest is right, too, is not known yet.
 * @param signature one that `checkSignature` has accepted
 * Throws `SamlRefused` if there is none.
 */
export function signersOf(signature: Element, certificates: readonly string[]): string[] {
  const library = new SignedXml()
  const info = only(signature, SIGNATURE, 'SignedInfo')
  const Canonical =
    library.CanonicalizationAlgorithms[
      algorithmOf(info, 'CanonicalizationMethod') as keyof typeof library.CanonicalizationAlgorithms
    ]
  const Method =
    library.SignatureAlgorithms[algorithmOf(info, 'SignatureMethod') as keyof typeof library.SignatureAlgorithms]
  if (!Canonical || !Method) throw new SamlRefused('The algorithms of the signature are not supported.')
  // the same namespaces as the library takes, so that it comes to the same bytes when it verifies the whole
  const ancestorNamespaces = findAncestorNs(signature.ownerDocument, "//*[local-name()='SignedInfo']")
  const canonical = new Canonical()
    .process(info.cloneNode(true), { ancestorNamespaces, defaultNsForPrefix: SignedXml.defaultNsForPrefix })
    .toString()
  if (canonical.length > SIGNED_INFO)
    throw new SamlRefused(`The SignedInfo of a signature must have at most ${SIGNED_INFO} characters.`)
  const value = textOf(only(signature, SIGNATURE, 'SignatureValue')).replaceAll(/\s/g, '')
  const signers = certificates.filter((certificate) => isSignedBy(new Method(), canonical, certificate, value))
  if (signers.length === 0) throw new SamlRefused('The signature is not valid, by any certificate of the provider.')
  return signers
}

const algorithmOf = (info: Element, name: string): string => attribute(only(info, SIGNATURE, name), 'Algorithm') ?? ''

type Method = InstanceType<SignedXml['SignatureAlgorithms'][keyof SignedXml['SignatureAlgorithms']]>

function isSignedBy(method: Method, text: string, certificate: string, value: string): boolean {
  try {
    return method.verifySignature(text, certificate, value)
  } catch {
    return false
  }
}
