// Describes the conflicts of a change request for people who resolve them: the two sides, and each file as chunks.
import { decodeText, MAX_TEXT_BYTES } from '../../content/text.js'
import type { MergeChunk } from '../../content/edit/merge-chunks.js'
import { isMarkdown } from '../../content/paths.js'
import { type TextWork, unlessTooCostly } from '../../content/work/text-work.js'
import type { MergeConflict, Repository, TreeEntry } from '../../git/index.js'
import { required } from '../../kernel/defined.js'
import { conflict as conflictOf, notFound } from '../../kernel/errors.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { type ConnectionProvider, connections } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { mergeOfBranch } from '../commits/merge/branch-merge.js'
import { namesOf } from '../commits/merge/merged-tree.js'
import { findCollisions } from '../commits/merge/path-collisions.js'
import { downloadUrl } from '../revisions/downloads.js'
import { lfsFileOf } from '../revisions/lfs-files.js'
import { headOf } from '../revisions/main-content.js'
import { openRevision } from '../revisions/revisions.js'

/** Maximum number of conflicts in a response, and of resolutions in a request. */
const MAX_CONFLICTS = 1000

/** The two heads that were compared, and their conflicts in order of path. */
interface Comparison {
  /** The head of the change request's branch. */
  revision: CommitId
  main: CommitId
  /** The commit that both sides started from; null if they share no history. */
  base: CommitId | null
  conflicts: readonly MergeConflict[]
}

/** Compares a change request with main. There are no conflicts if main has nothing new or the change request is merged. */
export async function compareWithMain(
  app: App,
  space: LoadedSpace,
  { doc, head }: LoadedChangeRequest,
): Promise<Comparison> {
  const main = headOf(space)
  const none = { revision: head, main, base: main, conflicts: [] }
  if (doc.status === 'merged' || (await space.repo.history.isAncestor(main, head))) return none
  const { merged, bases } = await mergeOfBranch(app, space, doc, { main, head, into: 'branch' })
  const names = await sameNames(space.repo, merged.tree, head, main)
  const conflicts = [...(merged.clean ? [] : merged.conflicts), ...names].sort((a, b) => (a.path < b.path ? -1 : 1))
  if (conflicts.length === 0) return none
  return { revision: head, main, base: bases[0] ?? null, conflicts }
}

/** Returns the pairs of paths that differ only in case. Git merges them, but the service does not. */
async function sameNames(
  repo: Repository,
  tree: TreeId,
  ours: CommitId,
  theirs: CommitId,
): Promise<readonly MergeConflict[]> {
  const pairs = new Map((await findCollisions(repo, tree, ours, theirs)).map((pair) => [pair.join('\n'), pair]))
  if (pairs.size === 0) return []
  const [mine, other] = await Promise.all([repo.objects.snapshot(ours), repo.objects.snapshot(theirs)])
  return Promise.all(
    [...pairs.values()].map(async ([path, there]) => {
      const [own, their] = await Promise.all([mine.entry(path), other.entry(there)])
      return { path, kind: 'name' as const, ...(own && { ours: own }), ...(their && { theirs: their }) }
    }),
  )
}

/** The kind of a file in conflict for users. */
export type ConflictForm = 'page' | 'table-of-contents' | 'file' | 'link' | 'submodule'

/** A conflict of a comparison. */
export interface DescribedConflict {
  conflict: MergeConflict
  form: ConflictForm
  /** Title and ID of the page, on the side that has it. */
  page: { id: string; title: string; in: 'main' | 'change-request' } | null
  /** The path that identifies this conflict in a resolution. If possible, no other conflict has it. */
  key: string
}

