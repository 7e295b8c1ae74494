/** Verifies a response of an identity provider: structure, signature, and the signed claims. Runs in a thread. */
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { type SamlClaims, type ExpectedClaims, readClaims } from './claims.js'
import { SamlRefused } from './refused.js'
import { checkSignature } from './signature.js'
import { signersOf } from './signer.js'
import { ASSERTION, checkForm, type CheckedResponse } from './structure.js'
import { attribute, named, readXml, textOf, XML_BYTES } from './xml.js'

/** The values that a response must match, and the keys. */
export interface VerifyOrder extends ExpectedClaims {
  /** Certificates in PEM. Any of them may have signed the response. */
  certificates: readonly string[]
}

/**
 * Verifies a response as posted.
 * @param encoded `SAMLResponse`: XML in base64
 * Throws `SamlRefused`.
 */
export async function verifyResponse(encoded: string, order: VerifyOrder): Promise<SamlClaims> {
  const xml = decode(encoded)
  const formed = checkForm(readXml(xml))
  checkEnvelope(formed.response, order)
  checkSignature(formed.signature)
  if (formed.outerSignature) checkSignature(formed.outerSignature)
  const signers = [formed.signature, formed.outerSignature ?? []]
    .flat()
    .flatMap((signature) => signersOf(signature, order.certificates))
  return readClaims(readXml(await verifiedAssertion(xml, formed, order, [...new Set(signers)])), order)
}

function decode(encoded: string): string {
  const text = encoded.replaceAll(/[\r\n\t ]+/g, '')
  if (text === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new SamlRefused('SAMLResponse must be base64.')
  if (text.length > Math.ceil(XML_BYTES / 3) * 4) throw new SamlRefused(`The XML must have at most ${XML_BYTES} bytes.`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'))
  } catch {
    throw new SamlRefused('The XML must be in UTF-8.')
  }
}

/**
 * Checks the response around the assertion. It may be unsigned, so its values are not used, but they must not
 * contradict the assertion.
 */
function checkEnvelope(response: Element, { acsUrl, issuer, request }: VerifyOrder): void {
  if (attribute(response, 'Version') !== '2.0') throw new SamlRefused('The version of the response must be 2.0.')
  const destination = attribute(response, 'Destination')
  if (destination !== null && destination !== acsUrl)
    throw new SamlRefused('The destination of the response is not service.acsURL.')
  if (attribute(response, 'InResponseTo') !== request)
    throw new SamlRefused('The response belongs to another request, or to none. Start at service.startURL.')
  const [said] = named(response, ASSERTION, 'Issuer')
  if (said && textOf(said) !== issuer)
    throw new SamlRefused('The issuer of the response is not the entityID of the provider.')
}

/**
 * Returns the XML of the assertion as it was signed.
 * @param signers the certificates that may have signed it
 */
async function verifiedAssertion(
  xml: string,
  { outerSignature }: CheckedResponse,
  order: VerifyOrder,
  signers: readonly string[],
): Promise<string> {
  const saml = new SAML({
    issuer: order.audience,
    callbackUrl: order.acsUrl,
    idpCert: [...signers],
    idpIssuer: order.issuer,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: outerSignature !== undefined,
    // claims.ts checks audience, times and request with the clock and the cookie of the service.
    audience: false,
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
  })
  const verified = await saml
    .validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') })
    .catch(() => null)
  const assertion = verified?.profile?.getAssertionXml?.()
  if (assertion === undefined)
    throw new SamlRefused('The signature is not valid for the element that it covers. Check `certificate`.')
  return assertion
}
