/**
 * Encrypts the objects of backups with a passphrase. scrypt makes a master key of it, and HKDF makes two keys of that:
 * one that encrypts with AES-256-GCM, and one that names chunks (HMAC-SHA256), so that names reveal nothing of the
 * content. An object is a nonce of 12 bytes, the ciphertext and a tag of 16 bytes. Its name is authenticated too, so
 * objects cannot be exchanged.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { OperatorError } from '../maintenance.js'

/** The parameters of an encrypted store, as it keeps them. */
export interface SealParameters {
  kdf: 'scrypt'
  N: number
  r: number
  p: number
  salt: string
  /** Shows whether a passphrase is the right one. */
  check: string
}

/** Names chunks, and protects the content of objects. */
export interface Sealing {
  /** Returns the name of a chunk: a hash in hexadecimal. */
  nameOf(chunk: Buffer): string
  seal(name: string, content: Buffer): Buffer
  /** Throws `OperatorError` if the object was changed. */
  open(name: string, sealed: Buffer): Buffer
}

/** Without a passphrase, objects are stored as they are. The names of chunks show changes. */
export const unsealed: Sealing = {
  nameOf: (chunk) => createHash('sha256').update(chunk).digest('hex'),
  seal: (_, content) => content,
  open: (_, content) => content,
}

const COST = { N: 2 ** 15, r: 8, p: 3 }
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const [NONCE_BYTES, TAG_BYTES] = [12, 16]
const PROBE = Buffer.from('bindery backup')

/** Creates the parameters for a new store. */
export async function newSealing(passphrase: string): Promise<{ parameters: SealParameters; sealing: Sealing }> {
  const salt = randomBytes(16).toString('hex')
  const sealing = await derive(passphrase, { ...COST, salt })
  return { parameters: { kdf: 'scrypt', ...COST, salt, check: sealing.nameOf(PROBE) }, sealing }
}

/** Throws `OperatorError` if the passphrase is not that of the store. */
export async function openSealing(passphrase: string, parameters: SealParameters): Promise<Sealing> {
  const sealing = await derive(passphrase, parameters)
  if (sealing.nameOf(PROBE) === parameters.check) return sealing
  throw new OperatorError('The passphrase is not the one of these backups. Name its file with --passphrase-file.')
}

async function derive(
  passphrase: string,
  { N, r, p, salt }: Pick<SealParameters, 'N' | 'r' | 'p' | 'salt'>,
): Promise<Sealing> {
  const master = await new Promise<Buffer>((done, failed) => {
    scrypt(passphrase, Buffer.from(salt, 'hex'), 32, { N, r, p, maxmem: MAX_MEMORY_BYTES }, (error, key) =>
      error ? failed(error) : done(key),
    )
  })
  const keyFor = (use: string): Buffer => Buffer.from(hkdfSync('sha256', master, '', `bindery backup ${use}`, 32))
  const [secret, naming] = [keyFor('content'), keyFor('names')]
  return {
    nameOf: (chunk) => createHmac('sha256', naming).update(chunk).digest('hex'),
    seal(name, content) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(name))
      return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
    },
    open(name, sealed) {
      const end = sealed.length - TAG_BYTES
      try {
        const decipher = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, NONCE_BYTES))
          .setAAD(Buffer.from(name))
          .setAuthTag(sealed.subarray(end))
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()])
      } catch (error) {
        throw new OperatorError(`${name} of the backups was changed or is incomplete.`, { cause: error })
      }
    },
  }
}
