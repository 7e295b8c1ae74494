/** Libraries with a part that is made for each kind of machine, which may be missing for this one. */
import { createRequire } from 'node:module'

/** The import rules see no library that is loaded by its name, so these are all. */
type Optional = 'libsql' | 'satteri'

const load = createRequire(import.meta.url)

/** What the package exports; null if it does not load on this machine. At once, so that a module that needs it waits for nothing while it is loaded. */
export function optionalLibrary<Library>(name: Optional): Library | null {
  try {
    return load(name) as Library
  } catch {
    return null
  }
}
