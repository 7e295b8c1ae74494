/** Turns failures that an operator has to repair into errors that tell clients what is wrong: damaged repositories, folders that cannot be written to. */
import { type FolderWatch, isRefusedWrite, type UnwritableFolder } from '../disk/folder-watch.js'
import { GitError, isRepositoryFault, NoRepository, UnsupportedRepository } from '../git/index.js'
import { ServiceError } from '../kernel/errors.js'

const REMEDY =
  'An operator of the server has to restore the repository from a backup; the log names it. All other spaces work.'

/** The folder without its path, which is the operator's business. */
export const describeFolder = ({ setting, problem }: Pick<UnwritableFolder, 'setting' | 'problem'>): string =>
  `${setting}: ${problem}`

/** Makes the function that translates what a request threw. Everything else is returned as it is. */
export function operatorFailures(folders: FolderWatch): (thrown: unknown) => Promise<unknown> {
  return async (thrown) => {
    if (thrown instanceof ServiceError) return thrown
    if (isRepositoryFault(thrown))
      return new ServiceError('unavailable', `${faultOf(thrown)} ${REMEDY}`, { cause: thrown })
    // Git reports a full disk in words only, so any failure of Git is a reason to look.
    if (!isRefusedWrite(thrown) && !(thrown instanceof GitError)) return thrown
    const folder = await folders.causeOf(thrown)
    if (folder === null) return thrown
    const message = `The server cannot store anything now. ${describeFolder(folder)}. Reading works. Try again when an operator has made room or given the permission.`
    return new ServiceError('insufficient-storage', message, { cause: thrown })
  }
}

function faultOf(thrown: GitError): string {
  if (thrown instanceof NoRepository) return 'The space is out of service: its repository is missing.'
  if (thrown instanceof UnsupportedRepository)
    return 'The space is out of service: its repository is stored in a form that the server cannot read.'
  return 'This content is out of service: the repository of the space is damaged or incomplete.'
}
