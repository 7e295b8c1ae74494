/** The operator's commands for the data of a stopped server, and for bundles of repositories. */
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { repositoryName } from '../domain/context/refs.js'
import { checkAll as checkStored, type Findings } from '../domain/upkeep/fsck.js'
import { bundleRepository, GitError } from '../git/index.js'
import { start } from '../server.js'

/** The operator's command cannot be carried out. The message contains the remedy. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

/**
 * Starts a service that only works on its data: no servers, and no jobs unless they are wanted. The lock rejects it
 * while a server runs.
 */
export const offline = (config: Config, { jobs = false, repair = false } = {}) =>
  start({ ...config, logLevel: 'silent' }, { withoutWorker: !jobs, serves: [], documents: { repair } })

/** Checks a stopped installation: the start reconciles documents with Git, then everything is checked. */
export async function checkAll(config: Config, { deep = false } = {}): Promise<Findings> {
  const service = await offline(config)
  try {
    const { signal } = new AbortController()
    return await checkStored(service.app, { deep, repairs: service.repairs, tell: () => {}, signal })
  } finally {
    await service.close()
  }
}

/**
 * Writes the repository of a space into one file, even while a server runs. Throws if the repository does not exist, or
 * if the file exists.
 */
export async function bundleSpace(
  { reposDir }: Pick<Config, 'reposDir'>,
  space: string,
  file: string,
): Promise<string> {
  if (!/^[0-9A-Za-z]{1,64}$/.test(space))
    throw new OperatorError(`${space} is not the ID of a space. The ID is the <ID> of its folder repos/<ID>.git.`)
  const path = resolve(file)
  try {
    await bundleRepository(join(resolve(reposDir), `${repositoryName(space)}.git`), path)
  } catch (error) {
    throw error instanceof GitError ? new OperatorError(error.message) : error
  }
  return path
}
