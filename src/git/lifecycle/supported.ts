/** Rejects repositories in a storage format that the service cannot read. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NoRepository, UnsupportedRepository } from '../errors.js'

/**
 * Throws `NoRepository`, and `UnsupportedRepository` for formats that this code cannot read: SHA-256, reftable,
 * alternates. Reads synchronously: a start opens thousands of repositories, and awaiting each small file would take
 * longer than reading it.
 */
export function mustBeSupported(path: string): void {
  const config = textOf(join(path, 'config'))
  if (config === null || !existsSync(join(path, 'HEAD'))) throw new NoRepository(`${path} is not a repository`)
  if (/\b(objectformat\s*=\s*"?sha256|refstorage\s*=\s*"?reftable)/i.test(config))
    throw new UnsupportedRepository(`${path} uses SHA-256 or reftable, which are not supported`)
  if ((textOf(join(path, 'objects/info/alternates')) ?? '').trim() !== '')
    throw new UnsupportedRepository(
      `${path} borrows objects from another repository (objects/info/alternates), which is not supported`,
    )
}

/** Returns the text of a file; null if it cannot be read. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
