/** The keys of a service: loads or generates them, and on nodes checks that they match those of the other nodes. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { keepSecret } from '../disk/secret-file.js'
import { claimFingerprint, fingerprintIn, fingerprintOf } from '../shared-files/index.js'
import { keyFingerprints, SIGNING_KEY, users } from '../model/index.js'
import type { Database } from '../postgres/index.js'
import type { Store } from '../store/index.js'

/** A key is not the expected one. The message contains the remedy. */
export class WrongKey extends Error {
  override name = 'WrongKey'
}

type KeySettings = Pick<Config, 'dataDir' | 'signingKey' | 'signingKeyFile'>

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(resolve(dataDir), 'signing-key')

/**
 * Returns the key from the settings, else the one in the data folder; null if there is neither. Throws `WrongKey` if it
 * is invalid, or if both exist and differ.
 */
export async function findSigningKey(config: KeySettings): Promise<Buffer | null> {
  const kept = existsSync(fileOf(config)) ? (await readFile(fileOf(config), 'utf8')).trim() : null
  const given =
    config.signingKeyFile === null
      ? config.signingKey
      : (await readFile(config.signingKeyFile, 'utf8')).trim().toLowerCase()
  if (given !== null && !/^[0-9a-f]{64}$/.test(given))
    throw new WrongKey(
      `${config.signingKeyFile} is not a signing key: it must have 64 hexadecimal digits. \`openssl rand -hex 32\` generates one.`,
    )
  if (given !== null && kept !== null && given !== kept) {
    throw new WrongKey(
      `The signing key of the settings differs from the one in ${fileOf(config)}, which sealed the secrets of this installation. Set BINDERY_SIGNING_KEY_FILE ` +
        'to a copy of that file, or remove both settings. If the file is left over from another installation, move it away.',
    )
  }
  const key = given ?? kept
  if (key !== null && !/^[0-9a-f]{64}$/.test(key))
    throw new WrongKey(`${fileOf(config)} is damaged: a signing key has 64 hexadecimal digits. ${REMEDY}`)
  return key === null ? null : Buffer.from(key, 'hex')
}

/** The consequences of a lost key, and the remedy. */
const REMEDY =
  'Restore data/signing-key from a backup. Without it, stored credentials of connections and webhooks cannot be read, links to files and share links are ' +
  "no longer valid, and visitors' keys have to be created again. If the key is lost, `bindery forget-key signing` lets the next start generate another " +
  'one.'

/**
 * Returns the signing key of an installation without a database. Rejects a key other than the one that sealed its
 * documents.
 */
async function localKey(config: KeySettings, store: Store): Promise<Buffer> {
  const found = await findSigningKey(config)
  const known = await store.get(keyFingerprints, SIGNING_KEY)
  const isInUse = known === null ? (await store.all(users)).length > 0 : known.fingerprint !== undefined
  if (found === null && isInUse)
    throw new WrongKey(`There is no signing key in ${fileOf(config)}, but existing documents need it. ${REMEDY}`)
  const key = found ?? (await makeKey(config))
  const fingerprint = fingerprintOf('signing', key)
  if (known?.fingerprint === fingerprint) return key
  if (known?.fingerprint !== undefined)
    throw new WrongKey(
      `The signing key (fingerprint ${fingerprint}) is not the one of this installation (fingerprint ${known.fingerprint}). ${REMEDY}`,
    )
  try {
    if (known === null) await store.insert(keyFingerprints, { id: SIGNING_KEY, fingerprint })
    else await store.replace(keyFingerprints, { ...known, fingerprint })
  } catch (error) {
    // On a full disk, the next start records it.
    if (!isRefusedWrite(error)) throw error
  }
  return key
}

/**
 * Returns the signing key. The first start generates one in the data folder. On nodes it must match that of the others.
 * Throws `WrongKey`.
 */
export async function signingKeyOf(config: KeySettings, store: Store, database: Database | null): Promise<Buffer> {
  if (database === null) return localKey(config, store)
  const found = await findSigningKey(config)
  const known = await fingerprintIn(database, 'signing')
  if (found === null && known !== null) {
    throw new WrongKey(
      `This node has no signing key, but the other nodes of its database have one (fingerprint ${known}). Set BINDERY_SIGNING_KEY_FILE to a copy of it: the ` +
        'file `signing-key` in the data folder of the first node, or the key in its settings.',
    )
  }
  const key = found ?? (await makeKey(config))
  const mine = fingerprintOf('signing', key)
  const theirs = await claimFingerprint(database, 'signing', mine)
  if (mine !== theirs) {
    throw new WrongKey(
      `The signing key of this node (fingerprint ${mine}) differs from that of the other nodes of its database (fingerprint ${theirs}). With it, sealed secrets could not be read and links would not be valid. Set BINDERY_SIGNING_KEY_FILE to a copy of their key${config.signingKey === null && config.signingKeyFile === null ? `, and move ${fileOf(config)} away` : ''}. If their key is lost, \`bindery forget-key signing\` lets the next node that starts set another one.`,
    )
  }
  return key
}

const makeKey = async (config: KeySettings): Promise<Buffer> =>
  Buffer.from(await keepSecret(fileOf(config), () => randomBytes(32).toString('hex')), 'hex')

/**
 * Compares the commit signing key with that of the other nodes: all of them have the same one, or none has one. Throws
 * `WrongKey`.
 */
export async function checkCommitKey(
  { commitKeyFile }: Pick<Config, 'commitKeyFile'>,
  database: Database,
): Promise<void> {
  const mine = commitKeyFile === null ? NONE : fingerprintOf('commit', await readFile(commitKeyFile))
  const theirs = await claimFingerprint(database, 'commit', mine)
  if (mine === theirs) return
  const describeKey = (one: string): string => (one === NONE ? 'no key' : `the key with the fingerprint ${one}`)
  throw new WrongKey(
    `The nodes of this database sign commits with ${describeKey(theirs)}, and this node with ${describeKey(mine)}. ${theirs === NONE ? 'Remove BINDERY_COMMIT_KEY_FILE' : 'Set BINDERY_COMMIT_KEY_FILE to a copy of the file that the other nodes have'}. To change the key of all nodes, run \`bindery forget-key commit\`, and restart them one after another with the new setting.`,
  )
}

/** The fingerprint of nodes that do not sign. */
const NONE = 'none'
