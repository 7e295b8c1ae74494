/** Turns hits into the JSON that clients get. */
import type { App } from '../../domain/context/app.js'
import type { FoundPage, FoundSpace } from '../../domain/search/search.js'

/** A page with the sections that match. */
export function presentFoundPage(app: App, space: string, { id, title, path, sections }: FoundPage) {
  const url = `${app.settings.publicUrl}/v1/spaces/${space}/content/page/${id}`
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
        urls: { app: `${url}${encoded}` },
      }
    }),
    urls: { app: url },
  }
}

/** A space with its best pages. */
export const presentFoundSpace = (app: App, { space, pages }: FoundSpace) => ({
  id: space.doc.id,
  title: space.doc.title,
  pages: pages.map((page) => presentFoundPage(app, space.doc.id, page)),
})
