/** Why a push is refused, and the checks that every branch has in common. */
import type { CommitId } from '../../kernel/ids.js'
import type { LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { lineOf, newProblems } from '../revisions/new-problems.js'
import { grouped } from '../../kernel/diagnostic.js'
import type { Push } from './push-request.js'

/** One ref of a push is refused. The message is for whoever pushes. */
export class PushRefused extends Error {}

/** Lines of diagnostics that are told. */
const MAX_LINES = 50
/** Lines of one kind. */
const MAX_OF_A_KIND = 20

/** The error if a branch is not what the client believes it to be, or would lose commits. */
export const fetchFirst = (branch: string): PushRefused =>
  new PushRefused(
    `fetch first: ${branch} has commits that yours does not. Fetch and merge (git pull), then push again; history is not replaced here`,
  )

/** The newest commit that `head` has in common with main. Throws `PushRefused` if there is none. */
export async function groundOf(space: LoadedSpace, head: CommitId): Promise<CommitId> {
  const base = await space.repo.mergeBase(headOf(space), head)
  if (base === null)
    throw new PushRefused('it has no history in common with main. Clone the space and commit on top of its main')
  return base
}

/** Tells the diagnostics that a commit brings. Throws `PushRefused` if it breaks the table of contents, the settings or a name. */
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
