/** Three-way merge of two commits into a tree: files by page ID and path, then files in conflict by their structure. */
import type { Merged } from '../../../content/edit/merge-yaml.js'
import { findTarget } from '../../../content/file-index.js'
import { idOf } from '../../../content/identity.js'
import { entriesFrom, readConfig } from '../../../content/config.js'
import { sameLineEnds } from '../../../content/edit/line-ends.js'
import { folderOf, isMarkdown, keyBelow } from '../../../content/paths.js'
import { MAX_STRUCTURE_BYTES } from '../../../content/read-file.js'
import { type SummaryNames, type TextWork, unlessTooCostly } from '../../../content/work/text-work.js'
import { decodeText, encodeText, encodingOf, MAX_TEXT_BYTES } from '../../../content/text.js'
import type { SummaryNode } from '../../../content/types.js'
import type { FileChange, MergeConflict, Repository } from '../../../git/index.js'
import type { CommitId } from '../../../kernel/ids.js'
import { spaces } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { overridesAt } from '../../revisions/identity.js'
import { Slices } from '../../../kernel/slices.js'
import { followedEntries } from './followed-entries.js'
import { configsOf, mergedSummary, withFollowers } from './followed-folders.js'
import { followedRedirects } from './followed-redirects.js'
import { joinedBase } from './virtual-base.js'
import { type FileMerge, madeUpNames, mergeById } from './merge-by-id.js'
import { movedFiles } from './moved-files.js'
import type { Sides, MergedTree } from './merged-tree.js'
import { relistedPages } from './relisted-pages.js'
import { conflictOfUnlistedPage } from './unlisted-pages.js'
import { defined } from '../../../kernel/defined.js'
import { conflict } from '../../../kernel/errors.js'

/**
 * Merges the trees of two commits, three-way. Moved files are matched by page ID, so that an edit of the other side
 * reaches a file at its new path. Files that Git cannot merge are merged by structure if they have one: the table of
 * contents as a tree, YAML and front matter by key. Differences that remain are conflicts. Writes objects, but creates
 * no commit of the space and moves no ref.
 */
export async function mergeCommits(
  app: App,
  space: SpaceRepository,
  { ours, theirs, base: given }: Sides,
): Promise<MergedTree> {
  const { repo } = space
  const base = given ?? (await joinedBase(app, space, { ours, theirs }, mergeCommits))
  const sides: Sides = { ours, theirs, ...(base === null ? {} : { base }) }
  const configs = base === null ? null : await configsOf(app, space, { base, ours, theirs })
  const summary =
    configs === null
      ? (await readConfig(await repo.at(ours), app.texts.for(space.doc.id))).config.summary
      : mergedSummary(configs)
  const organization = (await app.store.get(spaces, space.doc.id))?.organization
  const plain = await app.merges.run(organization ?? '', () => mergeFiles(app, space, sides, given))
  const { merge: attempt, moves } =
    base === null || configs === null
      ? { merge: plain, moves: new Map() }
      : await withFollowers(space, { base, ours, theirs }, configs, plain)
  /** Adds the changes that update entries and redirects of moved pages and keep the entries of restored pages. */
  const withFollowed = async (changes: FileChange[]): Promise<FileChange[]> => {
    if (base === null || configs === null) return changes
    const heads = { base, ours, theirs }
    let followed = changes
    for (const more of [followedEntries, followedRedirects, relistedPages])
      followed = [
        ...followed,
        ...(await more(app, space, heads, await repo.draft(attempt.tree, followed), { summary, moves, configs })),
      ]
    return followed
  }
  const changes = [...attempt.setAside]
  const conflicts: MergeConflict[] = []
  const slices = new Slices()
  for (const conflict of attempt.conflicts) {
    const merged = await mergeStructured(app, space, sides, conflict, summary)
    if (merged === null) conflicts.push(conflict)
    else changes.push({ path: conflict.path, content: merged, ...defined({ mode: conflict.ours?.mode }) })
    if (slices.due) await slices.rest()
  }
  if (conflicts.length === 0) return { clean: true, tree: await repo.draft(attempt.tree, await withFollowed(changes)) }
  const setAside = conflicts.some(({ path }) => path === summary) ? changes : await withFollowed(changes)
  const unmerged = { clean: false as const, conflicts, tree: attempt.tree, setAside, marked: attempt.marked }
  return { ...unmerged, conflicts: [...conflicts, ...(await conflictsOfUnlistedPages(app, space, sides, unmerged))] }
}

