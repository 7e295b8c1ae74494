import { encodeText, isText } from '../../content/text.js'
import type { FileChange, MergeConflict, Repository, TreeEntry } from '../../git/index.js'
import { badRequest, conflict } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Resolution } from '../../model/index.js'
import type { App, LoadedSpace } from '../app.js'
import type { LoadedChangeRequest } from './change-requests.js'
import { mergeCommits, type MergedTree } from '../writing/merge.js'
import { MAIN } from '../refs.js'

/** Larger texts are not repeated in an answer; the file can be read by its oid. Bytes. */
const MAX_TEXT_BYTES = 1024 * 1024

/** One side of a conflict: the file there, and its text where it is text. */
export interface ConflictSide {
  oid: string
  mode: string
  text?: string
}

export interface Conflict {
  path: string
  kind: MergeConflict['kind']
  base?: ConflictSide
  /** In the change request. */
  ours?: ConflictSide
  /** In the main content. */
  theirs?: ConflictSide
}

/** What a client is told of a merge that cannot be clean. */
export function conflictError(what: string, conflicts: readonly MergeConflict[], hint: string): Error {
  const paths = [...new Set(conflicts.map((one) => one.path))]
  return conflict(
    `${what} cannot be merged cleanly: ${paths.length} ${paths.length === 1 ? 'file is' : 'files are'} in conflict. Nothing was changed. ${hint}`,
    {
      paths,
      details: conflicts.map((one) => ({ path: one.path, message: `${one.kind} conflict` })),
    },
  )
}

/** What an update of the change request from main could not merge cleanly, by path; nothing where it could. */
export async function listConflicts(app: App, space: LoadedSpace, { doc, head }: LoadedChangeRequest): Promise<MergeConflict[]> {
  const { repo } = space
  const main = repo.head(MAIN)
  if (!main || doc.status === 'merged' || (await repo.isAncestor(main, head))) return []
  const merged = await mergeCommits(app, space, { ours: head, theirs: main })
  return merged.clean ? [] : [...merged.conflicts].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** A conflict with what each side has there. */
export async function loadConflict(repo: Repository, at: CommitId, { path, kind, base, ours, theirs }: MergeConflict): Promise<Conflict> {
  const snapshot = await repo.at(at)
  const side = async (entry: TreeEntry | undefined): Promise<ConflictSide | undefined> => {
    if (!entry) return undefined
    const plain = { oid: entry.oid, mode: entry.mode }
    if (entry.mode === '160000' || ((await snapshot.sizes([entry.oid]))[0] ?? 0) > MAX_TEXT_BYTES) return plain
    const bytes = await snapshot.read(entry.oid)
    return isText(bytes) ? { ...plain, text: bytes.toString('utf8') } : plain
  }
  const [was, mine, other] = await Promise.all([side(base), side(ours), side(theirs)])
  return { path, kind, ...(was && { base: was }), ...(mine && { ours: mine }), ...(other && { theirs: other }) }
}

/**
 * The clean merge that resolutions make of one that is not: every conflict must have one, and no other path may. What Git
 * wrote with markers into its tree is replaced path by path. Throws 400 for resolutions of what is no conflict, 409 with
 * the paths that are left.
 */
export async function resolveConflicts(repo: Repository, merged: MergedTree, resolutions: readonly Resolution[]): Promise<MergedTree & { clean: true }> {
  const conflicts = merged.clean ? [] : merged.conflicts
  checkKnown(conflicts, resolutions)
  if (merged.clean) return merged
  const byPath = new Map(resolutions.map((one) => [one.path, one]))
  const left = conflicts.filter((one) => !byPath.has(one.path))
  if (left.length > 0) throw conflictError('The main content', left, 'See the conflicts of the change request, and update with a resolution of each.')
  const tree = repo.tree(merged.tree)
  const changes: FileChange[] = []
  for (const one of conflicts) {
    const change = changeFor(one, byPath.get(one.path) as Resolution)
    // Where a folder of the other side stands at the path: a file takes its place with all below it, no file leaves it alone.
    const below = one.kind === 'file/directory' ? await tree.walk(one.path) : []
    if (below.length === 0) changes.push(change)
    else if (!('delete' in change)) changes.push(...below.map(({ path }) => ({ path, delete: true as const })), change)
  }
  return { clean: true, tree: await repo.draft(merged.tree, [...merged.setAside, ...changes]) }
}

function checkKnown(conflicts: readonly MergeConflict[], resolutions: readonly Resolution[]): void {
  const known = new Set(conflicts.map((one) => one.path))
  const seen = new Set<string>()
  const details = resolutions.flatMap(({ path }, index) => {
    const message = !known.has(path) ? `${path} is not in conflict` : seen.has(path) ? `${path} is resolved twice` : null
    seen.add(path)
    return message === null ? [] : [{ path: `/resolve/${index}/path`, message }]
  })
  if (details.length > 0) throw badRequest('Some resolutions do not fit the conflicts there are. Nothing was changed.', details)
}

function changeFor({ path, ours, theirs }: MergeConflict, resolution: Resolution): FileChange {
  if ('delete' in resolution) return { path, delete: true }
  if ('content' in resolution) {
    const mode = (ours ?? theirs)?.mode === '100755' ? '100755' : '100644'
    return { path, content: encodeText(resolution.content), mode }
  }
  const side = resolution.take === 'main' ? theirs : ours
  return side ? { path, oid: side.oid as never, mode: side.mode } : { path, delete: true }
}
