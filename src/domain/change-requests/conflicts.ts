// Lists the conflicts of a change request with main, and applies resolutions.
import { required } from '../../kernel/defined.js'
import { sameLineEnds } from '../../content/edit/line-ends.js'
import { decodeText, encodeText, encodingOf, isText } from '../../content/text.js'
import { TextTooCostly, type TextWork } from '../../content/work/text-work.js'
import { type FileChange, InvalidPath, type MergeConflict, type Repository, type TreeEntry } from '../../git/index.js'
import { badRequest, conflict, ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Resolution } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import type { MergedTree } from '../commits/merge/merged-tree.js'
import { MAIN } from '../context/refs.js'
import { translated } from '../commits/make-commit.js'
import { conflictError, namesOf } from '../commits/merge/merged-tree.js'
import { compareWithMain, isBlob } from './conflict-state.js'

/** Maximum size in bytes of a text in a response. The file can also be read by its oid. */
const MAX_TEXT_BYTES = 1024 * 1024

/** One side of a conflict: its file, with the text if it is a text file. */
interface ConflictSide {
  oid: string
  mode: string
  /** The path of the file on that side, if it differs from the conflict's path. */
  path?: string
  text?: string
}

interface Conflict {
  path: string
  kind: MergeConflict['kind']
  base?: ConflictSide
  /** The version in the change request. */
  ours?: ConflictSide
  /** The version in the main content. */
  theirs?: ConflictSide
}

