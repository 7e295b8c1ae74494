/** Creates keys with self-signed certificates, as identity providers have them. */
import { createSign, generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes } from 'node:crypto'

/** A private key and its certificate, both in PEM. */
export interface KeyPair {
  privateKey: string
  certificate: string
}

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const SHA256_RSA = sequence(Buffer.from('06092a864886f70d01010b', 'hex'), der(0x05))
const name = (common: string): Buffer =>
  sequence(der(0x31, sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(common)))))
/** GeneralizedTime (RFC 5280, 4.1.2.5.2). */
const time = (at: string): Buffer => der(0x18, Buffer.from(at))

/** More keys than a test file needs at the same time. */
const MAX_KEYS = 12
const keys = new Map<number, { pairs: KeyPairKeyObjectResult[]; next: number }>()

/** Returns the keys of this process in turn. Creating one takes 0.2 s. */
function nextKey(bits: number): KeyPairKeyObjectResult {
  const known = keys.get(bits) ?? { pairs: [], next: 0 }
  keys.set(bits, known)
  return (known.pairs[known.next++ % MAX_KEYS] ??= generateKeyPairSync('rsa', { modulusLength: bits }))
}

/** An RSA key with a new certificate. `until`: `YYYYMMDDHHMMSSZ`. */
export function newKeyPair(common: string, { bits = 2048, until = '20991231235959Z' } = {}): KeyPair {
  const { publicKey, privateKey } = nextKey(bits)
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    serial,
    SHA256_RSA,
    name(common),
    sequence(time('20200101000000Z'), time(until)),
    name(common),
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = createSign('sha256').update(content).sign(privateKey)
  const bytes = sequence(content, SHA256_RSA, der(0x03, Buffer.from([0]), signature))
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trim()
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
