import type { CommitInfo } from '../../git/index.js'
import type { App, LoadedSpace } from '../app.js'
import type { LoadedChangeRequest } from '../change-requests/change-requests.js'
import { spanOf } from '../writing/merge-span.js'

/** Trailer of an update from main in which somebody decided what each of so many files is to be. */
export const RESOLVED = 'Conflicts-Resolved'

/** Addresses, in lower case, of those whose approval of a change request would be one of their own work. */
export type Writers = ReadonlySet<string>

/**
 * Who wrote in a change request by this service: authors of the commits of its branch that main did not have. An update from
 * main in which nothing was decided is nobody's writing. What plain Git or a remote brought, is not looked at: an address
 * in there is what somebody says.
 */
export async function writersOf(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<Writers> {
  const { before } = await spanOf(app, space, changeRequest)
  const commits = await space.repo.history({ from: changeRequest.head, not: [before] })
  const { email } = app.settings.committer
  return new Set(commits.filter((commit) => commit.committer.email === email && isWriting(commit)).map(({ author }) => author.email.toLowerCase()))
}

const isWriting = ({ parents, message }: CommitInfo): boolean =>
  parents.length < 2 || !/^Update change request #\d+ from main\n/.test(message) || message.includes(`\n${RESOLVED}: `)
