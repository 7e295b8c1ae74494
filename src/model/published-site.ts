/** The response for visitors of a site. */
import { Type } from '@sinclair/typebox'
import { SiteCustomization } from './site-customization.js'
import { SiteStructureResponse } from './site-structure.js'
import { Site } from './site.js'

/** A site as its visitors see it. */
export const PublishedContentSite = Type.Object(
  {
    object: Type.Literal('published-content-site'),
    site: Site,
    structure: SiteStructureResponse,
    customizations: Type.Object({
      site: SiteCustomization,
      siteSpaces: Type.Record(Type.String(), SiteCustomization, {
        description: 'By ID of the site space. Only customizations that differ from that of the site.',
      }),
    }),
    scripts: Type.Array(Type.String(), { maxItems: 0 }),
  },
  { $id: 'PublishedContentSite' },
)
