/** A push in progress: its checks, its rejections, the move of a ref, and the output for the client. */
import { type RefMove, StaleRef } from '../../git/index.js'
import { grouped } from '../../kernel/diagnostic.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import type { RefGuard } from '../commits/guards.js'
import { moveGuarded } from '../commits/move-branch.js'
import type { App } from '../context/app.js'
import { changeRequestAddress } from '../context/app-addresses.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { lineOf, newProblems } from '../revisions/new-problems.js'

/** The push options of the client (`-o`). */
export interface PushOptions {
  title?: string
  description?: string
  topic?: string
}

/** A push in progress. */
export interface Push {
  app: App
  actor: Actor
  space: LoadedSpace
  options: PushOptions
  /** Sends a line of output to the client. */
  say(line: string): void
}

/** The result of pushing one ref. */
export interface Landed {
  /** The ref that moved. */
  became: RefName
  from: CommitId | null
  to: CommitId
}

/** Writes the event of a change request and its URL to the client's output. */
export function reportToClient({ app, space, say }: Push, what: string, number: number): void {
  say(`Change request ${number} ${what}:`)
  say(`  ${changeRequestAddress(app, space.doc.id, number)}`)
}

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
  const base = await space.repo.history.mergeBase(headOf(space), head)
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

/**
 * Moves a ref to pushed commits, if its guard allows it. `prepare` checks the commits and returns the move. Throws
 * `PushRefused` if another process moved the ref.
 */
export async function movePushed(
  { space: { repo } }: Push,
  lease: Lease,
  { branch, guard }: { branch: string; guard: RefGuard },
  prepare: () => Promise<readonly RefMove[]>,
): Promise<void> {
  try {
    await moveGuarded({ repo, guard, reason: 'push', lease }, async () => ({ moves: await prepare(), result: null }))
  } catch (error) {
    throw error instanceof StaleRef ? fetchFirst(branch) : error
  }
}
