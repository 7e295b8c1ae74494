/** Turns files, whole revisions and reusable content into the JSON that clients get. */
import { contentTypeOf } from '../../content/files.js'
import type { App } from '../../domain/context/app.js'
import { type ContentVersion, contentAddress } from '../../domain/context/app-addresses.js'
import { downloadUrl } from '../../domain/revisions/downloads.js'
import { lfsDiagnostic } from '../../domain/revisions/lfs-files.js'
import { evaluate, type LoadedFile, loadFiles, readReusable } from '../../domain/revisions/pages.js'
import { revisionType } from '../../domain/revisions/revision-type.js'
import { filesOf, type OpenRevision } from '../../domain/revisions/revisions.js'
import { addressesOfRevision } from '../../domain/sites/space-addresses.js'
import { iso } from '../../kernel/clock.js'
import { type Diagnostic, grouped } from '../../kernel/diagnostic.js'
import { listAsJson } from '../../kernel/raw-json.js'
import type { File, Format, Revision } from '../../model/index.js'
import { presentMergedFrom, revisionGitOf } from '../revisions/present-facts.js'
import { gitPlace, inFormat, type PageOptions, pageContext } from './present-page.js'
import { presentPages } from './present-tree.js'

/** Returns a file of a revision. */
export function presentFile(
  app: App,
  revision: OpenRevision,
  file: LoadedFile,
  options: Pick<PageOptions, 'metadata'>,
): File {
  return {
    id: file.place.id,
    name: file.place.name,
    contentType: contentTypeOf(file.place.name),
    downloadURL: downloadUrl(app, revision.space.doc.id, file.oid, file.place.name),
    size: file.size,
    ...(file.dimensions ? { dimensions: file.dimensions } : {}),
    ...(file.lfs ? { lfs: file.lfs } : {}),
    ...(options.metadata ? { git: gitPlace({ revision }, file.oid, file.place.gitPath) } : {}),
  }
}

/** Yields the diagnostics of a revision, including one for each Git LFS file that is not present. */
function* diagnosticsOf(
  found: readonly Diagnostic[],
  costly: readonly Diagnostic[],
  files: readonly LoadedFile[],
): Generator<Diagnostic | null> {
  yield* found
  yield* costly
  for (const { place, lfs } of files) if (lfs) yield lfsDiagnostic(place.gitPath, lfs)
}

/** Returns a whole revision: pages without their text, files, reusable content, variables, diagnostics. */
export async function presentRevision(
  app: App,
  revision: OpenRevision,
  options: PageOptions,
  version: ContentVersion,
): Promise<Revision> {
  const [context, files] = await Promise.all([pageContext(app, revision, options, version), filesOf(app, revision)])
  const loaded = await loadFiles(app, revision, files)
  const pages = await presentPages(context, revision.structure.pages)
  return {
    ...(await presentRevisionAlone(app, revision, options, version)),
    pages: pages.json,
    files: await listAsJson(loaded, (file) => presentFile(app, revision, file, options)),
    diagnostics: await listAsJson(
      grouped(diagnosticsOf(revision.structure.diagnostics, pages.costly, loaded)),
      (one) => one,
    ),
  }
}

/** Returns a revision with empty `pages` and `files`, and without their diagnostics. */
export async function presentRevisionAlone(
  app: App,
  revision: OpenRevision,
  options: Pick<PageOptions, 'metadata'>,
  version: ContentVersion,
): Promise<Revision> {
  const { snapshot, structure, space } = revision
  const info = await revision.repo.objects.commit(snapshot.commit)
  const reusable = await Promise.all(
    structure.reusableContents.map(async (place) => ({ place, entry: await snapshot.entry(place.gitPath) })),
  )
  return {
    object: 'revision',
    id: snapshot.commit,
    parents: info.parents,
    pages: [],
    files: [],
    reusableContents: reusable.map(({ place, entry }) => ({
      id: place.id,
      title: place.title,
      ...(options.metadata && entry ? { git: gitPlace({ revision }, entry.oid, place.gitPath) } : {}),
    })),
    variables: structure.variables,
    tags: structure.tags,
    createdAt: iso(info.committer.seconds),
    ...(options.metadata ? { git: await (await revisionGitOf(space))(info) } : {}),
    urls: {
      app: contentAddress(app, space.doc.id, version),
      ...(await addressesOfRevision(app, space, snapshot.commit)),
    },
    type: revisionType(info),
    ...(await presentMergedFrom(app, space, info)),
    diagnostics: [],
  }
}

/** Returns reusable content with its text in the requested format. */
export async function presentReusableContent(
  app: App,
  revision: OpenRevision,
  id: string,
  options: Pick<PageOptions, 'metadata' | 'evaluated'> & { format: Format },
) {
  const { place, oid, markdown: written } = await readReusable(app, revision, id)
  const markdown = options.evaluated ? await evaluate(app, revision, place.gitPath, written) : written
  return {
    object: 'reusable-content' as const,
    id: place.id,
    title: place.title,
    ...(options.metadata ? { git: gitPlace({ revision }, oid, place.gitPath) } : {}),
    ...(await inFormat(app, revision.space.doc.id, markdown, options.format)).content,
  }
}
