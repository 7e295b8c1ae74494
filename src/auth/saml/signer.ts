/**
 * Finds the certificate of a signature from its SignedInfo alone, so that forgeries cost no digest of the whole
 * document.
 */
import { findAncestorNs, SignedXml } from 'xml-crypto'
import { SamlRefused } from './refused.js'
import { SIGNATURE } from './structure.js'
import { attribute, only, textOf } from './xml.js'

/** Maximum length of a canonical SignedInfo, in characters. With its single reference, it has about 1,000. */
const SIGNED_INFO = 16 * 1024

/**
 * Returns the certificates (PEM) that verify the value of a signature. Its digest is not verified yet.
 * @param signature one that `checkSignature` has accepted
 * Throws `SamlRefused` if there is none.
 */
export function signersOf(signature: Element, certificates: readonly string[]): string[] {
  const library = new SignedXml()
  const info = only(signature, SIGNATURE, 'SignedInfo')
  const Canonical = library.CanonicalizationAlgorithms[algorithmOf(info, 'CanonicalizationMethod')]
  const Method = library.SignatureAlgorithms[algorithmOf(info, 'SignatureMethod')]
  if (!Canonical || !Method) throw new SamlRefused('The algorithms of the signature are not supported.')
  // The same namespaces as in the library, so that its full verification uses the same bytes.
  const ancestorNamespaces = findAncestorNs(signature.ownerDocument, "//*[local-name()='SignedInfo']")
  const canonical = new Canonical()
    .process(info.cloneNode(true), { ancestorNamespaces, defaultNsForPrefix: SignedXml.defaultNsForPrefix })
    .toString()
  if (canonical.length > SIGNED_INFO)
    throw new SamlRefused(`The SignedInfo of a signature must have at most ${SIGNED_INFO} characters.`)
  const value = textOf(only(signature, SIGNATURE, 'SignatureValue')).replaceAll(/\s/g, '')
  const signers = certificates.filter((certificate) => isSignedBy(new Method(), canonical, certificate, value))
  if (signers.length === 0)
    throw new SamlRefused('The signature is not valid for any certificate of the provider. Check `certificate`.')
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
