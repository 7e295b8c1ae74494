/** The keys of a service: where they come from, and on nodes whether they are those of the other nodes. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { keepSecret } from '../disk/secret-file.js'
import { claimFingerprint, fingerprintIn, fingerprintOf } from '../files/index.js'
import type { Database } from '../postgres/index.js'

/** A key is not the one that it has to be; the message says what to do. */
export class WrongKey extends Error {
  override name = 'WrongKey'
}

type KeySettings = Pick<Config, 'dataDir' | 'signingKey' | 'signingKeyFile'>

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(resolve(dataDir), 'signing-key')

/** The key that the settings name, else the one in the data folder; null if there is neither. Throws `WrongKey` if it is no key, or both are there and differ. */
export async function findSigningKey(config: KeySettings): Promise<Buffer | null> {
  const kept = existsSync(fileOf(config)) ? (await readFile(fileOf(config), 'utf8')).trim() : null
  const given = config.signingKeyFile === null ? config.signingKey : (await readFile(config.signingKeyFile, 'utf8')).trim().toLowerCase()
  if (given !== null && !/^[0-9a-f]{64}$/.test(given))
    throw new WrongKey(`${config.signingKeyFile} is no signing key: it must have 64 hexadecimal digits. \`openssl rand -hex 32\` makes one.`)
  if (given !== null && kept !== null && given !== kept) {
    throw new WrongKey(
      `The signing key of the settings differs from the one in ${fileOf(config)}, with which this installation has sealed its secrets. Set BINDERY_SIGNING_KEY_FILE to a copy of that file, or leave both settings out. If the file is left over from another installation, move it away.`,
    )
  }
  const key = given ?? kept
  return key === null ? null : Buffer.from(key, 'hex')
}

/** The signing key; the first start makes one in the data folder. On nodes it must be that of the others. Throws `WrongKey`. */
export async function signingKeyOf(config: KeySettings, database: Database | null): Promise<Buffer> {
  const found = await findSigningKey(config)
  if (database === null) return found ?? makeKey(config)
  const known = await fingerprintIn(database, 'signing')
  if (found === null && known !== null) {
    throw new WrongKey(
      `This node has no signing key, but the other nodes of its database have one (fingerprint ${known}). Set BINDERY_SIGNING_KEY_FILE to a copy of it: it is the file \`signing-key\` in the data folder of the first node, or what its settings name.`,
    )
  }
  const key = found ?? (await makeKey(config))
  const mine = fingerprintOf('signing', key)
  const theirs = await claimFingerprint(database, 'signing', mine)
  if (mine !== theirs) {
    throw new WrongKey(
      `The signing key of this node (fingerprint ${mine}) is not that of the other nodes of its database (fingerprint ${theirs}). With it, sealed secrets could not be read and links would not be valid. Set BINDERY_SIGNING_KEY_FILE to a copy of theirs${config.signingKey === null && config.signingKeyFile === null ? `, and move ${fileOf(config)} away` : ''}. If theirs is lost, \`bindery forget-key signing\` lets the next node that starts name another one.`,
    )
  }
  return key
}

const makeKey = async (config: KeySettings): Promise<Buffer> => Buffer.from(await keepSecret(fileOf(config), () => randomBytes(32).toString('hex')), 'hex')

/** Compares the key that signs commits with that of the other nodes: all of them have the same one, or none has one. Throws `WrongKey`. */
export async function checkCommitKey({ commitKeyFile }: Pick<Config, 'commitKeyFile'>, database: Database): Promise<void> {
  const mine = commitKeyFile === null ? NONE : fingerprintOf('commit', await readFile(commitKeyFile))
  const theirs = await claimFingerprint(database, 'commit', mine)
  if (mine === theirs) return
  const told = (one: string): string => (one === NONE ? 'no key' : `the key with the fingerprint ${one}`)
  throw new WrongKey(
    `The nodes of this database sign commits with ${told(theirs)}, and this one with ${told(mine)}. ${theirs === NONE ? 'Leave BINDERY_COMMIT_KEY_FILE out' : 'Set BINDERY_COMMIT_KEY_FILE to a copy of the file that the others have'}. To change the key of all nodes, run \`bindery forget-key commit\`, and start them again one after another with the new setting.`,
  )
}

/** Stands for the fingerprint of nodes that do not sign. */
const NONE = 'none'