/**
 * Returns a conflict if the merged table of contents would silently lose a page. That can happen if one side has put
 * another page at the path of a file in conflict.
 */
async function conflictsOfUnlistedPages(
  app: App,
  space: SpaceRepository,
  { base, ours, theirs }: Sides,
  { conflicts, tree, setAside }: MergedTree & { clean: false },
): Promise<MergeConflict[]> {
  if (base === undefined || !conflicts.some(({ kind }) => kind === 'rename' || kind === 'modify/delete')) return []
  const open = new Set(
    conflicts.flatMap((one) => [one.path, one.ours?.path, one.theirs?.path]).filter((path) => path !== undefined),
  )
  const found = await unlessTooCostly(
    conflictOfUnlistedPage(app, space, { base, ours, theirs }, await space.repo.draft(tree, setAside), open),
    null,
  )
  return found ? [found] : []
}

/**
 * Merges files by ID and path.
 * @param given the merge base from the caller; if absent, Git computes it
 */
async function mergeFiles(
  app: App,
  space: SpaceRepository,
  { ours, theirs, base }: Sides,
  given?: CommitId,
): Promise<FileMerge> {
  const { repo } = space
  if (base === undefined) return mergeByPath(repo, { ours, theirs })
  const moved = await movedFiles(app, space, { ours, theirs, base })
  // For criss-cross histories, Git would build its own virtual merge base line by line, with conflict markers in tables
  // of contents.
  const crossed = given === undefined && base !== (await repo.mergeBase(ours, theirs))
  if (moved.length > 0 || crossed) return mergeById(app, repo, { ours, theirs, base }, moved)
  return mergeByPath(repo, { ours, theirs, ...defined({ base: given }) })
}

async function mergeByPath(repo: Repository, sides: Sides): Promise<FileMerge> {
  const outcome = await repo.merge(sides)
  if (outcome.clean) return { tree: outcome.tree, conflicts: [], setAside: [], marked: [] }
  return {
    tree: outcome.tree,
    conflicts: outcome.conflicts,
    setAside: await madeUpNames(repo, outcome.tree, sides),
    marked: [],
  }
}

/**
 * Merges a file in conflict by structure. Returns null if it has no structure, is too large, or still has a conflict.
 */
async function mergeStructured(
  app: App,
  space: SpaceRepository,
  sides: Sides,
  conflict: MergeConflict,
  summary: string,
): Promise<Uint8Array | null> {
  const { base, ours, theirs, path } = conflict
  if (!ours || !theirs || (conflict.kind !== 'content' && conflict.kind !== 'add/add')) return null
  if ([base, ours, theirs].some((side) => side?.mode === '160000')) return null
  const snapshot = await space.repo.at(sides.ours)
  // Larger files stay in conflict, for users to resolve.
  const sizes = await snapshot.sizes([base, ours, theirs].flatMap((side) => (side === undefined ? [] : [side.oid])))
  if (Math.max(...sizes) > (path === summary ? MAX_STRUCTURE_BYTES : MAX_TEXT_BYTES)) return null
  const read = (side: typeof base): Buffer | Promise<Buffer> =>
    side === undefined ? Buffer.alloc(0) : snapshot.read(side.oid)
  const [was, mine, other] = await Promise.all([read(base), read(ours), read(theirs)])
  // The merged text keeps the encoding of both sides (UTF-8 or Latin-1). Sides with different encodings cannot be
  // merged.
  const encoding = encodingOf(mine)
  if (encoding !== encodingOf(other)) return null
  const [b, o, t] = [decodeText(was), decodeText(mine), decodeText(other)]
  const work = app.texts.for(space.doc.id)
  const ends = base === undefined ? null : changedLineEnds({ base: b, ours: o, theirs: t })
  const texts =
    ends === null ? { base: b, ours: o, theirs: t } : { base: withFeeds(b), ours: withFeeds(o), theirs: withFeeds(t) }
  const mergeOne = async (): Promise<Merged | null> => {
    if (path === summary) return mergeSummaries(app, space, sides, texts)
    return ends !== null && !isConfig(path)
      ? work.mergePage(texts.base, texts.ours, texts.theirs)
      : mergeTexts(work, path, texts, base !== undefined)
  }
  // A file that is too costly to merge by structure stays in conflict.
  const merged = await unlessTooCostly(mergeOne(), null)
  if (!merged || !('text' in merged)) return null
  const text = ends === null ? merged.text : await unlessTooCostly(work.keepLineEnds(ends, merged.text), null)
  return text === null ? null : encodeText(text, encoding)
}

