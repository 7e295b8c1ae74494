/** Parses the certificates of an identity provider. */
import { X509Certificate } from 'node:crypto'

/** Maximum number of certificates per provider. */
const MAX_CERTIFICATES = 10
const MIN_BITS = 2048
const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/** A certificate with its properties. */
export interface Certificate {
  pem: string
  subject: string
  /** SHA-256, hexadecimal with colons. */
  fingerprint: string
  notBefore: Date
  notAfter: Date
}

/**
 * Parses the certificates in a text: PEM blocks, or the base64 of a single one as in metadata.
 * Throws an Error whose message continues "The certificate …".
 */
export function readCertificates(text: string): Certificate[] {
  const blocks = text.match(BLOCK) ?? (text.includes('-----') ? [] : [text])
  const rest = text.replaceAll(BLOCK, '').trim()
  if (blocks.length === 0 || (rest !== '' && text.includes('-----')))
    throw new Error('must be X.509 in PEM: only BEGIN CERTIFICATE blocks')
  if (blocks.length > MAX_CERTIFICATES) throw new Error(`must be at most ${MAX_CERTIFICATES} certificates`)
  return blocks.map(readOne)
}

function readOne(block: string): Certificate {
  const base64 = block.replaceAll(/-----(?:BEGIN|END) CERTIFICATE-----|\s+/g, '')
  const found = parse(base64)
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = found.publicKey
  if (type !== 'rsa' || (details?.modulusLength ?? 0) < MIN_BITS)
    throw new Error(`must have an RSA key of at least ${MIN_BITS} bits`)
  return {
    pem: found.toString(),
    subject: found.subject.replaceAll('\n', ', '),
    fingerprint: found.fingerprint256,
    notBefore: new Date(found.validFrom),
    notAfter: new Date(found.validTo),
  }
}

function parse(base64: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    throw new Error('is not valid X.509')
  }
}
