// Finds the files that a commit moved. Git's rename detection uses similarity alone. This one first considers identical
// bytes and titles in the table of contents, and recognizes pages that swapped places.
import { required } from '../../kernel/defined.js'
import { defaultId } from '../../content/identity.js'
import { matchPages, type PageVersion } from '../../content/identity-match/match.js'
import { isMarkdown, nameOf } from '../../content/paths.js'
import { readStructure } from '../../content/structure.js'
import { readBounded } from '../../content/read-file.js'
import { decodeText, MAX_TEXT_BYTES } from '../../content/text.js'
import type { ContentStructure } from '../../content/types.js'
import { type TextWork, unlessTooCostly } from '../../content/work/text-work.js'
import type { Repository, Snapshot, TreeChange, TreeEntry } from '../../git/index.js'
import { eachInSlices, filterInSlices, Slices } from '../../kernel/slices.js'

/** Limits for comparing texts. If a commit changes more pages or bytes, only equal bytes and titles count. */
const MAX_PAGES = 4_000
const MAX_BYTES = 32 * 1024 * 1024

/** The files of one of two compared revisions. Its structure is read on first use. */
export class RevisionFiles {
  #structure: Promise<ContentStructure> | null = null
  constructor(
    readonly snapshot: Snapshot,
    readonly work: TextWork,
  ) {}

  structure(): Promise<ContentStructure> {
    this.#structure ??= readStructure(this.snapshot, defaultId, this.work)
    return this.#structure
  }

  /** Returns the titles of files in the table of contents, by path, for the paths that `isAsked` accepts. */
  async titles(isAsked: (path: string) => boolean): Promise<Map<string, string>> {
    const { byGitPath } = await this.structure()
    const titles = new Map<string, string>()
    await eachInSlices(byGitPath.values(), ({ gitPath, title }) => {
      if (isAsked(gitPath)) titles.set(gitPath, title)
    })
    return titles
  }
}

/**
 * Returns the changes of a commit (`plain` is its diff by path) with moved files as renames. Files are matched in this
 * order:
 *
 * 1. equal bytes;
 * 2. a deleted and an added file with the same title in the table of contents;
 * 3. pages by text, H1 and title, even if both paths have a file before and after (`matchPages`);
 * 4. Git's own rename detection.
 *
 * If pages at unchanged paths have new texts, their texts may have swapped places. Titles then come after step 3, since
 * an entry of the table of contents whose path is edited keeps its title for any page at the new path.
 */
export async function fileMoves(
  repo: Repository,
  old: RevisionFiles,
  now: RevisionFiles,
  plain: readonly TreeChange[],
): Promise<TreeChange[]> {
  const open = await OpenFiles.of(plain)
  const slices = new Slices()
  await exactMoves(open, slices)
  if (open.anyRenames) await titleMoves(open, old, now, open.anyRewritten ? 'equal' : 'all')
  await equalMoves(open, slices)
  const { summary } = (await now.structure()).config
  await pageMoves(open, old, now, summary, slices)
  if (open.anyRenames) await titleMoves(open, old, now, 'all')
  if (open.anyRenames)
    for (const change of await repo.trees.diff(old.snapshot.commit, now.snapshot.commit, { renames: true }))
      if (change.status === 'renamed' && change.from !== undefined && open.isRename(change.from, change.path))
        open.take(change.from, change.path)
  return open.outcome()
}

/** Returns the changes of files only. A submodule has no bytes, so a page neither came from one nor became one. */
export async function withoutSubmodules(plain: readonly TreeChange[]): Promise<TreeChange[]> {
  const found: TreeChange[] = []
  await eachInSlices(plain, ({ path, status, before, after }) => {
    const [was, is] = [isSubmodule(before) ? undefined : before, isSubmodule(after) ? undefined : after]
    if (was && is) found.push({ status, path, before: was, after: is })
    else if (was) found.push({ status: 'deleted', path, before: was })
    else if (is) found.push({ status: 'added', path, after: is })
  })
  return found
}

const isSubmodule = (entry: TreeEntry | undefined): boolean => entry?.mode === '160000'