/** Describes the conflicts of a comparison, at most `MAX_CONFLICTS`. */
export async function describeConflicts(
  app: App,
  space: LoadedSpace,
  { revision, main, conflicts }: Comparison,
): Promise<DescribedConflict[]> {
  if (conflicts.length === 0) return []
  const [ours, theirs] = await Promise.all([openRevision(app, space, revision), openRevision(app, space, main)])
  const summaries = new Set([ours, theirs].map(({ structure }) => structure.config.summary))
  const sharers = new Map<string, number>()
  for (const name of conflicts.flatMap(namesOf)) sharers.set(name, (sharers.get(name) ?? 0) + 1)
  return conflicts.slice(0, MAX_CONFLICTS).map((conflict) => {
    const mine = ours.structure.byGitPath.get(conflict.ours?.path ?? conflict.path)
    const other = theirs.structure.byGitPath.get(conflict.theirs?.path ?? conflict.path)
    const entries = [conflict.base, conflict.ours, conflict.theirs]
    const has = (mode: string): boolean => entries.some((entry) => entry?.mode === mode)
    const form = has('160000')
      ? 'submodule'
      : has('120000')
        ? 'link'
        : summaries.has(conflict.path)
          ? 'table-of-contents'
          : (mine ?? other)
            ? 'page'
            : 'file'
    const page = mine
      ? { id: mine.id, title: mine.title, in: 'change-request' as const }
      : other
        ? { id: other.id, title: other.title, in: 'main' as const }
        : null
    const names = namesOf(conflict)
    const key = names.find((name) => sharers.get(name) === 1) ?? conflict.path
    return { conflict, form, page: form === 'page' ? page : null, key }
  })
}

/** The Git host of the remote that a conflict change request of a sync comes from. Null for other change requests. */
export async function hostOf(
  app: App,
  { doc: space }: LoadedSpace,
  { doc }: LoadedChangeRequest,
): Promise<{ provider: ConnectionProvider } | null> {
  if (doc.remoteKey === undefined) return null
  const connection = (await app.store.find(connections, 'space', space.id)).find((one) => one.key === doc.remoteKey)
  return { provider: connection?.provider ?? 'generic' }
}

/** The last change of a file on one side. */
interface SideChange {
  commit: CommitId
  /** Seconds since 1970. */
  seconds: number
  author: string
  /** The first line of the message. */
  subject: string
}

/** The file of one side. */
export interface ShownSide {
  entry: TreeEntry
  /** Bytes. */
  size: number
  /** The text with line feeds as line ends, if it is shown as text. */
  text: string | null
  /** A URL of the file that works without a token; null for submodules and folders. */
  url: string | null
  change: SideChange | null
}

/** A conflict with its three sides. */
export interface ShownConflict extends DescribedConflict {
  /** The heads that were compared. */
  heads: Expected
  base: ShownSide | null
  ours: ShownSide | null
  theirs: ShownSide | null
  /** The chunks of the three-way merge of the texts; null if they are not merged by lines. */
  chunks: readonly MergeChunk[] | null
  /** The reason why there are no chunks although the files are texts, with the remedy. */
  problem: string | null
}

/**
 * Loads one conflict of a comparison that the caller has received. Throws 404 for a path without a conflict, and 409 if the
 * branch or main has moved since.
 */
export async function showConflict(
  app: App,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  key: string,
  expect: Partial<Expected>,
): Promise<ShownConflict> {
  const comparison = await compareWithMain(app, space, changeRequest)
  checkExpected(comparison, { revision: comparison.revision, main: comparison.main, ...expect })
  const described = (await describeConflicts(app, space, comparison)).find((one) => one.key === key)
  if (!described) throw notFound(`A conflict at ${key}`)
  const { base, ours, theirs } = described.conflict
  const not = comparison.base === null ? [] : [comparison.base]
  const isBinary = described.conflict.kind === 'binary'
  const common = { at: comparison.revision, isBinary }
  const started = comparison.base === null ? null : { from: comparison.base, not: [] }
  const sides = {
    base: await loadSide(app, space, base, { ...common, range: started }),
    ours: await loadSide(app, space, ours, { ...common, range: { from: comparison.revision, not } }),
    theirs: await loadSide(app, space, theirs, { ...common, range: { from: comparison.main, not } }),
  }
  const heads = { revision: comparison.revision, main: comparison.main }
  return { ...described, heads, ...(await chunksOf(app.texts.for(space.doc.id), described, sides)) }
}

