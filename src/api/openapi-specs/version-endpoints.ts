/**
 * Endpoints of the versions of an OpenAPI specification and their documents, which are also served by signed and public
 * URLs.
 */
import { Type } from '@sinclair/typebox'
import type { App } from '../../domain/context/app.js'
import {
  findPublished,
  getLatestVersion,
  listVersions,
  openSignedVersion,
  readDocument,
} from '../../domain/openapi/versions.js'
import { notFound } from '../../kernel/errors.js'
import {
  OpenAPISpecContent,
  OpenAPISpecVersion,
  OpenAPISpecVersionList,
  type OpenApiVersionDoc,
  pageQuery,
  SPEC_FILE,
} from '../../model/index.js'
import { binary } from '../declaration.js'
import { type FileReply, Reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentContent, presentVersion } from './present.js'

const section = 'OpenAPI specifications'
const JSON_TYPE = 'application/json; charset=utf-8'

export const listOpenAPISpecVersionsBySlug = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}/versions',
  summary: 'List the versions of an OpenAPI specification',
  description: 'Newest first. At most 100 versions with a total of 256 MiB are kept.',
  section,
  needs: 'organization:view',
  query: Type.Object(pageQuery),
  returns: OpenAPISpecVersionList,
  handle: async ({ app, spec, query }) => {
    const page = await listVersions(app, spec, query)
    return { ...page, items: page.items.map((version) => presentVersion(app, spec, version)) }
  },
})

export const getLatestOpenAPISpecVersionBySlug = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest',
  summary: 'Get the newest version of an OpenAPI specification',
  section,
  needs: 'organization:view',
  returns: OpenAPISpecVersion,
  fails: [404],
  handle: async ({ app, spec }) => presentVersion(app, spec, await getLatestVersion(app, spec)),
})

export const getLatestOpenAPISpecVersionContentBySlug = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content',
  summary: 'Get the content of the newest version of an OpenAPI specification',
  section,
  needs: 'organization:view',
  returns: OpenAPISpecContent,
  fails: [404],
  handle: async ({ app, spec }) => {
    const version = await getLatestVersion(app, spec)
    return presentContent(app, spec, version, await readDocument(app, version))
  },
})

export const getOpenAPISpecVersionById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}',
  summary: 'Get a version of an OpenAPI specification',
  section,
  needs: 'organization:view',
  returns: OpenAPISpecVersion,
  handle: ({ app, spec, specVersion }) => presentVersion(app, spec, specVersion),
})

export const getOpenAPISpecVersionContentById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content',
  summary: 'Get the content of a version of an OpenAPI specification',
  section,
  needs: 'organization:view',
  returns: OpenAPISpecContent,
  handle: async ({ app, spec, specVersion }) =>
    presentContent(app, spec, specVersion, await readDocument(app, specVersion)),
})

/** Returns the document of a version as a file that no browser renders as a page. */
const documentFile = (app: App, version: OpenApiVersionDoc, cacheControl: string): FileReply => ({
  contentType: JSON_TYPE,
  size: version.bytes,
  open: async (range) => {
    const bytes = await readDocument(app, version)
    return range ? bytes.subarray(range.start, range.end + 1) : bytes
  },
  etag: version.content,
  fileName: SPEC_FILE,
  disposition: 'inline',
  cacheControl,
})

export const downloadOpenAPISpecVersion = endpoint({
  method: 'GET',
  path: '/v1/openapi/{signedVersion}/openapi.json',
  summary: 'Download a version of an OpenAPI specification by its signed URL',
  description: 'The address is the `url` of a version. It needs no token and expires.',
  section,
  needs: 'public',
  query: Type.Object({ expires: Type.Integer({ minimum: 0 }), signature: Type.String({ maxLength: 100 }) }),
  returns: binary('application/json'),
  fails: [404],
  handle: async ({ app, signedVersion, query }) => {
    const version = await openSignedVersion(app, signedVersion, query.expires, query.signature)
    return new Reply<never>({ file: documentFile(app, version, 'private, max-age=86400, immutable') })
  },
})

export const getPublishedOpenAPISpec = endpoint({
  method: 'GET',
  path: '/public/openapi/{publishedOrganization}/{publishedSpec}/openapi.json',
  summary: 'Get a public OpenAPI specification',
  description:
    'The address is `urls.published` of a public specification. It needs no token, and scripts from all origins can read it.',
  section,
  needs: 'public',
  returns: binary('application/json'),
  fails: [404],
  handle: async ({ app, publishedOrganization, publishedSpec }) => {
    const version = await findPublished(app, publishedOrganization, publishedSpec)
    if (!version) throw notFound('This specification')
    return new Reply<never>({
      file: documentFile(app, version, 'public, no-cache'),
      headers: { 'Access-Control-Allow-Origin': '*' },
    })
  },
})
