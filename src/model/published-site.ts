/** What visitors of a site are shown. */
import { Type } from '@sinclair/typebox'
import { SiteCustomization } from './site-customization.js'
import { SiteStructureResponse } from './site-structure.js'
import { Site } from './site.js'

/** What visitors of a site get. */
export const PublishedContentSite = Type.Object(
  {
    object: Type.Literal('published-content-site'),
    site: Site,
    structure: SiteStructureResponse,
    customizations: Type.Object({
      site: SiteCustomization,
      siteSpaces: Type.Record(Type.String(), SiteCustomization, {
        description: 'By ID of the site space; only those that differ from the site.',
      }),
    }),
    scripts: Type.Array(Type.String(), { maxItems: 0 }),
  },
  { $id: 'PublishedContentSite' },
)
