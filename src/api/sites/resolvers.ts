/** Loads sites, and their sections, groups and site spaces, by the IDs in paths. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedOrganization, LoadedSite } from '../../domain/context/loaded.js'
import { findSite } from '../../domain/sites/sites.js'
import { findLink, findSection } from '../../domain/sites/structure/find.js'
import { findGroup } from '../../domain/sites/structure/lists.js'
import { findVisibleSiteSpace } from '../../domain/sites/view.js'
import { resolversOf } from '../resolver.js'
import { findRedirect } from '../../domain/sites/redirects.js'
import { findShareLinkById } from '../../domain/sites/share-links.js'
import { findWaiting } from '../../domain/suggestions/send.js'

const resolver = resolversOf<App, Actor>()

/** Resolvers for the documents of a site. */
export const siteDocumentResolvers = {
  suggestionId: resolver<{ site: LoadedSite }>()({
    as: 'suggestion',
    needs: ['site'],
    description: 'ID of a suggestion that waits for a reviewer.',
    load: ({ app, actor, parents, id }) => actor && findWaiting(app, actor, parents.site, id),
  }),
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

/** Resolvers for sites and their parts. */
export const siteResolvers = {
  siteId: resolver<{ organization: LoadedOrganization }>()({
    as: 'site',
    needs: ['organization'],
    description: 'ID of a site.',
    load: ({ app, actor, parents, id }) => actor && findSite(app, actor, parents.organization, id),
  }),
  siteSectionId: resolver<{ site: LoadedSite }>()({
    as: 'section',
    needs: ['site'],
    description: 'ID of a section of the site.',
    load: ({ parents, id }) => findSection(parents.site.doc.structure, id)?.section ?? null,
  }),
  siteSectionGroupId: resolver<{ site: LoadedSite }>()({
    as: 'group',
    needs: ['site'],
    description: 'ID of a section group of the site.',
    load: ({ parents, id }) => findGroup(parents.site.doc.structure, id),
  }),
  siteExternalLinkId: resolver<{ site: LoadedSite }>()({
    as: 'link',
    needs: ['site'],
    description: 'ID of an external link of the site.',
    load: ({ parents, id }) => findLink(parents.site.doc.structure, id)?.link ?? null,
  }),
  siteSpaceId: resolver<{ site: LoadedSite }>()({
    as: 'siteSpace',
    needs: ['site'],
    description: 'ID of a site space: the link between the site and a space that you can see.',
    load: ({ app, actor, parents, id }) => actor && findVisibleSiteSpace(app, actor, parents.site, id),
  }),
}
