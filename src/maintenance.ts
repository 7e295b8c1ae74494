import { join, resolve } from 'node:path'
import type { Config } from './config.js'
import { issueToken } from './domain/people/accounts.js'
import { repositoryName } from './domain/refs.js'
import { spaces, users } from './model/index.js'
import { start } from './server.js'

/** A service that only works on its data: no port of its own, no jobs. The lock refuses it while a server runs. */
const offline = (config: Config) => start({ ...config, host: '127.0.0.1', port: 0, logLevel: 'silent' }, { withoutWorker: true })

/** Makes a token for the user of that e-mail address; answers the secret. Throws where there is none. */
export async function makeToken(config: Config, email: string, label: string): Promise<string> {
  const service = await offline(config)
  try {
    const [user] = await service.app.store.find(users, 'email', email.toLowerCase())
    if (!user) throw new Error(`There is no user ${email}.`)
    return (await issueToken(service.app, user.id, { label })).secret
  } finally {
    await service.close()
  }
}

/** What a check of everything found: complaints, one a line (empty = all is well), and what was not looked at. */
export interface Findings {
  complaints: string[]
  notes: string[]
}

/**
 * Checks documents against Git: the start brings both into agreement, then every repository is checked by `git fsck --strict`,
 * and where asked for (`deep`) read a second time by another implementation, and compared.
 */
export async function checkAll(config: Config, { deep = false } = {}): Promise<Findings> {
  const service = await offline(config)
  try {
    const found: Findings = { complaints: service.repairs.map((repair) => `${repair.space}: ${repair.what}`), notes: [] }
    for (const space of await service.app.store.all(spaces)) {
      const name = repositoryName(space.id)
      if (!(await service.app.git.exists(name))) continue
      const repository = await service.app.git.open(name)
      const at = (line: string): string => `${join(resolve(config.reposDir), `${name}.git`)}: ${line}`
      for (const line of await repository.check()) found.complaints.push(at(line))
      if (!deep) continue
      const { complaints, notes } = await repository.deepCheck()
      found.complaints.push(...complaints.map(at))
      found.notes.push(...notes.map(at))
    }
    return found
  } finally {
    await service.close()
  }
}
