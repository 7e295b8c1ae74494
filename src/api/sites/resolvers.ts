import type { Actor, App, LoadedOrganization } from '../../domain/app.js'
import { findSite } from '../../domain/sites/sites.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()

/** The only ways from an ID in a path to a site and its parts. */
export const siteResolvers = {
  siteId: resolver<{ organization: LoadedOrganization }>()({
    as: 'site',
    needs: ['organization'],
    description: 'ID of a site.',
    load: ({ app, actor, parents, id }) => actor && findSite(app, actor, parents.organization, id),
  }),
}
