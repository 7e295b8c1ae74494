/** Files that the test processes of a run share. */
import { join } from 'node:path'

/** The variable with the folder of these files. */
export const SHARED_FOLDER = 'TEST_RUN_FOLDER'

/** A path that all test processes of the run share, and that its end removes. Null outside a run. */
export const sharedPath = (name: string): string | null => {
  const folder = process.env[SHARED_FOLDER]
  return folder === undefined ? null : join(folder, name)
}
