/** The operator's commands for the data of a stopped server, and for bundles of repositories. */
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import type { App } from '../domain/context/app.js'
import { checkSpecFiles } from '../domain/openapi/check-files.js'
import { repositoryName } from '../domain/context/refs.js'
import { bundleRepository, GitError } from '../git/index.js'
import { spaces } from '../model/index.js'
import { start } from '../server.js'

/** The operator's command cannot be carried out. The message contains the remedy. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

/** Starts a service that only works on its data: no servers, no jobs. The lock rejects it while a server runs. */
export const offline = (config: Config) => start({ ...config, logLevel: 'silent' }, { withoutWorker: true, serves: [] })

/** The results of a full check: complaints, one per line (empty = no problems), and notes about skipped checks. */
interface Findings {
  complaints: string[]
  notes: string[]
}

/**
 * Checks documents against Git: the start reconciles them, then `git fsck --strict` checks every repository.
 * With `deep`, a second implementation reads and compares it. Then the files of OpenAPI specifications are checked, and
 * repaired
 * if their content is known from elsewhere.
 */
export async function checkAll(config: Config, { deep = false } = {}): Promise<Findings> {
  const service = await offline(config)
  try {
    const found: Findings = {
      complaints: service.repairs.map((repair) => `${repair.space}: ${repair.what}`),
      notes: [],
    }
    for (const space of await service.app.store.all(spaces)) {
      const name = repositoryName(space.id)
      if (!(await service.app.git.exists(name))) continue
      const checked = await checkRepository(service.app, name, deep).catch((error: unknown) => {
        // The checks of the other repositories must not depend on this one.
        if (!(error instanceof GitError)) throw error
        return { complaints: [`it cannot be checked (${error.message})`], notes: [] }
      })
      const at = (line: string): string => `${join(resolve(config.reposDir), `${name}.git`)}: ${line}`
      found.complaints.push(...checked.complaints.map(at))
      found.notes.push(...checked.notes.map(at))
    }
    found.complaints.push(...((await service.app.store.damages?.()) ?? []))
    const specs = await checkSpecFiles(service.app, { deep })
    return { complaints: [...found.complaints, ...specs.complaints], notes: [...found.notes, ...specs.notes] }
  } finally {
    await service.close()
  }
}

async function checkRepository({ git }: App, name: string, deep: boolean): Promise<Findings> {
  const repository = await git.open(name)
  const found = await repository.upkeep.check()
  if (!deep) return { complaints: found, notes: [] }
  const { complaints, notes } = await repository.upkeep.deepCheck()
  return { complaints: [...found, ...complaints], notes }
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
