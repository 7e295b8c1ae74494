// Stores the service's secrets in files.
import { errorCode } from '../kernel/thrown.js'
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'

/** Returns the secret in a file that only its owner can read. Creates the secret if it does not exist. */
export async function keepSecret(
  path: string,
  make: () => string,
  options: { replace?: boolean } = {},
): Promise<string> {
  if (!options.replace) {
    try {
      return (await readFile(path, 'utf8')).trim()
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  const secret = make()
  const draft = `${path}.new`
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flush: true })
  await chmod(draft, 0o600)
  await rename(draft, path)
  return secret
}
