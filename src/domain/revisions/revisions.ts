import { revisionFiles } from '../../content/files.js'
import type { Reference } from '../../content/reference.js'
import { resolveReference } from '../../content/resolve-reference.js'
import { idOf } from '../../content/identity.js'
import { shapedBy } from '../../content/known-files.js'
import { mentionSearch } from '../../content/mentions.js'
import { readStructure } from '../../content/structure.js'
import type { ContentStructure, DocumentEntry, FileEntry, PageEntry } from '../../content/types.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import { MissingObject, type Repository, type Snapshot, type TreeChange } from '../../git/index.js'
import { notFound } from '../../kernel/errors.js'
import { type CommitId, isOid } from '../../kernel/ids.js'
import { inSlices, Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import type { ParsedPage } from '../context/content-cache.js'
import { overridesAt } from './identity.js'
import { parsePage } from './page-source.js'
import { ofStructure } from './weights.js'

/** One revision of a space, opened for reading. */
export interface OpenRevision {
  space: LoadedSpace
  repo: Repository
  snapshot: Snapshot
  structure: ContentStructure
}

/** Opens a revision. Costs no more than what changed since its first parent where that one is known. */
export async function openRevision(app: App, space: LoadedSpace, commit: CommitId): Promise<OpenRevision> {
  const { repo } = space
  const [snapshot, structure] = await Promise.all([repo.at(commit), structureAt(app, space.doc.id, repo, commit)])
  return { space, repo, snapshot, structure }
}

/** The revision of an ID given by a client. Throws 404 where the space has no such commit. */
export async function openRevisionById(app: App, space: LoadedSpace, id: string): Promise<OpenRevision> {
  if (!isOid(id) || !(await space.repo.hasCommit(id))) throw notFound(`Revision ${id}`)
  return openRevision(app, space, id as CommitId)
}

/** The shape of the revision at a commit, shared with its first parent's where only page text changed. */
export async function structureAt(app: App, space: string, repo: Repository, commit: CommitId): Promise<ContentStructure> {
  const key = `${space}:${commit}`
  const known = app.content.structures.get(key)
  if (known) return known
  const shared = await inherited(app, space, repo, commit)
  if (shared) {
    app.content.structures.set(key, shared)
    return shared
  }
  const structure = await readStructure(await repo.at(commit), idOf(await overridesAt(app, space, repo, commit)), app.texts.for(space))
  app.content.structures.set(key, structure, await inSlices(ofStructure(structure)))
  return structure
}

async function inherited(app: App, space: string, repo: Repository, commit: CommitId): Promise<ContentStructure | null> {
  const parent = (await repo.commit(commit)).parents[0]
  return parent === undefined ? null : sharedWith(app, space, repo, commit, parent, await repo.diff(parent, commit))
}

/** The known shape of another commit, where what differs between the two (`changes`) leaves it as it is. */
async function sharedWith(
  app: App,
  space: string,
  repo: Repository,
  commit: CommitId,
  other: CommitId,
  changes: readonly TreeChange[],
): Promise<ContentStructure | null> {
  const structure = app.content.structures.get(`${space}:${other}`)
  const sameMode = (change: TreeChange): boolean => change.before?.mode === change.after?.mode
  if (!structure || changes.some((change) => change.status !== 'modified' || !sameMode(change) || shapedBy(change.path, structure) !== null)) return null
  const [before, after] = await Promise.all([overridesAt(app, space, repo, other), overridesAt(app, space, repo, commit)])
  return before === after || (before.size === after.size && [...after].every(([key, id]) => before.get(key) === id)) ? structure : null
}

/** Two revisions of any ancestry and how their files differ. Their shape is one object where only page text differs. */
export async function openPair(
  app: App,
  space: LoadedSpace,
  before: CommitId,
  after: CommitId,
): Promise<{ before: OpenRevision; after: OpenRevision; changes: TreeChange[] }> {
  const { repo, doc } = space
  const changes = await repo.diff(before, after)
  const [known, other] = app.content.structures.has(`${doc.id}:${after}`) ? [after, before] : [before, after]
  const first = await openRevision(app, space, known)
  const shared = await sharedWith(app, doc.id, repo, other, known, changes)
  if (shared && !app.content.structures.has(`${doc.id}:${other}`)) app.content.structures.set(`${doc.id}:${other}`, shared)
  const second = await openRevision(app, space, other)
  const same = shared ? { ...second, structure: first.structure } : second
  return known === before ? { before: first, after: same, changes } : { before: same, after: first, changes }
}

/** A page's text, read. Throws 404 where the file went missing behind the table of contents. */
export async function readDocument(app: App, revision: OpenRevision, entry: DocumentEntry): Promise<ParsedPage & { oid: string }> {
  const file = await revision.snapshot.entry(entry.gitPath)
  if (!file) throw notFound(`File ${entry.gitPath}`)
  return { oid: file.oid, ...(await parsePage(app, revision.space.doc.id, revision.snapshot, file.oid, entry.gitPath)) }
}

/** The references in a page, by blob. */
export async function referencesOf(app: App, revision: OpenRevision, entry: DocumentEntry): Promise<readonly Reference[]> {
  const file = await revision.snapshot.entry(entry.gitPath)
  if (!file) return []
  const known = app.content.references.get(file.oid)
  if (known) return known
  const { source } = await parsePage(app, revision.space.doc.id, revision.snapshot, file.oid, entry.gitPath)
  // A page that is too costly to be looked through names nothing.
  const found = await unlessTooCostly(app.texts.for(revision.space.doc.id).references(source.markdown), [])
  app.content.references.set(file.oid, found)
  return found
}

/** All pages of a tree, depth first. */
export function* eachPage(pages: readonly PageEntry[]): Generator<PageEntry> {
  for (const page of pages) {
    yield page
    yield* eachPage(page.pages)
  }
}

/** The files of a revision: `.gitbook/assets/**` and what pages reference (spec/gaps.md), in order of path. */
export async function filesOf(app: App, revision: OpenRevision): Promise<FileEntry[]> {
  const { structure, snapshot } = revision
  const cacheKey = `${revision.space.doc.id}:${snapshot.tree}`
  const referenced = app.content.files.get(cacheKey) ?? (await referencedFiles(app, revision))
  app.content.files.set(cacheKey, referenced)
  return revisionFiles(structure, referenced, idOf(await overridesAt(app, revision.space.doc.id, revision.repo, snapshot.commit)))
}

/** Git paths of the files that pages reference. */
async function referencedFiles(app: App, revision: OpenRevision): Promise<string[]> {
  const { structure, snapshot } = revision
  const paths = new Set((await snapshot.walk()).filter((entry) => entry.mode === '100644' || entry.mode === '100755').map((entry) => entry.path))
  const found = new Set<string>()
  const assets = new Set(structure.assets.map((asset) => asset.gitPath))
  const others = [...paths].filter((path) => !assets.has(path) && !structure.byGitPath.has(path) && path !== structure.config.summary)
  const mayMention = mentionSearch(others, app.texts.for(revision.space.doc.id))
  const slices = new Slices()
  await slices.rest()
  for (const page of eachPage(structure.pages)) {
    if (slices.due) await slices.rest()
    if (page.type !== 'document' || others.length === 0 || !(await mayMention((await readDocument(app, revision, page)).source.markdown))) continue
    for (const reference of await referencesOf(app, revision, page)) {
      if (slices.due) await slices.rest()
      const resolved = resolveReference(reference.target, page.gitPath, structure, (path) => paths.has(path))
      if (resolved.kind === 'file' && resolved.gitPath !== undefined) found.add(resolved.gitPath)
    }
  }
  return [...found]
}

/** A missing object under a commit that a client named is a 404, not a failure of ours. */
export const isMissing = (error: unknown): boolean => error instanceof MissingObject