/**
 * Returns the version whose line endings the merge uses: the side that changed them, or ours if both did. Returns null
 * if neither did.
 */
function changedLineEnds({ base, ours, theirs }: Versions): string | null {
  if (![base, ours, theirs].some((text) => text.includes('\r'))) return null
  if (!sameLineEnds(base, ours)) return ours
  return sameLineEnds(base, theirs) ? null : theirs
}

const withFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** The three versions of a text: base, ours and theirs. */
type Versions = Record<keyof SummaryNames, string>

const isConfig = (path: string): boolean =>
  /(^|\/)(\.gitbook\.yaml|\.gitbook\/vars\.yaml|\.gitbook\/tags\.yaml)$/.test(path)

/**
 * Merges YAML files and front matter by key. A page that both sides added has no base (`hasBase` is false) and is not
 * merged.
 */
async function mergeTexts(
  work: TextWork,
  path: string,
  { base, ours, theirs }: Versions,
  hasBase: boolean,
): Promise<Merged | null> {
  if (isConfig(path)) return work.mergeYaml(base, ours, theirs)
  return isMarkdown(path) && hasBase ? work.mergePage(base, ours, theirs) : null
}

/**
 * Merges three versions of the table of contents. Entries are matched by page ID, so the entry of a renamed file is the
 * same entry. This applies only to pages of the merge base. Pages that the sides added separately may have the same ID
 * until the merge gives one of them another ID.
 */
async function mergeSummaries(app: App, space: SpaceRepository, sides: Sides, texts: Versions): Promise<Merged> {
  const { doc, repo } = space
  const work = app.texts.for(doc.id)
  const base = sides.base ?? (await repo.mergeBase(sides.ours, sides.theirs))
  const pages = new Set<string>()
  const names = async (commit: CommitId | null, text: string): Promise<Record<string, string>> => {
    if (commit === null) return {}
    const snapshot = await repo.at(commit)
    const [{ config }, overrides, files] = await Promise.all([
      readConfig(snapshot, work),
      overridesAt(app, space, commit),
      snapshot.walk(),
    ])
    const paths = new Set(files.map((file) => file.path))
    const identify = (path: string): string => idOf(overrides)('page', keyBelow(config.root, path))
    const slices = new Slices()
    if (commit === base)
      for (const path of paths) {
        if (slices.due) await slices.rest()
        pages.add(identify(path))
      }
    const found: [string, string][] = []
    for (const href of hrefsIn((await work.summary(text)).nodes)) {
      if (slices.due) await slices.rest()
      const path = /[?#]/.test(href)
        ? null
        : findTarget(href, folderOf(entriesFrom(config)), config.root, (one) => paths.has(one))
      const id = path === null ? null : identify(path)
      if (id !== null && pages.has(id)) found.push([href, id])
    }
    return Object.fromEntries(found)
  }
  const named = {
    base: await names(base, texts.base),
    ours: await names(sides.ours, texts.ours),
    theirs: await names(sides.theirs, texts.theirs),
  }
  return work.mergeSummary(texts.base, texts.ours, texts.theirs, named)
}

const hrefsIn = (nodes: readonly SummaryNode[]): Set<string> =>
  new Set(
    nodes.flatMap((node) => [
      ...(node.href === null || node.href === undefined ? [] : [node.href]),
      ...hrefsIn(node.children),
    ]),
  )

/** Returns the paths that identify a conflict. A file that both sides moved to different paths has two or three. */
export const namesOf = ({ path, kind, ours, theirs }: MergeConflict): string[] =>
  kind === 'rename' ? [...new Set([path, ours?.path ?? path, theirs?.path ?? path])] : [path]

function describe(one: MergeConflict): string {
  const [path, other] = namesOf(one)
  if (other === undefined) return `${one.kind} conflict`
  return `${one.kind} conflict: one side moved ${one.base?.path ?? 'the file'} to ${path}, the other to ${other}`
}

/**
 * Returns the 409 error for a merge with conflicts.
 * @param what the subject of the message, which could not be merged
 * @param hint the sentence with the remedy
 */
export function conflictError(what: string, conflicts: readonly MergeConflict[], hint: string): Error {
  const count = new Set(conflicts.map((one) => one.path)).size
  return conflict(
    `${what} cannot be merged cleanly: ${count} ${count === 1 ? 'file has' : 'files have'} conflicts. Nothing was changed. ${hint}`,
    {
      paths: [...new Set(conflicts.flatMap(namesOf))],
      details: conflicts.map((one) => ({ path: one.path, message: describe(one) })),
    },
  )
}
