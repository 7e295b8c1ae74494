// Determines whether a user wrote content of a change request. Such users may not approve it.
import type { CommitInfo } from '../../git/index.js'
import { RESOLVED } from '../commits/credits.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import type { UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { spanOf } from './span.js'

/**
 * Whether a user wrote in a change request through this service, that is, whether a commit that it adds to main is
 * theirs. An update from main without resolutions does not count. Commits from plain Git or a remote do not count,
 * since their author's address is not verified. A user who pushed commits to it through this service did write in it,
 * regardless of the authors of these commits.
 */
export async function wroteIn(
  app: App,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  { id, email }: Pick<Document<UserDoc>, 'id' | 'email'>,
): Promise<boolean> {
  if (changeRequest.doc.pushers?.includes(id)) return true
  const { before } = await spanOf(app, space, changeRequest)
  const commits = await space.repo.history.log({ from: changeRequest.head, not: [before] })
  const own = commits.filter(
    ({ author, committer }) =>
      committer.email === app.settings.committer.email && author.email.toLowerCase() === email.toLowerCase(),
  )
  return own.some(isWriting)
}

const isWriting = ({ parents, message }: CommitInfo): boolean =>
  parents.length < 2 || !/^Update change request #\d+ from main\n/.test(message) || message.includes(`\n${RESOLVED}: `)
