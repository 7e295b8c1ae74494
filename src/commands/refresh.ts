/** The command that updates a node's copy of a repository, for admins who read it with plain Git. */
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { repositoryName } from '../domain/context/refs.js'
import { requestRefresh, GitError } from '../git/index.js'
import { start } from '../server.js'
import { OperatorError } from './maintenance.js'

/**
 * Refreshes the local copy of a space's repository: through the running server, or directly if no server is running.
 * Returns the path of the repository. Throws `OperatorError`.
 */
export async function refreshSpace(config: Config, space: string): Promise<string> {
  if (!/^[0-9A-Za-z]{1,64}$/.test(space))
    throw new OperatorError(`${space} is not the ID of a space. The ID is the name of its repository without .git.`)
  if (config.databaseUrl === null)
    throw new OperatorError(
      'Without BINDERY_DATABASE_URL, the repositories in the folder are not copies. There is nothing to refresh.',
    )
  const name = repositoryName(space)
  const refused = await requestRefresh(resolve(config.reposDir), name)
  if (refused) throw new OperatorError(refused)
  if (refused === undefined) await refreshHere(config, name)
  return join(resolve(config.reposDir), `${name}.git`)
}

async function refreshHere(config: Config, name: string): Promise<void> {
  const service = await start({ ...config, logLevel: 'warn' }, { withoutWorker: true, serves: [] })
  try {
    await service.app.git.open(name)
  } catch (error) {
    throw error instanceof GitError ? new OperatorError(error.message) : error
  } finally {
    await service.close()
  }
}
