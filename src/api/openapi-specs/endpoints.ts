/** Endpoints of OpenAPI specifications: clients create, replace, publish and delete them. */
import { Type } from '@sinclair/typebox'
import { createSpec, deleteSpec, putSpec, updateSpec } from '../../domain/openapi/specs.js'
import { listReadableSpecs } from '../../domain/spaces/readable-specs.js'
import {
  CreateOpenAPISpec,
  OpenAPISpec,
  OpenAPISpecList,
  pageQuery,
  PutOpenAPISpec,
  UpdateOpenAPISpec,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentSpec, specPath } from './present.js'

const section = 'OpenAPI specifications'

const PROCESSING =
  'The specification is fetched, validated and bundled in the background: `processingState` changes from `pending` to `progress` to `complete`. If this ' +
  'fails, `lastProcessErrorCode` and `lastProcessError` contain the reason, and the newest version stays unchanged.'

export const listOpenAPISpecs = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/openapi',
  summary: 'List the OpenAPI specifications of an organization',
  description:
    'Members with a role see all specifications. Guests see the public ones, and those displayed by spaces that they can read.',
  section,
  needs: 'organization:view',
  query: Type.Object(pageQuery),
  returns: OpenAPISpecList,
  handle: async ({ app, actor, organization, query }) => {
    const page = await listReadableSpecs(app, actor, organization, query)
    return { ...page, items: page.items.map((spec) => presentSpec(app, organization, spec)) }
  },
})

export const createOpenAPISpec = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/openapi',
  summary: 'Create an OpenAPI specification',
  description:
    `Accepts a URL or a text, as JSON or YAML, in OpenAPI 3.0 to 3.2 or Swagger 2.0. ${PROCESSING} A specification from a URL is fetched again regularly; a ` +
    'new version is created when its content has changed. Files that it refers to are fetched too, but never from private networks that are not allowed. An ' +
    'organization can have at most 500 specifications.',
  section,
  needs: 'organization:createOpenAPISpec',
  body: CreateOpenAPISpec,
  status: 201,
  returns: OpenAPISpec,
  fails: [409],
  handle: async ({ app, actor, organization, body }) => {
    const spec = await createSpec(app, actor, organization, body)
    return created(presentSpec(app, organization, spec), specPath(spec))
  },
})

export const getOpenAPISpecBySlug = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}',
  summary: 'Get an OpenAPI specification',
  section,
  needs: 'organization:view',
  returns: OpenAPISpec,
  handle: ({ app, organization, spec }) => presentSpec(app, organization, spec),
})

export const createOrUpdateOpenAPISpecBySlug = endpoint({
  method: 'PUT',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}',
  summary: 'Create or replace an OpenAPI specification',
  description: `Sets a new source for the specification, or fetches the same source again. ${PROCESSING}`,
  section,
  needs: 'organization:createOpenAPISpec',
  aliases: { specSlug: 'newSpecSlug' },
  body: PutOpenAPISpec,
  returns: OpenAPISpec,
  fails: [409],
  handle: async ({ app, actor, organization, specSlot, body }) => {
    const { spec, isNew } = await putSpec(app, actor, organization, specSlot, body)
    const presented = presentSpec(app, organization, spec)
    return isNew ? created(presented, specPath(spec)) : presented
  },
})

export const updateOpenAPISpecVisibilityBySlug = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}',
  summary: 'Publish an OpenAPI specification, or make it private',
  description: 'Anyone can read the newest version of a public specification at `urls.published`.',
  section,
  needs: 'organization:createOpenAPISpec',
  body: UpdateOpenAPISpec,
  returns: OpenAPISpec,
  handle: async ({ app, actor, organization, spec, body }) =>
    presentSpec(app, organization, await updateSpec(app, actor, spec, body)),
})

export const deleteOpenAPISpecBySlug = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}',
  summary: 'Delete an OpenAPI specification and its versions',
  section,
  needs: 'organization:createOpenAPISpec',
  deletes: 'leaf',
  handle: ({ app, actor, spec }) => deleteSpec(app, actor, spec),
})
