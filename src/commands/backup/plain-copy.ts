/** Copies an installation into a new folder, from which a server can start. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../maintenance.js'
import { capture, requireInstallation, type Sink, type Source } from './capture.js'

/** Makes all files durable that processes have written. */
export const syncAll = async (): Promise<void> => void (await promisify(execFile)('sync'))

/**
 * Copies data and repositories into the new folders `<folder>/data` and `<folder>/repos`. Returns the number of files
 * and repositories. Throws `OperatorError`.
 */
export async function backUp(
  config: Source,
  folder: string,
  tell: (progress: string) => void = () => {},
): Promise<{ files: number; repositories: number }> {
  const target = resolve(folder)
  if (config.databaseUrl !== null)
    throw new OperatorError(
      'With BINDERY_DATABASE_URL, all data is in the database. Add --incremental, or use pg_dump (docs/administration.md).',
    )
  if (existsSync(target))
    throw new OperatorError(
      `${target} exists. Name a folder that does not exist, or a folder of incremental backups (--incremental).`,
    )
  requireInstallation(config)
  // An interrupted backup must not look like a complete one.
  const partial = `${target}.partial`
  await rm(partial, { recursive: true, force: true })
  const counts = await capture(config, copyInto(partial), tell)
  await syncAll()
  await rename(partial, target)
  return counts
}

/** Returns a sink that copies files into a folder. */
function copyInto(folder: string): Sink {
  return {
    folder: async (path) => void (await mkdir(join(folder, path), { recursive: true, mode: 0o700 })),
    async file(path, source) {
      const target = join(folder, path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await copyFile(source, target)
    },
    removed: (path) => rm(join(folder, path), { force: true }),
  }
}
