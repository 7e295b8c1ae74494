/** Errors of rejected pushes, and the checks for all branches. */
import type { CommitId } from '../../kernel/ids.js'
import type { LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { lineOf, newProblems } from '../revisions/new-problems.js'
import { grouped } from '../../kernel/diagnostic.js'
import type { Push } from './push-request.js'

/** One ref of a push is rejected. The message is for the client. */
export class PushRefused extends Error {}

/** Maximum number of diagnostics in the output. */
const MAX_LINES = 50
/** Maximum number of diagnostics of one kind. */
const MAX_OF_A_KIND = 20

/** Returns the error for a branch that differs from the client's expectation or would lose commits. */
export const fetchFirst = (branch: string): PushRefused =>
  new PushRefused(
    `fetch first: ${branch} has commits that your branch lacks. Fetch and merge (git pull), then push again; history cannot be rewritten`,
  )

/** Returns the newest common commit of `head` and main. Throws `PushRefused` if there is none. */
export async function groundOf(space: LoadedSpace, head: CommitId): Promise<CommitId> {
  const base = await space.repo.mergeBase(headOf(space), head)
  if (base === null)
    throw new PushRefused('it has no common history with main. Clone the space and commit on top of its main')
  return base
}

/**
 * Reports the new diagnostics of a commit to the client. Throws `PushRefused` if it breaks the table of contents, the
 * settings or a name.
 */
export async function checkContent({ app, space, say }: Push, before: CommitId, after: CommitId): Promise<void> {
  const { breaking, others } = await newProblems(app, space, before, after)
  const lines = [...grouped([...breaking, ...others], MAX_OF_A_KIND)].flatMap((one) =>
    one === null ? [] : [lineOf(one)],
  )
  for (const line of lines.slice(0, MAX_LINES)) say(line)
  if (lines.length > MAX_LINES) say(`… and ${lines.length - MAX_LINES} more`)
  const [first] = breaking
  if (first) throw new PushRefused(lineOf(first))
}