/** Lists the conflicts of an update of the change request from main, in order of path. Empty if the update is clean. */
export async function listConflicts(
  app: App,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<readonly MergeConflict[]> {
  return space.repo.refs.head(MAIN) === null ? [] : (await compareWithMain(app, space, changeRequest)).conflicts
}

/** Loads the file of each side of a conflict. */
export async function loadConflict(
  repo: Repository,
  at: CommitId,
  { path, kind, base, ours, theirs }: MergeConflict,
): Promise<Conflict> {
  const snapshot = await repo.objects.snapshot(at)
  const side = async (entry: TreeEntry | undefined): Promise<ConflictSide | undefined> => {
    if (!entry) return undefined
    const plain = { oid: entry.oid, mode: entry.mode, ...(entry.path === path ? {} : { path: entry.path }) }
    if (!isBlob(entry) || ((await snapshot.sizes([entry.oid]))[0] ?? 0) > MAX_TEXT_BYTES) return plain
    const bytes = await snapshot.read(entry.oid)
    return isText(bytes) ? { ...plain, text: bytes.toString('utf8') } : plain
  }
  const [was, mine, other] = await Promise.all([side(base), side(ours), side(theirs)])
  return { path, kind, ...(was && { base: was }), ...(mine && { ours: mine }), ...(other && { theirs: other }) }
}

/**
 * Makes a merge clean with resolutions. Each conflict needs one, and other paths must not have one. They replace the
 * files with conflict markers in Git's tree. Throws 400 if a resolution matches no conflict, and 409 with the paths
 * that have no resolution.
 */
export async function resolveConflicts(
  app: App,
  { repo, doc }: LoadedSpace,
  merged: MergedTree,
  resolutions: readonly Resolution[],
): Promise<MergedTree & { clean: true }> {
  const conflicts = merged.clean ? [] : merged.conflicts
  const resolutionOf = matching(conflicts, resolutions)
  checkKnown(conflicts, resolutions, resolutionOf)
  if (merged.clean) return merged
  const left = conflicts.filter((one) => !resolutionOf(one))
  if (left.length > 0)
    throw conflictError(
      'The main content',
      left,
      'List the conflicts of the change request, and update it with a resolution for each.',
    )
  const tree = repo.objects.tree(merged.tree)
  const changes: FileChange[] = []
  const put = new Map<string, Resolution>()
  for (const one of conflicts) {
    const resolution = required(resolutionOf(one))
    const change = await changeFor(app.texts.for(doc.id), tree, one, resolution)
    await checkFree(repo, merged, one, change)
    if (!('delete' in change) && (put.get(change.path) ?? resolution) !== resolution) throw pathTaken(one, change.path)
    if (!('delete' in change)) put.set(change.path, resolution)
    // If the other side has a folder at the path, taking the file removes the folder, and deleting the file keeps it.
    const below = one.kind === 'file/directory' ? await tree.walk(one.path) : []
    if (below.length === 0) changes.push(change)
    else if (!('delete' in change)) changes.push(...below.map(({ path }) => ({ path, delete: true as const })), change)
  }
  // Two conflicts may involve the same path. If one resolution puts a file there, the other does not delete it.
  const gone = changes.filter((change) => 'delete' in change && !put.has(change.path))
  const placed = changes.filter((change) => !('delete' in change))
  try {
    return { clean: true, tree: await repo.trees.draft(merged.tree, [...merged.setAside, ...gone, ...placed]) }
  } catch (error) {
    throw withoutRoom(error, placed)
  }
}

/** Returns the error for the client if a file and a folder would have one path. */
function withoutRoom(error: unknown, placed: readonly FileChange[]): unknown {
  if (!(error instanceof InvalidPath)) return translated(error)
  const paths = placed
    .map(({ path }) => path)
    .filter((path) => path === error.path || path.startsWith(`${error.path}/`))
  return conflict(
    `${paths.join(', ')} cannot be kept: ${error.path} would be both a file and a folder. Take the other side, or rename one of them first. Nothing was changed.`,
    { paths },
  )
}

/** Finds the resolution of each conflict: by a path that only this conflict has, otherwise by a shared path. */
function matching(
  conflicts: readonly MergeConflict[],
  resolutions: readonly Resolution[],
): (one: MergeConflict) => Resolution | undefined {
  // If two resolutions have the same path, the first counts and the second is reported.
  const byPath = new Map(resolutions.toReversed().map((one) => [one.path, one]))
  const sharers = new Map<string, number>()
  for (const name of conflicts.flatMap(namesOf)) sharers.set(name, (sharers.get(name) ?? 0) + 1)
  const found = new Map<MergeConflict, Resolution>()
  for (const one of conflicts) {
    const names = namesOf(one).filter((name) => byPath.has(name))
    const name = names.find((name) => sharers.get(name) === 1) ?? names[0]
    if (name !== undefined) found.set(one, required(byPath.get(name)))
  }
  return (one) => found.get(one)
}

/**
 * Throws 400 unless every resolution decides a conflict. A path of two conflicts applies to the one that has no other
 * resolution.
 */
function checkKnown(
  conflicts: readonly MergeConflict[],
  resolutions: readonly Resolution[],
  resolutionOf: ReturnType<typeof matching>,
): void {
  const known = new Set(conflicts.flatMap(namesOf))
  const used = new Set(conflicts.map(resolutionOf))
  const details = resolutions.flatMap((resolution, index) => {
    const { path } = resolution
    const message = !known.has(path)
      ? `${path} is not in conflict`
      : used.has(resolution)
        ? null
        : `${path} is resolved twice`
    return message === null ? [] : [{ path: `/resolve/${index}/path`, message }]
  })
  if (details.length > 0) throw badRequest('Some resolutions do not match the conflicts. Nothing was changed.', details)
}

/** Throws 409 if a file that was moved to two paths would be placed where the merge has another file. */
async function checkFree(
  repo: Repository,
  merged: MergedTree & { clean: false },
  one: MergeConflict,
  change: FileChange,
): Promise<void> {
  if (namesOf(one).length < 2 || 'delete' in change) return
  const put = merged.setAside.findLast(({ path }) => path === change.path)
  const isThere = put ? !('delete' in put) : (await repo.objects.tree(merged.tree).entry(change.path)) !== null
  if (!isThere) return
  throw pathTaken(one, change.path)
}

function pathTaken(one: MergeConflict, path: string): Error {
  const other = namesOf(one).find((name) => name !== path)
  const instead = other === undefined ? 'Resolve one of them differently' : `Take ${other}`
  return conflict(
    `The file cannot be placed at ${path}, because the merge has another file there. ${instead}, or rename one of them first. Nothing was changed.`,
    {
      paths: [path],
    },
  )
}

/**
 * Returns the change for a resolution. If both sides moved the file, the resolution decides its path. Otherwise the
 * file stays at the path from the merge. A given text gets main's line endings if main changed them, otherwise those of
 * the change request.
 */
async function changeFor(
  work: TextWork,
  tree: ReturnType<Repository['objects']['tree']>,
  one: MergeConflict,
  resolution: Resolution,
): Promise<FileChange> {
  const { path, ours, theirs } = one
  if ('delete' in resolution) return { path, delete: true }
  if ('content' in resolution) {
    const present = ours ?? theirs
    const [was, mine, other] = [await textOf(tree, one.base), await textOf(tree, ours), await textOf(tree, theirs)]
    const model =
      mine === null || (other !== null && was !== null && !sameLineEnds(was.text, other.text)) ? other : mine
    const content = model === null ? resolution.content : await withLineEnds(work, model.text, resolution)
    return {
      path: resolution.path,
      content: encodeText(content, encodingOfBoth(mine, other)),
      mode: present?.mode === '100755' ? '100755' : '100644',
    }
  }
  const side = { main: theirs, 'change-request': ours, base: one.base }[resolution.take]
  const isMoved = one.kind === 'rename' && resolution.take !== 'base'
  return side ? { path: isMoved ? side.path : path, oid: side.oid, mode: side.mode } : { path, delete: true }
}

async function withLineEnds(
  work: TextWork,
  text: string,
  { path, content }: Extract<Resolution, { content: string }>,
): Promise<string> {
  try {
    return await work.keepLineEnds(text, content)
  } catch (error) {
    if (error instanceof TextTooCostly)
      throw new ServiceError(
        'too-large',
        `The content of the resolution for ${path} is too large. ${error.message} Nothing was changed.`,
      )
    throw error
  }
}

interface DecodedText {
  text: string
  isLatin1: boolean
}

/** Returns the text of a file. Null if it is not a text file or too large. */
async function textOf(
  tree: ReturnType<Repository['objects']['tree']>,
  entry: TreeEntry | undefined,
): Promise<DecodedText | null> {
  if (!entry?.mode.startsWith('100')) return null
  const bytes = await tree.read(entry.oid)
  if (bytes.length > MAX_TEXT_BYTES || bytes.includes(0)) return null
  return { text: decodeText(bytes), isLatin1: encodingOf(bytes) === 'latin1' }
}

/** The encoding of a text that is put together from both sides: Latin-1 if no side has other characters. */
function encodingOfBoth(...sides: (DecodedText | null)[]): 'latin1' | 'utf-8' {
  const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)
  const given = sides.filter((one) => one !== null)
  return given.some(({ isLatin1 }) => isLatin1) && given.every(({ isLatin1, text }) => isLatin1 || isAscii(text))
    ? 'latin1'
    : 'utf-8'
}
