/** Opens revisions for reading, and reads their structure, documents and files through the caches. */
import { required } from '../../kernel/defined.js'
import { revisionFiles } from '../../content/files.js'
import { resolveReference } from '../../content/resolve-reference.js'
import { idOf } from '../../content/identity.js'
import type { ContentStructure, DocumentEntry, FileEntry, PageEntry } from '../../content/types.js'
import { MissingObject, type Repository, type Snapshot, type TreeChange } from '../../git/index.js'
import { notFound } from '../../kernel/errors.js'
import { type CommitId, isOid } from '../../kernel/ids.js'
import { eachInSlices, Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import type { KnownPage, ParsedPage } from '../context/content-cache.js'
import type { Moment } from '../openapi/spec-at.js'
import { overridesAt } from './identity.js'
import { parsePage } from './page-source.js'
import { sharedWith, structureAt } from './structures.js'

/** One revision of a space, opened for reading. */
export interface OpenRevision {
  space: LoadedSpace
  repo: Repository
  snapshot: Snapshot
  structure: ContentStructure
  /** Moment that selects the versions of specifications. Absent if the revision is read as written (`computed.ts`). */
  moment?: Moment
}

/** Opens a revision. If its first parent is cached, this costs only what the commit changed. */
export async function openRevision(app: App, space: LoadedSpace, commit: CommitId): Promise<OpenRevision> {
  const { repo } = space
  const [snapshot, structure] = await Promise.all([repo.objects.snapshot(commit), structureAt(app, space, commit)])
  return { space, repo, snapshot, structure }
}

/** Opens the revision with an ID from a client. Throws 404 if the space has no such commit. */
export async function openRevisionById(app: App, space: LoadedSpace, id: string): Promise<OpenRevision> {
  if (!isOid(id) || !(await space.repo.objects.hasCommit(id))) throw notFound(`Revision ${id}`)
  return openRevision(app, space, id)
}

/**
 * Opens two revisions, which may be unrelated, and their changed files. If only page text differs, they share one
 * structure object.
 */
export async function openBoth(
  app: App,
  space: LoadedSpace,
  before: CommitId,
  after: CommitId,
): Promise<{ before: OpenRevision; after: OpenRevision; changes: TreeChange[] }> {
  const { repo, doc } = space
  const changes = await repo.trees.diff(before, after)
  const [known, other] = app.content.structures.has(`${doc.id}:${after}`) ? [after, before] : [before, after]
  const first = await openRevision(app, space, known)
  const shared = await sharedWith(app, space, other, known, changes)
  if (shared && !app.content.structures.has(`${doc.id}:${other}`))
    app.content.structures.set(`${doc.id}:${other}`, shared)
  const second = await openRevision(app, space, other)
  const same = shared ? { ...second, structure: first.structure } : second
  return known === before ? { before: first, after: same, changes } : { before: same, after: first, changes }
}

/** Reads a page. Throws 404 if its file is missing although the table of contents lists it. */
export async function readDocument(
  app: App,
  revision: OpenRevision,
  entry: DocumentEntry,
): Promise<ParsedPage & { oid: string }> {
  const file = await revision.snapshot.entry(entry.gitPath)
  if (!file) throw notFound(`File ${entry.gitPath}`)
  return { oid: file.oid, ...(await parsePage(app, revision.space.doc.id, revision.snapshot, file.oid, entry.gitPath)) }
}

/**
 * Returns the facts of pages without reading their texts, by file. Throws 404 if a file is missing although the table
 * of contents lists it.
 */
export async function knownPages(
  app: App,
  { space, snapshot }: OpenRevision,
  pages: Iterable<DocumentEntry>,
): Promise<Map<string, { oid: string; page: KnownPage }>> {
  const slices = new Slices()
  const oids = new Map<string, string>()
  for (const { gitPath } of pages) {
    const file = await snapshot.entry(gitPath)
    if (!file) throw notFound(`File ${gitPath}`)
    oids.set(gitPath, file.oid)
    if (slices.due) await slices.rest()
  }
  const known = await app.pages.pages(space.doc.id, snapshot, oids.values())
  const found = new Map<string, { oid: string; page: KnownPage }>()
  await eachInSlices(oids, ([path, oid]) => void found.set(path, { oid, page: required(known.get(oid)) }))
  return found
}

/** Iterates over all documents of a tree, depth first. */
export function* eachDocument(pages: readonly PageEntry[]): Generator<DocumentEntry> {
  for (const page of pages) {
    if (page.type === 'document') yield page
    yield* eachDocument(page.pages)
  }
}

/**
 * Lists the files of a revision: everything in `.gitbook/assets/` and the files that pages reference, in order of path.
 */
export async function filesOf(app: App, revision: OpenRevision): Promise<FileEntry[]> {
  const { structure, snapshot } = revision
  const cacheKey = `${revision.space.doc.id}:${snapshot.tree}`
  const referenced = app.content.files.get(cacheKey) ?? (await referencedFiles(app, revision))
  app.content.files.set(cacheKey, referenced)
  return revisionFiles(structure, referenced, idOf(await overridesAt(app, revision.space, snapshot.commit)))
}

/** Lists the paths of files outside `.gitbook/assets/` that pages reference. */
async function referencedFiles(app: App, revision: OpenRevision): Promise<string[]> {
  const { structure, snapshot } = revision
  const assets = new Set(structure.assets.map((asset) => asset.gitPath))
  const oids = new Map<string, string>()
  let others = false
  await eachInSlices(await snapshot.walk(), ({ path, mode, oid }) => {
    if (mode !== '100644' && mode !== '100755') return
    oids.set(path, oid)
    others ||= !assets.has(path) && !structure.byGitPath.has(path) && path !== structure.config.summary
  })
  if (!others) return []
  const pages: { gitPath: string; oid: string }[] = []
  await eachInSlices(eachDocument(structure.pages), ({ gitPath }) => {
    const oid = oids.get(gitPath)
    if (oid !== undefined) pages.push({ gitPath, oid })
  })
  const references = await app.pages.references(
    revision.space.doc.id,
    snapshot,
    pages.map(({ oid }) => oid),
  )
  const found = new Set<string>()
  const slices = new Slices()
  for (const { gitPath, oid } of pages)
    for (const { target } of references.get(oid) ?? []) {
      if (slices.due) await slices.rest()
      const resolved = resolveReference(target, gitPath, structure, (path) => oids.has(path))
      if (resolved.kind === 'file' && resolved.gitPath !== undefined) found.add(resolved.gitPath)
    }
  return [...found]
}

/**
 * Whether an error means that Git no longer has an object. For a commit that a client named, this is a 404 and not a
 * server failure.
 */
export const isMissing = (error: unknown): boolean => error instanceof MissingObject

/**
 * Derives the facts of all pages of a new revision, so that its first reader does not wait. Never throws: missing facts
 * are derived on demand.
 */
export async function readAhead(app: App, space: LoadedSpace, commit: CommitId): Promise<void> {
  try {
    const revision = await openRevision(app, space, commit)
    await knownPages(app, revision, eachDocument(revision.structure.pages))
    await filesOf(app, revision)
  } catch (error) {
    app.log.warn({ err: error, space: space.doc.id, commit }, 'A revision could not be read ahead.')
  }
}
