/** Creates the service's commits: author, committer, message, and the header with the page IDs. */
import type { IdOverrides } from '../../content/identity.js'
import {
  type FileChange,
  FolderTooLarge,
  InvalidPath,
  LostObject,
  PathCollision,
  type Signature,
  SigningFailed,
  type Staging,
} from '../../git/index.js'
import { badRequest, conflict, ServiceError } from '../../kernel/errors.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import type { UserDoc } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { pageIdsHeader, rememberOverrides } from '../revisions/identity.js'
import { defined } from '../../kernel/defined.js'

/** Returns the Git signature of a user, with the current time in UTC. */
export function signatureOf(app: App, user: Pick<UserDoc, 'displayName' | 'email'>): Signature {
  return { name: user.displayName, email: user.email, seconds: Math.floor(app.clock.now().getTime() / 1000), offset: 0 }
}

/** Returns the Git signature of the service, which is the committer of its commits. */
export const serviceSignature = (app: App): Signature => ({
  ...signatureOf(app, { displayName: app.settings.committer.name, email: app.settings.committer.email }),
})

/** Builds a commit message: the subject, the optional body and the trailers. */
export function commitMessage(subject: string, trailers: Record<string, string | readonly string[]> = {}): string {
  const [first = '', ...rest] = subject.trim().split(/\r?\n/)
  const lines = Object.entries(trailers).flatMap(([key, value]) =>
    (typeof value === 'string' ? [value] : value).map((one) => `${key}: ${one}`),
  )
  return `${[`${first || 'Update content'}`, rest.join('\n').trim(), lines.join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}

interface CommitInput {
  parents: readonly CommitId[]
  changes: readonly FileChange[]
  tree?: TreeId
  message: string
  author: Pick<UserDoc, 'displayName' | 'email'>
  /** The page IDs of the commit. */
  overrides: IdOverrides
  /** Headers in addition to `page-ids`. */
  headers?: Readonly<Record<string, string>>
}

/**
 * Creates a commit. The author is the acting user, the committer is the service, and a header contains the page IDs.
 * Moves no ref. The commit is durable when this resolves or, if `into` is given, when that staging is settled.
 */
export async function makeCommit(
  app: App,
  space: SpaceRepository,
  input: CommitInput,
  into?: Staging,
): Promise<CommitId> {
  const headers = { ...(await pageIdsHeader(app, space, input.parents[0], input.overrides)), ...input.headers }
  try {
    const commit = await (into ?? space.repo.objects).write({
      parents: input.parents,
      changes: input.changes,
      message: input.message,
      author: signatureOf(app, input.author),
      committer: serviceSignature(app),
      headers,
      sign: true,
      ...defined({ tree: input.tree }),
    })
    rememberOverrides(app, space, commit, input.overrides)
    return commit
  } catch (error) {
    throw translated(error)
  }
}

/** Converts an error from the Git layer to the error for the client. Returns other errors unchanged. */
export function translated(error: unknown): unknown {
  if (error instanceof InvalidPath) return badRequest(`${error.message}: choose another file name.`)
  if (error instanceof PathCollision)
    return conflict(`${error.message}: on some systems, both are the same file. Choose another name.`, {
      paths: [error.existing, error.path],
    })
  if (error instanceof FolderTooLarge)
    return new ServiceError('too-large', `${error.message}. Put the new files into another folder.`)
  if (error instanceof LostObject)
    return conflict(
      `Content that this change needs (object ${error.oid}) is missing from the space's repository: it was pruned, or its file is damaged. ` +
        'Nothing was changed. Use other content, or ask a server administrator to restore the object from a backup.',
      { cause: error },
    )
  if (error instanceof SigningFailed)
    return new ServiceError(
      'unavailable',
      `The commit could not be signed, so nothing was changed: ${error.message}. Ask a server administrator to check the signing key.`,
      {
        cause: error,
      },
    )
  return error
}
