// Declares the query parameter with the key of a share link.
import { Type } from '@sinclair/typebox'

/** The query parameter that adds a share key to the published addresses of a site. */
export const shareKey = Type.Optional(
  Type.String({
    maxLength: 256,
    description:
      'Key of a share link of the site, which is added to the addresses for visitors. A key that does not belong to an active link is ignored.',
  }),
)
