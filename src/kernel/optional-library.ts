/** Loads libraries with native parts, which may be missing for this machine. */
import { createRequire } from 'node:module'

/** The import rules do not see libraries that are loaded by name, so this list must be complete. */
type Optional = 'libsql' | 'satteri'

const load = createRequire(import.meta.url)
// A library reads the diagnostic report of the process to find its native part. The network takes most of the time of a report.
Object.assign(process.report, { excludeNetwork: true })

/**
 * Returns the exports of a package; null if it does not load on this machine. Synchronous, so that modules can use it
 * while they load.
 */
export function optionalLibrary<Library>(name: Optional): Library | null {
  try {
    return load(name)
  } catch {
    return null
  }
}
