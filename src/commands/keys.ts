/** The command of an operator that lets the nodes of a database have another key. */
import type { Config } from '../config.js'
import { forgetFingerprint, type KeyName, prepareFiles } from '../shared-files/index.js'
import { createLog } from '../kernel/log.js'
import { keyFingerprints, SIGNING_KEY } from '../model/index.js'
import { openDatabase } from '../postgres/index.js'
import { openDocuments } from '../start/open-documents.js'
import { OperatorError } from './maintenance.js'

type LocalSettings = Pick<Config, 'databaseUrl' | 'dataDir'>

/** The same for an installation in folders, whose server is stopped. */
async function forgetLocally(config: LocalSettings): Promise<string> {
  const store = await openDocuments(config, createLog({ level: 'silent' }), null)
  try {
    const known = await store.get(keyFingerprints, SIGNING_KEY)
    if (known === null) await store.insert(keyFingerprints, { id: SIGNING_KEY })
    else {
      const { fingerprint: _, ...rest } = known
      await store.replace(keyFingerprints, rest)
    }
  } finally {
    await store.close()
  }
  return 'The next start names the signing key that it finds, or makes one. What was sealed with the former one cannot be read any more: webhooks, connections and share links need new secrets.'
}

/** Makes the database forget the fingerprint of a key; the next node to start names another one. Returns what was done, in words. Throws `OperatorError`. */
export async function forgetKey(config: LocalSettings, name: string): Promise<string> {
  const { databaseUrl } = config
  if (name !== 'signing' && name !== 'commit')
    throw new OperatorError(`${name} is no key: there are \`signing\` and \`commit\`.`)
  if (databaseUrl === null) {
    if (name === 'commit')
      throw new OperatorError(
        'Without a database (BINDERY_DATABASE_URL), the commit key is changed by replacing its file.',
      )
    return forgetLocally(config)
  }
  const database = openDatabase({ url: databaseUrl, connections: 1 })
  try {
    await prepareFiles(database)
    return (await forgetFingerprint(database, name)) ? told[name] : `No node has named a ${name} key yet.`
  } finally {
    await database.close()
  }
}

const told: Record<KeyName, string> = {
  signing:
    'The next node that starts names the signing key. What was sealed with the former one cannot be read any more: webhooks, connections and share links need new secrets.',
  commit:
    'The next node that starts says whether commits are signed, and by which key. Start all nodes again with the same setting.',
}
