/**
 * Endpoints of a site space's own customization: clients read, replace or remove the settings that differ from the
 * site's.
 */
import {
  deleteSiteSpaceCustomization,
  getSiteSpaceCustomization,
  replaceSiteSpaceCustomization,
} from '../../domain/sites/customization.js'
import { SiteCustomizationInput } from '../../model/index.js'
import { endpoint } from '../service.js'

const section = 'Site spaces'
const path = '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization'

export const getSiteSpaceCustomizationById = endpoint({
  method: 'GET',
  path,
  summary: 'Get the customization of a site space',
  description:
    'Returns only the settings that differ from those of the site; `{}` if none do. You can send the response back with PUT.',
  section,
  needs: 'site:view',
  returns: SiteCustomizationInput,
  handle: ({ app, site, siteSpace }) => getSiteSpaceCustomization(app.store, site.doc, siteSpace.id),
})

export const updateSiteSpaceCustomizationById = endpoint({
  method: 'PUT',
  path,
  summary: 'Replace the customization of a site space',
  description: 'Omitted settings are inherited from the site.',
  section,
  needs: 'site:admin',
  body: SiteCustomizationInput,
  bodyLimitBytes: 512 * 1024,
  returns: SiteCustomizationInput,
  handle: ({ app, actor, site, siteSpace, body }) =>
    replaceSiteSpaceCustomization(app, actor, site, siteSpace.id, body),
})

export const deleteSiteSpaceCustomizationById = endpoint({
  method: 'DELETE',
  path,
  summary: 'Remove the customization of a site space',
  description: 'From then on, the site space inherits all settings of the site.',
  section,
  needs: 'site:admin',
  handle: ({ app, actor, site, siteSpace }) => deleteSiteSpaceCustomization(app, actor, site, siteSpace.id),
})