/** Whether the commit may have moved a file. A commit that only changes the bytes of at most one page did not. */
export async function mayMove(plain: readonly TreeChange[]): Promise<boolean> {
  if (plain.some((change) => change.status !== 'modified')) return true
  const had = new Set<string | undefined>()
  let pages = 0
  await eachInSlices(plain, ({ path, before }) => {
    had.add(before?.oid)
    if (isMarkdown(path)) pages++
  })
  return pages > 1 || plain.some((change) => had.has(change.after?.oid))
}

/** Changed files that are not yet matched. */
class OpenFiles {
  /**
   * Changes by path. `gone` has those with a file at the path before, `came` those with one after. A modified file is
   * in both.
   */
  readonly gone = new Map<string, TreeChange>()
  readonly came = new Map<string, TreeChange>()
  readonly #moved: TreeChange[] = []
  /** Paths whose file moved away. */
  readonly #left = new Set<string>()
  #deleted = 0
  #added = 0

  static async of(plain: readonly TreeChange[]): Promise<OpenFiles> {
    const open = new OpenFiles()
    await eachInSlices(plain, (change) => {
      if (change.before) open.gone.set(change.path, change)
      if (change.after) open.came.set(change.path, change)
      open.#count(change.status, 1)
    })
    return open
  }

  #count(status: TreeChange['status'] | undefined, by: number): void {
    if (status === 'deleted') this.#deleted += by
    if (status === 'added') this.#added += by
  }

  has(from: string, to: string): boolean {
    return this.gone.has(from) && this.came.has(to)
  }

  /** Whether `from` was deleted and `to` was added. */
  isRename(from: string, to: string): boolean {
    return this.gone.get(from)?.status === 'deleted' && this.came.get(to)?.status === 'added'
  }

  /** Whether both deleted and added files are left. */
  get anyRenames(): boolean {
    return this.#deleted > 0 && this.#added > 0
  }

  /** Whether a page's text changed at the same path. */
  get anyRewritten(): boolean {
    for (const change of this.came.values()) if (isOccupied(change) && isMarkdown(change.path)) return true
    return false
  }

  take(from: string, to: string): void {
    this.#count(this.gone.get(from)?.status, -1)
    this.#count(this.came.get(to)?.status, -1)
    this.#moved.push({ ...required(this.came.get(to)), status: 'renamed', from, path: to })
    this.#left.add(from)
    this.gone.delete(from)
    this.came.delete(to)
  }

  /** Records that the file at this path is still the same page. */
  stay(path: string): void {
    this.gone.delete(path)
    this.came.delete(path)
  }

  async outcome(): Promise<TreeChange[]> {
    const found = [...this.#moved]
    await eachInSlices(this.gone.values(), (change) => {
      if (change.status === 'deleted' || !this.came.has(change.path)) found.push({ ...change, status: 'deleted' })
    })
    await eachInSlices(this.came.values(), (change) => {
      if (change.status === 'added') found.push(change)
      // The page at this path moved away and no page moved here, so this one is new. Other kinds of files may have been
      // copied instead.
      else if (this.#left.has(change.path) && isMarkdown(change.path)) found.push({ ...change, status: 'added' })
    })
    return found
  }
}

const isOccupied = (change: TreeChange | undefined): boolean => change?.status === 'modified'
/**
 * Whether to leave two pages to `pageMoves`. If one of the paths has a page before and after, equal bytes do not
 * decide.
 */
const isForPageMoves = (open: OpenFiles, from: string, to: string): boolean =>
  isMarkdown(from) && isMarkdown(to) && (isOccupied(open.gone.get(from)) || isOccupied(open.came.get(to)))

/** Matches files by bytes that occur in exactly one old and one new file. */
async function exactMoves(open: OpenFiles, slices: Slices): Promise<void> {
  const [had, have] = [await byBlob(open.gone, 'before'), await byBlob(open.came, 'after')]
  for (const [oid, targets] of have) {
    const sources = had.get(oid) ?? []
    const [[from, ...others], [to, ...more]] = [sources, targets]
    if (from !== undefined && to !== undefined && others.length + more.length === 0 && from !== to)
      if (!isForPageMoves(open, from, to)) open.take(from, to)
    if (slices.due) await slices.rest()
  }
}

/** Matches groups of files with equal bytes (stubs, for example) by name, in order of path. */
async function equalMoves(open: OpenFiles, slices: Slices): Promise<void> {
  const had = await byBlob(open.gone, 'before')
  const waiting = new Map<string, string[]>()
  for (const [oid, sources] of had) for (const path of sources) push(waiting, `${oid} ${nameOf(path)}`, path)
  for (const list of waiting.values()) list.reverse()
  for (const [to, change] of [...open.came]) {
    const oid = required(change.after?.oid)
    const sources = had.get(oid) ?? []
    const from = sources.length === 1 ? sources[0] : waiting.get(`${oid} ${nameOf(to)}`)?.pop()
    if (from !== undefined && from !== to && open.has(from, to) && !isForPageMoves(open, from, to)) open.take(from, to)
    if (slices.due) await slices.rest()
  }
}

async function byBlob(
  changes: ReadonlyMap<string, TreeChange>,
  side: 'before' | 'after',
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  await eachInSlices(changes, ([path, change]) => push(found, required(change[side]?.oid), path))
  return found
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/**
 * Matches deleted and added files (all, or only those with equal bytes) by a title that is unique on each side. Several
 * pages called `Introduction` are not matched.
 */
async function titleMoves(
  open: OpenFiles,
  old: RevisionFiles,
  now: RevisionFiles,
  which: 'equal' | 'all',
): Promise<void> {
  const [sources, targets] = [
    await onlyOnes(await old.titles((path) => open.gone.has(path))),
    await onlyOnes(await now.titles((path) => open.came.has(path))),
  ]
  await eachInSlices(sources, ([title, from]) => {
    const to = targets.get(title)
    if (from === null || !to || !open.isRename(from, to)) return
    if (which === 'all' || open.gone.get(from)?.before?.oid === open.came.get(to)?.after?.oid) open.take(from, to)
  })
}

async function onlyOnes(titles: ReadonlyMap<string, string>): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>()
  await eachInSlices(titles, ([path, title]) => void found.set(title, found.has(title) ? null : path))
  return found
}

/** Matches pages by all their facts if some changed at an existing path, since they may have swapped places. */
async function pageMoves(
  open: OpenFiles,
  old: RevisionFiles,
  now: RevisionFiles,
  summary: string,
  slices: Slices,
): Promise<void> {
  const isPage = (path: string): boolean => isMarkdown(path) && path !== summary
  const [gone, came] = [
    await filterInSlices(open.gone.values(), ({ path }) => isPage(path)),
    await filterInSlices(open.came.values(), ({ path }) => isPage(path)),
  ]
  if (gone.length + came.length < 3 || !came.some(isOccupied)) return
  const texts = await withinBounds(old, now, gone, came)
  const [before, after] = [
    await pageVersions(old, gone, 'before', texts, slices),
    await pageVersions(now, came, 'after', texts, slices),
  ]
  for (const [from, to] of await matchPages(before, after, slices)) {
    if (from === to) open.stay(from)
    else open.take(from, to)
  }
}

async function withinBounds(
  old: RevisionFiles,
  now: RevisionFiles,
  gone: readonly TreeChange[],
  came: readonly TreeChange[],
): Promise<boolean> {
  if (gone.length > MAX_PAGES || came.length > MAX_PAGES) return false
  const sizes = [
    ...(await old.snapshot.sizes(gone.map((change) => required(change.before?.oid)))),
    ...(await now.snapshot.sizes(came.map((change) => required(change.after?.oid)))),
  ]
  return sizes.reduce((sum, size) => sum + size, 0) <= MAX_BYTES
}

/** Returns the facts of each page that `matchPages` needs. `texts` states whether to read the texts. */
async function pageVersions(
  side: RevisionFiles,
  changes: readonly TreeChange[],
  when: 'before' | 'after',
  texts: boolean,
  slices: Slices,
): Promise<PageVersion[]> {
  const paths = new Set(changes.map((change) => change.path))
  const titles = await side.titles((path) => paths.has(path))
  const found: PageVersion[] = []
  for (const change of changes) {
    const entry = change[when]
    const bytes =
      texts && entry?.mode.startsWith('100') ? await readBounded(side.snapshot, entry.oid, MAX_TEXT_BYTES) : null
    const text = bytes && decodeText(bytes)
    // A page that is too costly to parse counts as a page without a heading.
    const heading = text === null ? null : await unlessTooCostly(side.work.heading(text), null)
    found.push({ path: change.path, oid: required(entry?.oid), text, title: titles.get(change.path) ?? null, heading })
    if (slices.due) await slices.rest()
  }
  return found
}
