/** Finds the OpenAPI specifications that a revision of a space shows. */
import { isMarkdown } from '../../content/paths.js'
import { readTarget } from '../../content/specs/named-part.js'
import { OPENAPI_TYPE, specOf } from '../../content/specs/spec-pages.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { openRevision } from './revisions.js'

/** Returns the slugs of the specifications that entries of the table of contents and blocks of pages refer to. */
export async function usedSpecs(app: App, space: LoadedSpace, commit: CommitId): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  const { structure, snapshot } = await openRevision(app, space, commit)
  for (const entry of structure.byId.values()) {
    const slug = entry.type === 'computed' && entry.computed.type === OPENAPI_TYPE ? specOf(entry) : null
    if (slug !== null) used.add(slug)
  }
  const blobs = (await snapshot.walk())
    .filter(({ path, mode }) => mode.startsWith('100') && isMarkdown(path))
    .map(({ oid }) => oid)
  const references = await app.pages.references(space.doc.id, snapshot, blobs)
  for (const all of references.values()) {
    for (const { kind, target } of all) {
      const named = kind === 'specification' ? readTarget(target) : null
      if (named) used.add(named.slug)
    }
  }
  return used
}
