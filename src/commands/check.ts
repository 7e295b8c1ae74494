/** `bindery check`: lists the problems of a folder of documentation, for authors and for their CI. */
import { print, type Format } from './check-formats.js'
import { findProblems } from './find-problems.js'
import { openFolder } from './open-folder.js'
import type { Outcome } from '../start/operator/declaration.js'

interface CheckOptions {
  format: Format
  project?: string | undefined
}

/** Checks the folder. The text of the outcome has the given format. */
export async function check(folder: string, { format, project }: CheckOptions): Promise<Outcome> {
  const opened = await openFolder(folder, { project })
  try {
    const { leftOut } = await opened.update()
    const result = { ...(await findProblems(opened)), leftOut }
    const { version } = opened.service.app.settings
    return {
      text: print(format, result, version),
      json: JSON.parse(print('json', result, version)),
      problems: result.problems.some(({ level }) => level === 'error'),
    }
  } finally {
    await opened.close()
  }
}
