/** The operator's command that lets the nodes of a database use another key. */
import type { Config } from '../config.js'
import { forgetFingerprint, type KeyName, prepareFiles } from '../shared-files/index.js'
import { createLog } from '../kernel/log.js'
import { keyFingerprints, SIGNING_KEY } from '../model/index.js'
import { openDatabase } from '../postgres/index.js'
import { noteCommand } from '../start/operator/audit.js'
import { openDocuments } from '../start/open-documents.js'
import { OperatorError } from './maintenance.js'

type LocalSettings = Pick<Config, 'databaseUrl' | 'dataDir'>

/** Forgets the key of an installation in folders, whose server is stopped. */
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
  await noteCommand(config.dataDir, { operation: 'forget-key', members: ['key'] })
  return (
    'The next start uses the signing key that it finds, or generates one. Secrets sealed with the former key can no longer be read: webhooks, connections ' +
    'and share links need new secrets.'
  )
}

/**
 * Deletes the fingerprint of a key from the database. The next node that starts sets another one. Returns a message for
 * the operator. Throws `OperatorError`.
 */
export async function forgetKey(config: LocalSettings, name: string): Promise<string> {
  const { databaseUrl } = config
  if (name !== 'signing' && name !== 'commit')
    throw new OperatorError(`${name} is not a key. Use \`signing\` or \`commit\`.`)
  if (databaseUrl === null) {
    if (name === 'commit')
      throw new OperatorError('Without a database (BINDERY_DATABASE_URL), change the commit key by replacing its file.')
    return forgetLocally(config)
  }
  const database = openDatabase({ url: databaseUrl, connections: 1 })
  try {
    await prepareFiles(database)
    return (await forgetFingerprint(database, name)) ? MESSAGES[name] : `No node has set a ${name} key yet.`
  } finally {
    await database.close()
  }
}

const MESSAGES: Record<KeyName, string> = {
  signing:
    'The next node that starts sets the signing key. Secrets sealed with the former key can no longer be read: webhooks, connections and share links need new secrets.',
  commit:
    'The next node that starts decides whether commits are signed, and with which key. Restart all nodes with the same setting.',
}
