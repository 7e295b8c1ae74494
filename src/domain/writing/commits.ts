import type { IdOverrides } from '../../content/identity.js'
import {
  type FileChange,
  InvalidPath,
  LostObject,
  PathCollision,
  RefLocked,
  type RefMove,
  type Repository,
  type Signature,
  type Staging,
  StaleRef,
} from '../../git/index.js'
import { badRequest, conflict } from '../../kernel/errors.js'
import type { CommitId, RefName, TreeId } from '../../kernel/ids.js'
import type { UserDoc } from '../../model/index.js'
import type { App } from '../app.js'
import { pageIdsHeader, rememberOverrides } from '../content/identity.js'
import type { RefGuard } from '../main-guard.js'

/** How often a write is planned anew when somebody else moved the branch meanwhile. */
export const ATTEMPTS = 8

/** A user as Git records him, now, in UTC. */
export function signatureOf(app: App, user: Pick<UserDoc, 'displayName' | 'email'>): Signature {
  return { name: user.displayName, email: user.email, seconds: Math.floor(app.clock.now().getTime() / 1000), offset: 0 }
}

/** The service as committer. */
export const serviceSignature = (app: App): Signature => ({
  ...signatureOf(app, { displayName: app.settings.committer.name, email: app.settings.committer.email }),
})

/** A message: subject line, then trailers. */
export function commitMessage(subject: string, trailers: Record<string, string | readonly string[]> = {}): string {
  const [first = '', ...rest] = subject.trim().split(/\r?\n/)
  const lines = Object.entries(trailers).flatMap(([key, value]) => (typeof value === 'string' ? [value] : value).map((one) => `${key}: ${one}`))
  return `${[`${first || 'Update content'}`, rest.join('\n').trim(), lines.join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}

export interface CommitInput {
  parents: readonly CommitId[]
  changes: readonly FileChange[]
  tree?: TreeId
  message: string
  author: Pick<UserDoc, 'displayName' | 'email'>
  /** IDs that the commit is to have. */
  overrides: IdOverrides
  /** Headers beside that of the IDs. */
  headers?: Readonly<Record<string, string>>
}

/**
 * Makes a commit of the service: author = who acts, committer = the service, page identity in its header. Moves no ref.
 * Durable when it resolves, or when `into` is settled where one is given.
 */
export async function makeCommit(app: App, space: string, repo: Repository, input: CommitInput, into?: Staging): Promise<CommitId> {
  const headers = { ...(await pageIdsHeader(app, space, repo, input.parents[0], input.overrides)), ...input.headers }
  try {
    const commit = await (into ?? repo).write({
      parents: input.parents,
      changes: input.changes,
      message: input.message,
      author: signatureOf(app, input.author),
      committer: serviceSignature(app),
      headers,
      ...(input.tree === undefined ? {} : { tree: input.tree }),
    })
    rememberOverrides(app, space, commit, input.overrides)
    return commit
  } catch (error) {
    throw translated(error)
  }
}

/** What the Git layer refuses, in the words of the API. */
function translated(error: unknown): unknown {
  if (error instanceof InvalidPath) return badRequest(`${error.message}: choose another file name.`)
  if (error instanceof PathCollision)
    return conflict(`${error.message}: on some systems both would be one file. Choose another name.`, { paths: [error.existing, error.path] })
  if (error instanceof LostObject)
    return conflict(
      `Content that this change needs (object ${error.oid}) is no longer in the space's repository: somebody pruned it there, or the file is damaged. ` +
        'Nothing was changed. Use other content, or have an administrator of the server restore the object from a backup.',
      { cause: error },
    )
  return error
}

/** What a client is told whose write was overtaken each time. */
export const movesTooFast = (cause: unknown): Error =>
  conflict(`The content is being changed faster than this change could be applied (${ATTEMPTS} attempts). Try again.`, { cause })

/** `Repository.move`, with what a client is told of a lock file in the way: 409. Throws `StaleRef`. */
export async function moveRefs(repo: Repository, moves: readonly RefMove[], reason: string): Promise<void> {
  try {
    await repo.move(moves, reason)
  } catch (error) {
    throw error instanceof RefLocked ? conflict(lockedSentence(error), { cause: error }) : translated(error)
  }
}

/** What people are told of lock files in the way, and what to do. */
const lockedSentence = ({ locks }: RefLocked): string =>
  `Git's ${locks.length === 1 ? 'lock' : 'locks'} ${locks.join(', ')} in the repository of the space did not go away: another Git process is at work there, or was killed. ` +
  'No branch was moved. Try again; if it stays so, an administrator of the server has to delete that file once no Git process runs there.'

/** A branch to move: whether it may is asked of `guard` before the work and again when all is made. */
export interface BranchMove {
  ref: RefName
  reason: string
  guard: RefGuard
}

/**
 * Runs `attempt` with the branch's present head until its compare-and-swap succeeds. `attempt` makes objects and answers
 * the commit that the branch is to name (the same head = nothing to do). Never overwrites a move made by others.
 */
export async function moveBranch(
  repo: Repository,
  { ref, reason, guard }: BranchMove,
  attempt: (head: CommitId | null) => Promise<CommitId>,
): Promise<CommitId> {
  for (let tries = 1; ; tries++) {
    const head = repo.head(ref)
    await guard.check()
    const commit = await attempt(head)
    if (commit === head) return commit
    try {
      await guard.during(async () => {
        await guard.check()
        await moveRefs(repo, [{ ref, from: head, to: commit }], reason)
      })
      guard.moved()
      return commit
    } catch (error) {
      if (!(error instanceof StaleRef)) throw error
      if (tries >= ATTEMPTS) throw movesTooFast(error)
    }
  }
}
