import { Type } from '@sinclair/typebox'

/** The query parameter by which published addresses of a site with share links are resolved. */
export const shareKey = Type.Optional(
  Type.String({ maxLength: 256, description: 'Key of a share link of the site: addresses of visitors then carry it. One that opens nothing is ignored.' }),
)
