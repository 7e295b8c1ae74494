/** Loads the share links and redirects of a site by the IDs in paths. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedSite } from '../../domain/context/loaded.js'
import { findRedirect } from '../../domain/sites/redirects.js'
import { findShareLinkById } from '../../domain/sites/share-links.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()

/** Resolvers for the documents of a site. */
export const siteDocumentResolvers = {
  shareLinkId: resolver<{ site: LoadedSite }>()({
    as: 'shareLink',
    needs: ['site'],
    description: 'ID of a share link.',
    load: ({ app, parents, id }) => findShareLinkById(app, parents.site, id),
  }),
  redirectId: resolver<{ site: LoadedSite }>()({
    as: 'redirect',
    needs: ['site'],
    description: 'ID of a redirect.',
    load: ({ app, parents, id }) => findRedirect(app, parents.site, id),
  }),
}
