/** Reads and writes the unchanged file of a page, for editors of its source. */
import { ChangeError } from '../../content/edit/change-error.js'
import { readBounded } from '../../content/read-file.js'
import { decodeText, encodeText, encodingOf, MAX_TEXT_BYTES } from '../../content/text.js'
import type { DocumentEntry } from '../../content/types.js'
import type { FileChange, Staging } from '../../git/index.js'
import { badRequest, conflict, ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { changeRequests, type UserDoc } from '../../model/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../context/loaded.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { headOf } from '../revisions/main-content.js'
import { getPage } from '../revisions/pages.js'
import type { OpenRevision } from '../revisions/revisions.js'
import { commitEdit } from './edit-batch.js'
import { guardBranch, guardMain } from './guards.js'
import { commitMessage, makeCommit } from './make-commit.js'
import { openBatch } from './plan-content.js'

/** The file of a page in a revision. */
export interface PageFile {
  page: string
  revision: CommitId
  oid: string
  path: string
}

const tooLarge = (path: string): ServiceError =>
  new ServiceError(
    'too-large',
    `${path} has more than ${MAX_TEXT_BYTES} bytes, so it cannot be edited here. Split it with Git first.`,
  )

/** Returns the page, if it has a file. Throws 404 for an unknown page, 400 for a page without a file. */
function documentIn(revision: Pick<OpenRevision, 'structure'>, id: string): DocumentEntry {
  const page = getPage(revision as OpenRevision, id)
  if (page.type === 'document') return page
  throw badRequest(`${page.title} is a ${page.type} without a file, so it has no source.`)
}

/** Reads the file of a page. Throws 404, 400 for a page without a file, 413 for one that is too large. */
export async function readPageSource(
  revision: OpenRevision,
  page: string,
): Promise<{ file: PageFile; markdown: string }> {
  const { gitPath: path } = documentIn(revision, page)
  const entry = await revision.snapshot.entry(path)
  if (!entry) throw new ServiceError('not-found', `The file ${path} of this page does not exist.`)
  const bytes = await readBounded(revision.snapshot, entry.oid, MAX_TEXT_BYTES)
  if (!bytes) throw tooLarge(path)
  // Bodies of requests cannot contain it.
  if (bytes.includes(0)) throw badRequest(`${path} contains a NUL character, so it cannot be edited here. Use Git.`)
  return { file: { page, revision: revision.snapshot.commit, oid: entry.oid, path }, markdown: decodeText(bytes) }
}

/** The new file of a page. */
interface SourceInput {
  app: App
  /** The author of the commit. */
  author: Pick<UserDoc, 'displayName' | 'email'>
  space: LoadedSpace
  page: string
  markdown: string
  message?: string | undefined
  /** Object ID of the file that the text is based on. Null = do not check. */
  ifMatch: string | null
}

/** A request to replace the file of a page. */
interface SourceRequest extends Omit<SourceInput, 'author'> {
  actor: Actor
  /** Null = the main content. */
  changeRequest: LoadedChangeRequest | null
}

/**
 * Replaces the file of a page with a text, byte for byte, as one commit. An unchanged text makes no commit, so a
 * repeated request succeeds. Throws 412 if the file does not match `ifMatch`.
 */
export async function writePageSource(request: SourceRequest): Promise<PageFile> {
  const { app, actor, space, changeRequest } = request
  const branch = changeRequest
    ? { ref: changeRequestRef(changeRequest.doc.number), guard: guardBranch(app, space) }
    : { ref: MAIN, guard: guardMain(app, space, { by: 'edit', actor }) }
  return commitEdit(app, space, branch, async () => async (staging, tip) => {
    const start = changeRequest ? await openHead(app, space, changeRequest) : headOf(space)
    const result = await write({ ...request, author: actor.user }, tip ?? start, staging)
    return { head: result.revision, result }
  })
}

/**
 * Replaces the file of a page with a text, byte for byte, as one commit on top of a revision, and moves no branch. Throws
 * like `writePageSource`.
 */
export async function commitPageSource(input: SourceInput, head: CommitId): Promise<PageFile> {
  const { app, space } = input
  await guardBranch(app, space).check()
  const staging = space.repo.objects.stage()
  const written = await write(input, head, staging)
  await staging.settle()
  return written
}

/** Returns the head of a change request that can still change. Throws 409 otherwise. */
async function openHead(
  app: App,
  space: LoadedSpace,
  { doc: { id }, ...rest }: LoadedChangeRequest,
): Promise<CommitId> {
  const doc = await app.store.get(changeRequests, id)
  if (!doc) return rest.head
  if (doc.status === 'merged' || doc.status === 'archived')
    throw conflict(`The change request is ${doc.status}, so its content cannot be changed.`)
  return loadHead(space, doc).head
}

async function write(
  { app, author, space, page, markdown, message, ifMatch }: SourceInput,
  head: CommitId,
  staging: Staging,
): Promise<PageFile> {
  const { revision, batch } = await openBatch(app, space, head)
  const { workspace } = batch
  const { gitPath: path } = documentIn(revision, page)
  const before = await bytesOf(workspace, path)
  const oid = (await revision.snapshot.entry(path))?.oid ?? ''
  const after = encodeText(markdown, encodingOf(before))
  if (after.length > MAX_TEXT_BYTES) throw tooLarge(path)
  if (Buffer.compare(before, after) === 0) return { page, revision: head, oid, path }
  if (ifMatch !== null && oid !== ifMatch)
    throw new ServiceError(
      'precondition-failed',
      `${path} has changed since you read it. Read it again, combine your text with it, and save the result.`,
    )
  await workspace.setBytes(path, after)
  // The title of a page that no table of contents lists is in its text.
  await workspace.structure()
  const commit = await makeCommit(
    app,
    space,
    {
      parents: [head],
      changes: workspace.changes() as FileChange[],
      message: commitMessage(message ?? `Edit ${path}`),
      author,
      overrides: workspace.overrides,
    },
    staging,
  )
  const written = await (await space.repo.objects.snapshot(commit)).entry(path)
  return { page, revision: commit, oid: written?.oid ?? '', path }
}

async function bytesOf(workspace: { bytes(path: string, max: number): Promise<unknown> }, path: string) {
  try {
    const bytes = await workspace.bytes(path, MAX_TEXT_BYTES)
    if (bytes instanceof Uint8Array) return bytes
    throw tooLarge(path)
  } catch (error) {
    throw error instanceof ChangeError ? badRequest(error.message) : error
  }
}
