import type { CommitInfo } from '../../git/index.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import type { UserDoc } from '../../model/index.js'
import { spanOf } from './span.js'

/** Trailer of an update from main in which somebody decided what each of so many files is to be. */
export const RESOLVED = 'Conflicts-Resolved'

/**
 * Whether somebody wrote in a change request by this service: commits of its branch that main did not have are his. An update
 * from main in which nothing was decided is nobody's writing. What plain Git or a remote brought is not looked at: an
 * address in there is what somebody says.
 */
export async function wroteIn(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest, { email }: Pick<UserDoc, 'email'>): Promise<boolean> {
  const { before } = await spanOf(app, space, changeRequest)
  const commits = await space.repo.history({ from: changeRequest.head, not: [before] })
  const own = commits.filter(({ author, committer }) => committer.email === app.settings.committer.email && author.email.toLowerCase() === email.toLowerCase())
  return own.some(isWriting)
}

const isWriting = ({ parents, message }: CommitInfo): boolean =>
  parents.length < 2 || !/^Update change request #\d+ from main\n/.test(message) || message.includes(`\n${RESOLVED}: `)
