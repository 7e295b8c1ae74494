/** The query parameters with the credentials of a visitor. */
import { Type } from '@sinclair/typebox'
import { MAX_VISITOR_TOKEN } from '../../auth/index.js'

export const visitorQuery = {
  shareKey: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'Key of a share link of the site. Required if the visibility is `share-link`; ignored otherwise.',
    }),
  ),
  visitorToken: Type.Optional(
    Type.String({
      maxLength: MAX_VISITOR_TOKEN,
      description:
        'The JWT of the visitor (HS256), signed with the key of the site. Required if the visibility is `visitor-auth`; 403 if it is not valid.',
    }),
  ),
  unsignedClaims: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        "Claims that the visitor's browser makes: a JSON object of booleans, as the adaptive schema declares them in `unsigned`.",
    }),
  ),
}
