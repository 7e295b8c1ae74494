/** Turns search hits into the JSON that clients get. */
import type { DocumentEntry, PageEntry } from '../../content/types.js'
import type { App } from '../../domain/context/app.js'
import { pageAddress } from '../../domain/context/app-addresses.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import type { FoundPage, FoundSpace } from '../../domain/search/search.js'
import { openShown } from '../../domain/revisions/computed.js'
import { headOf } from '../../domain/revisions/main-content.js'
import { knownPages, type OpenRevision } from '../../domain/revisions/revisions.js'

/**
 * Returns the pages of one space with their matching sections. `before`: number of better results, so that ranks
 * continue from there.
 */
export async function presentFoundPages(app: App, space: LoadedSpace, pages: readonly FoundPage[], before: number) {
  if (pages.length === 0) return []
  const revision = await openShown(app, space, headOf(space))
  const entries = pages.map(({ id }) => revision.structure.byId.get(id))
  const documents = entries.filter((entry): entry is DocumentEntry => entry?.type === 'document')
  const known = await knownPages(app, revision, documents)
  return pages.map((page, n) => {
    const entry = entries[n]
    const description = entry?.type === 'document' ? known.get(entry.gitPath)?.page.attributes.description : undefined
    return {
      ...presentFoundPage(app, space.doc.id, page),
      description: description ?? '',
      score: page.score,
      rank: before + n + 1,
      ancestors: entry ? ancestorsOf(revision, entry) : [],
      resultType: 'page' as const,
    }
  })
}

/** Returns the entries above a page, from the top. */
function ancestorsOf({ structure }: OpenRevision, { path }: PageEntry): { title: string }[] {
  const slugs = path.split('/')
  return slugs.slice(0, -1).flatMap((_, n) => {
    const above = structure.byPath.get(slugs.slice(0, n + 1).join('/'))
    return above ? [{ title: above.title }] : []
  })
}

function presentFoundPage(app: App, space: string, { id, title, path, sections }: FoundPage) {
  const url = pageAddress(app, space, id)
  return {
    id,
    title,
    path,
    sections: sections.map((one) => {
      const fragment = one.anchor === null ? '' : `#${one.anchor}`
      const encoded = one.anchor === null ? '' : `#${encodeURIComponent(one.anchor)}`
      return {
        id: `${id}${fragment}`,
        title: one.title === '' ? title : one.title,
        path: `${path}${fragment}`,
        body: one.body,
        score: one.score,
        resultType: 'section' as const,
        urls: { app: `${url}${encoded}` },
      }
    }),
    urls: { app: url },
  }
}

/**
 * Returns spaces with their best pages. A space has the score of its best page. Processed one after another, because
 * each space has to be opened.
 */
export async function presentFoundSpaces(app: App, found: readonly FoundSpace[]) {
  const presented = []
  for (const { space, pages, before } of found) {
    const { id, title } = space.doc
    presented.push({
      type: 'space' as const,
      id,
      title,
      score: pages[0]?.score ?? 0,
      pages: await presentFoundPages(app, space, pages, before),
    })
  }
  return presented
}
