import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate folder for one test. */
export function temporaryDir(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-store-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
