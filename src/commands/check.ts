/** `bindery check`: lists the problems of a folder of documentation, for authors and for their CI. */
import { print, type Format } from './check-formats.js'
import { findProblems } from './find-problems.js'
import { openFolder } from './open-folder.js'

interface CheckOptions {
  format: Format
  project?: string
}

/** Checks the folder. Returns the exit code: 0 = no errors, 1 = errors, 2 = the check could not run. */
export async function check(
  folder: string,
  { format, project }: CheckOptions,
  write: (text: string) => void,
): Promise<0 | 1 | 2> {
  try {
    const opened = await openFolder(folder, { project })
    try {
      const { leftOut } = await opened.update()
      const findings = await findProblems(opened)
      write(print(format, { ...findings, leftOut }, opened.service.app.settings.version))
      return findings.problems.some(({ level }) => level === 'error') ? 1 : 0
    } finally {
      await opened.close()
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 2
  }
}
