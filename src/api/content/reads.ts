import { paginate } from '../../kernel/paging.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { filesOf, type OpenRevision } from '../../domain/revisions/revisions.js'
import { getFile, getPage, getPageByPath, loadFiles } from '../../domain/revisions/pages.js'
import { mergedChangeRequest } from '../../domain/revisions/revision-type.js'
import { addressesOfRevision } from '../../domain/sites/space-addresses.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Format } from '../../model/index.js'
import { type PageOptions, pageContext, presentPage, presentPages } from './present-page.js'
import { presentFile } from './present.js'

/** The pages tree of a revision. */
export async function readPages(app: App, revision: OpenRevision, query: PageOptions) {
  return { pages: (await presentPages(await pageContext(app, revision, query), revision.structure.pages)).json }
}

/** A page of the revision's files, by name of path. */
export async function readFiles(app: App, revision: OpenRevision, query: PageOptions & { page?: string; limit: number }) {
  const page = paginate(await filesOf(app, revision), query, (file) => [file.gitPath, file.id])
  const loaded = await loadFiles(app, revision, page.items)
  return { ...page, items: loaded.map((file) => presentFile(app, revision, file, query)) }
}

export async function readFile(app: App, revision: OpenRevision, id: string, query: PageOptions) {
  return presentFile(app, revision, await getFile(app, revision, id), query)
}

export async function readPageById(app: App, revision: OpenRevision, id: string, query: PageOptions & { format: Format }) {
  return presentPage(await pageContext(app, revision, query), getPage(revision, id), query.format)
}

export async function readPageByPath(app: App, revision: OpenRevision, path: string, query: PageOptions & { format: Format }) {
  return presentPage(await pageContext(app, revision, query), getPageByPath(revision, path), query.format)
}

/** What an answer from content depends on: the revision, and the settings of the space that show in it. */
export const contentValidator = (app: App, space: LoadedSpace, commit: string): readonly string[] => [
  space.doc.id,
  String(space.doc.version),
  commit,
  String(Math.floor(app.clock.now().getTime() / 86_400_000)),
]

/** What an answer with a whole revision depends on: also the change request that it names as merged, and where it is published. */
export async function revisionValidator(app: App, space: LoadedSpace, commit: CommitId): Promise<readonly string[]> {
  const merged = await mergedChangeRequest(app, space, await space.repo.commit(commit))
  const { published = '', public: open = '' } = await addressesOfRevision(app, space, commit)
  return [...contentValidator(app, space, commit), merged ? String(merged.version) : '', published, open]
}
