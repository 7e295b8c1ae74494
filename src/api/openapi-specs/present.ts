/** Turns OpenAPI specifications and their versions into the JSON that clients get, and builds their paths. */
import { mayNow } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import { specAddress } from '../../domain/context/app-addresses.js'
import type { LoadedOrganization } from '../../domain/context/loaded.js'
import { versionUrl } from '../../domain/openapi/versions.js'
import { RawJson, asSerialized } from '../../kernel/raw-json.js'
import { type OpenApiSpecDoc, type OpenApiVersionDoc, SPEC_FILE } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { defined } from '../../kernel/defined.js'

type Spec = Document<OpenApiSpecDoc>

/** Returns the path of a specification. */
export const specPath = ({ organization, slug }: Pick<OpenApiSpecDoc, 'organization' | 'slug'>): string =>
  `/v1/orgs/${organization}/openapi/${slug}`

/** Returns the path under which a public specification is served without a token. */
const publishedPath = ({ organization, slug }: OpenApiSpecDoc): string =>
  `/public/openapi/${organization}/${slug}/${SPEC_FILE}`

/** Returns a specification as JSON. */
export function presentSpec(app: App, { role }: LoadedOrganization, spec: Spec) {
  const {
    id,
    createdAt,
    updatedAt,
    slug,
    source,
    processingState,
    visibility,
    lastVersion,
    lastProcessedAt,
    lastProcessErrorCode,
    lastProcessError,
  } = spec
  const base = app.settings.publicUrl
  return {
    object: 'openapi-spec' as const,
    id,
    createdAt,
    updatedAt,
    slug,
    ...('url' in source ? { sourceURL: source.url } : {}),
    processingState,
    visibility,
    ...defined({ lastVersion, lastProcessedAt, lastProcessErrorCode, lastProcessError }),
    lastProcessedErrors: lastProcessError === undefined ? [] : [lastProcessError],
    lastProcessedErrorCount: lastProcessError === undefined ? 0 : 1,
    permissions: { view: true, edit: mayNow('organization:createOpenAPISpec', { role, readOnly: app.readOnly }) },
    urls: {
      location: base + specPath(spec),
      app: specAddress(app, spec.organization, slug),
      ...(visibility === 'public' ? { published: base + publishedPath(spec) } : {}),
    },
  }
}

/** Returns a version as JSON. */
export function presentVersion(app: App, spec: Spec, version: Document<OpenApiVersionDoc>) {
  const { id, createdAt, openapi, title, changes } = version
  return {
    object: 'openapi-spec-version' as const,
    id,
    createdAt,
    url: versionUrl(app, version),
    openapi,
    title,
    ...defined({ changes }),
    urls: { location: `${app.settings.publicUrl}${specPath(spec)}/versions/${id}` },
  }
}

/** Returns the content of a version, with its document as stored. */
export const presentContent = (app: App, spec: Spec, version: Document<OpenApiVersionDoc>, document: Buffer) => ({
  filesystem: {
    [SPEC_FILE]: {
      filename: SPEC_FILE,
      dir: './',
      isEntrypoint: true,
      references: [],
      specification: asSerialized<unknown>(new RawJson([document])),
    },
  },
  url: versionUrl(app, version),
  urls: {
    source: 'url' in spec.source ? spec.source.url : null,
    public: spec.visibility === 'public' ? app.settings.publicUrl + publishedPath(spec) : null,
  },
})
