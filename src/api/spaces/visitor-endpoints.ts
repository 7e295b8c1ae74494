/** Endpoint of the key that authenticates visitors of a space. */
import { visitorKeyOfSpace } from '../../domain/sites/space-visitor-key.js'
import { SpacePublishingAuth } from '../../model/index.js'
import { endpoint } from '../service.js'

export const getSpacePublishingAuthById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/publishing/auth',
  summary: 'Get the key that signs the JWTs of the visitors of a space',
  description:
    'For spaces with the visibility `visitor-auth`: pingOrganization signs with this key (HS256). It changes only when the signing key of the service changes.',
  section: 'Spaces',
  needs: 'space:admin',
  returns: SpacePublishingAuth,
  handle: ({ app, space }) => ({
    object: 'space-publishing-auth' as const,
    backend: space.doc.visitorAuth?.backend ?? ('custom' as const),
    privateKey: visitorKeyOfSpace(app, space.doc.id),
  }),
})