/** The heads of the branch and of main in the comparison that the user received. */
export interface Expected {
  revision: string
  main: string
}

/** Throws 409 if the branch or main has moved since the user received the conflicts. */
export function checkExpected(now: Expected, expected: Expected): void {
  const details = [
    ...(now.main === expected.main
      ? []
      : [{ path: '/expect/main', message: `The main content is at revision ${now.main} now.` }]),
    ...(now.revision === expected.revision
      ? []
      : [{ path: '/expect/revision', message: `The change request is at revision ${now.revision} now.` }]),
  ]
  if (details.length > 0)
    throw conflictOf('The conflicts have changed since they were listed. Nothing was changed. List them again.', {
      details,
    })
}

/** Whether an entry is a file or a link, as opposed to a submodule or a folder. */
export const isBlob = ({ mode }: TreeEntry): boolean => mode !== '160000' && mode !== '040000'

async function loadSide(
  app: App,
  { doc, repo }: LoadedSpace,
  entry: TreeEntry | undefined,
  { at, isBinary, range }: { at: CommitId; isBinary: boolean; range: { from: CommitId; not: CommitId[] } | null },
): Promise<ShownSide | null> {
  if (!entry) return null
  const [last] = range === null ? [] : await repo.history.log({ ...range, path: entry.path, limit: 1 })
  const change = last && {
    commit: last.id,
    seconds: last.author.seconds,
    author: last.author.name,
    subject: required(last.message.split('\n', 1)[0]),
  }
  const shown = { entry, change: change ?? null }
  // The objects of a submodule are in another repository, and a folder has no bytes.
  if (!isBlob(entry)) return { ...shown, size: 0, text: null, url: null }
  const snapshot = await repo.objects.snapshot(at)
  const size = required((await snapshot.sizes([entry.oid]))[0])
  const pointer = await lfsFileOf(app, doc.id, snapshot, entry.oid, size)
  const url = downloadUrl(app, doc.id, entry.oid, required(entry.path.split('/').at(-1)))
  if (pointer) return { ...shown, size: pointer.size, text: null, url }
  if (isBinary || size > MAX_TEXT_BYTES) return { ...shown, size, text: null, url }
  const bytes = await snapshot.read(entry.oid)
  return { ...shown, size, text: bytes.includes(0) ? null : decodeText(bytes), url }
}

type Sides = Record<'base' | 'ours' | 'theirs', ShownSide | null>

const TOO_COSTLY =
  'The versions of this file differ in too many lines to compare them here. Take one side, or merge the file with Git.'
const TOO_LARGE = `The file is larger than ${MAX_TEXT_BYTES / 1024} KiB. Take one side, or merge it with Git.`

/** Merges the texts of a conflict by lines. If they have carriage returns, all texts are shown with line feeds. */
async function chunksOf(
  work: TextWork,
  { conflict, form }: DescribedConflict,
  { base, ours, theirs }: Sides,
): Promise<Sides & Pick<ShownConflict, 'chunks' | 'problem'>> {
  const none = { base, ours, theirs, chunks: null }
  const isApart = conflict.kind === 'file/directory' || conflict.kind === 'name'
  if (!ours || !theirs || form === 'link' || form === 'submodule' || isApart) return { ...none, problem: null }
  const texts = [base?.text ?? '', ours.text, theirs.text]
  if (ours.text === null || theirs.text === null || (base && base.text === null)) {
    const isLarge =
      conflict.kind !== 'binary' && [base, ours, theirs].some((side) => side && side.size > MAX_TEXT_BYTES)
    return { ...none, problem: isLarge ? TOO_LARGE : null }
  }
  const [b = '', o = '', t = ''] = texts.map((text) => withLineFeeds(text ?? ''))
  const isPage = isMarkdown(conflict.path) && form === 'page' && base !== null
  const chunks = await unlessTooCostly(work.mergeChunks(b, o, t, { isPage }), null)
  return {
    base: base && { ...base, text: b },
    ours: { ...ours, text: o },
    theirs: { ...theirs, text: t },
    chunks,
    problem: chunks === null ? TOO_COSTLY : null,
  }
}

const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
