/** The command of an operator that lets the nodes of a database have another key. */
import type { Config } from '../config.js'
import { forgetFingerprint, type KeyName, prepareFiles } from '../files/index.js'
import { openDatabase } from '../postgres/index.js'
import { OperatorError } from './maintenance.js'

/** Makes the database forget the fingerprint of a key; the next node to start names another one. Returns what was done, in words. Throws `OperatorError`. */
export async function forgetKey({ databaseUrl }: Pick<Config, 'databaseUrl'>, name: string): Promise<string> {
  if (name !== 'signing' && name !== 'commit') throw new OperatorError(`${name} is no key: there are \`signing\` and \`commit\`.`)
  if (databaseUrl === null) throw new OperatorError('There is no database (BINDERY_DATABASE_URL): without one, a key is changed by replacing its file.')
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
  commit: 'The next node that starts says whether commits are signed, and by which key. Start all nodes again with the same setting.',
}
