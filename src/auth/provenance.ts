/** Signs statements about pages with a key of the service, and verifies them (JWS, RFC 7515; Ed25519, RFC 8037). */
import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import { CompactSign, compactVerify, createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet } from 'jose'

const ALGORITHM = 'EdDSA'
/** Keeps signed statements apart from all other tokens. */
const TYPE = 'bindery-provenance+json'
/** The start of an Ed25519 private key in PKCS #8; the 32 bytes of the key follow. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A key that signs statements. */
export interface ProvenanceKey {
  id: string
  privateKey: KeyObject
  /** The public key as a JWK set, which the service publishes. */
  published: JSONWebKeySet
}

/** Derives the key that signs statements from the service's signing key, so that all nodes and backups have it. */
export function deriveProvenanceKey(signingKey: Buffer): ProvenanceKey {
  const seed = Buffer.from(hkdfSync('sha256', signingKey, '', 'bindery provenance', 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const { kty = '', crv = '', x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  // The thumbprint of RFC 7638.
  const id = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  return { id, privateKey, published: { keys: [{ kty, crv, x, kid: id, use: 'sig', alg: ALGORITHM }] } }
}

/** Returns a statement as a signed compact JWS. The same statement always has the same signature. */
export const signStatement = ({ id, privateKey }: ProvenanceKey, statement: object): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(statement)))
    .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: TYPE })
    .sign(privateKey)

/** A statement that a key of the set has signed, and the ID of the key; or the reason why it is not accepted. */
export type VerifiedStatement = { statement: unknown; key: string } | { fault: string }

/** Verifies a signed statement with the public keys of a service. */
export async function verifyStatement(jws: string, keys: JSONWebKeySet): Promise<VerifiedStatement> {
  try {
    const { typ, kid = '' } = decodeProtectedHeader(jws)
    if (typ !== TYPE) return { fault: 'It is not a signed statement about a page.' }
    const { payload } = await compactVerify(jws, createLocalJWKSet(keys), { algorithms: [ALGORITHM] })
    return { statement: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)), key: kid }
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return { fault: 'It was signed with a key that is not in the set.' }
    if (error instanceof errors.JWSSignatureVerificationFailed) return { fault: 'Its signature is wrong.' }
    return { fault: 'It cannot be parsed.' }
  }
}
