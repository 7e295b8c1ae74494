// The parameter that carries the key of a share link.
import { Type } from '@sinclair/typebox'

/** The query parameter by which published addresses of a site with share links are resolved. */
export const shareKey = Type.Optional(
  Type.String({
    maxLength: 256,
    description:
      'Key of a share link of the site: it is added to the addresses for visitors. A key that does not belong to an active link is ignored.',
  }),
)
