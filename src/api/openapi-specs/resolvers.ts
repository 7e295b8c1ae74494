/** Loads the OpenAPI specifications and versions that a path names. */
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization } from '../../domain/context/loaded.js'
import { findSpec } from '../../domain/openapi/specs.js'
import { findVersion } from '../../domain/openapi/versions.js'
import { findReadableSpec } from '../../domain/spaces/readable-specs.js'
import type { OpenApiSpecDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()
const inOrganization = resolver<{ organization: LoadedOrganization }>()

export const openApiResolvers = {
  specSlug: inOrganization({
    as: 'spec',
    needs: ['organization'],
    description: 'Slug of an OpenAPI specification.',
    load: ({ app, actor, parents, id }) => (actor ? findReadableSpec(app, actor, parents.organization, id) : null),
  }),
  newSpecSlug: inOrganization({
    as: 'specSlot',
    needs: ['organization'],
    description: 'Slug of an OpenAPI specification that may not exist yet.',
    load: async ({ app, parents, id }) => ({
      slug: id,
      spec: await findSpec(app.store, parents.organization.doc.id, id),
    }),
  }),
  versionId: resolver<{ spec: Document<OpenApiSpecDoc> }>()({
    as: 'specVersion',
    needs: ['spec'],
    description: 'ID of a version of an OpenAPI specification.',
    load: ({ app, parents, id }) => findVersion(app, parents.spec, id),
  }),
  signedVersion: resolver()({
    as: 'signedVersion',
    description: 'ID of a version of an OpenAPI specification.',
    load: ({ id }) => id,
  }),
  publishedOrganization: resolver()({
    as: 'publishedOrganization',
    description: 'ID of an organization.',
    load: ({ id }) => id,
  }),
  publishedSpec: resolver()({
    as: 'publishedSpec',
    description: 'Slug of a public OpenAPI specification.',
    load: ({ id }) => id,
  }),
}
