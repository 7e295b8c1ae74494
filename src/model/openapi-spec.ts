/** OpenAPI specifications of an organization, and their versions. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, MAX_TEXT_LENGTH, listOf, nullable, oneOf, permissionsOf, Timestamp } from './common.js'

export const specStates = ['pending', 'progress', 'complete'] as const
export const specErrorCodes = ['FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR'] as const
export type SpecErrorCode = (typeof specErrorCodes)[number]
export const specVisibilities = ['private', 'public'] as const

/** Pattern of a specification's slug. */
export const SPEC_SLUG = '^[a-z0-9]+(?:-[a-z0-9]+)*$'

/** The validators of a downloaded file, for checking later whether it has changed. */
export interface FileValidator {
  url: string
  etag?: string
  lastModified?: string
}

/** The reason why the last processing failed. */
export interface SpecError {
  message: string
  file?: string
  line?: number
  column?: number
}

/** A specification, as stored. */
export interface OpenApiSpecDoc {
  id: string
  organization: string
  slug: string
  /** A URL, or the hash of a text (`SpecFiles`). */
  source: { url: string } | { text: string }
  visibility: (typeof specVisibilities)[number]
  processingState: (typeof specStates)[number]
  /** Number of the current source. Results for earlier sources are discarded. */
  generation: number
  /** ID of the newest version. */
  lastVersion?: string
  lastProcessedAt?: string
  lastProcessErrorCode?: SpecErrorCode
  lastProcessError?: SpecError
  /** Validators of all files of the newest version; absent if one of the files has none. */
  validators?: FileValidator[]
  createdAt: string
  updatedAt: string
}

export const openApiSpecs = table<OpenApiSpecDoc>()({
  name: 'openapi-specs',
  indexes: {
    organization: (spec) => spec.organization,
    slug: (spec) => `${spec.organization}/${spec.slug}`,
    text: (spec) => ('text' in spec.source ? spec.source.text : null),
  },
  unique: ['slug'],
  orders: {
    createdAt: { group: (spec) => spec.organization, by: (spec) => spec.createdAt },
    all: { group: () => 'all', by: (spec) => spec.id },
    // The specifications that are read from their URL again, beginning with the one that is due first.
    refresh: {
      group: ({ source, processingState }) => ('url' in source && processingState === 'complete' ? 'all' : null),
      by: (spec) => spec.lastProcessedAt ?? '',
    },
  },
  owner: 'organization',
})

const names = Type.Array(Type.String())
const Changed = Type.Object({
  added: names,
  removed: names,
  changed: names,
  counts: Type.Object(
    { added: Type.Integer(), removed: Type.Integer(), changed: Type.Integer() },
    { description: 'Total numbers; each list has at most 100 entries.' },
  ),
})

const BreakingChange = Type.Object({
  operation: Type.Optional(Type.String({ description: 'Method and path.' })),
  schema: Type.Optional(Type.String()),
  message: Type.String({ description: 'The guarantee that clients lose.' }),
})
export type BreakingChange = Static<typeof BreakingChange>

const SpecChanges = Type.Object(
  {
    operations: Changed,
    schemas: Changed,
    breaking: Type.Array(BreakingChange, { description: 'At most 100.' }),
    breakingCount: Type.Integer({ description: 'Number of all breaking changes.' }),
  },
  { $id: 'OpenAPISpecChanges', description: 'The changes since the previous version; absent for the first version.' },
)
export type SpecChanges = Static<typeof SpecChanges>

/** A version, as stored. Its files are named by hashes (`SpecFiles`). */
export interface OpenApiVersionDoc {
  id: string
  spec: string
  organization: string
  /** 1, 2, 3 … within its specification. */
  number: number
  createdAt: string
  /** Hash of the bundled document. */
  content: string
  /** Size of the bundled document, in bytes. */
  bytes: number
  /** Hash of its outline. */
  outline: string
  /**
   * Hash of the file with the parts that pages and blocks display; '' until it is built, for versions stored by an
   * earlier release.
   */
  parts: string
  /** Size of the parts, in bytes. */
  partBytes: number
  index: string
  openapi: string
  title: string
  changes?: SpecChanges
}

export const openApiVersions = table<OpenApiVersionDoc>()({
  name: 'openapi-versions',
  indexes: { spec: (one) => one.spec, file: (one) => [one.content, one.outline, one.parts, one.index].filter(Boolean) },
  orders: { number: { group: (one) => one.spec, by: (one) => one.number } },
  owner: 'spec',
})

const Source = Type.Union([
  Type.Object(
    {
      url: Type.String({
        format: 'uri',
        pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
        'x-pattern-message': 'must be an http or https URL',
        maxLength: 2048,
        description: 'An http or https URL.',
      }),
    },
    closed,
  ),
  Type.Object(
    {
      text: Type.String({
        minLength: 1,
        maxLength: MAX_TEXT_LENGTH,
        description: 'The specification itself, as JSON or YAML.',
      }),
    },
    closed,
  ),
])
export type SpecSource = Static<typeof Source>

const Visibility = oneOf(specVisibilities, {
  description: '`private`: not publicly available; `public`: available to anyone with the public link.',
})
const Slug = Type.String({
  pattern: SPEC_SLUG,
  'x-pattern-message': 'must be lowercase letters and digits, with single hyphens between them, such as pet-store',
  maxLength: 100,
})

export const CreateOpenAPISpec = Type.Object(
  { slug: Slug, source: Source, visibility: Type.Optional(Visibility) },
  { ...closed, $id: 'CreateOpenAPISpec' },
)
export type CreateOpenAPISpec = Static<typeof CreateOpenAPISpec>

export const PutOpenAPISpec = Type.Object(
  { source: Source, visibility: Type.Optional(Visibility) },
  { ...closed, $id: 'PutOpenAPISpec' },
)
export type PutOpenAPISpec = Static<typeof PutOpenAPISpec>

export const UpdateOpenAPISpec = Type.Object({ visibility: Visibility }, { ...closed, $id: 'UpdateOpenAPISpec' })

export const openApiSpecPermissions = ['view', 'edit'] as const

const SpecProcessError = Type.Object({
  message: Type.String({ description: 'The problem, its location and the remedy.' }),
  file: Type.Optional(Type.String({ description: 'URL of the file, if it is referenced by the specification.' })),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
})

export const OpenAPISpec = Type.Object(
  {
    object: Type.Literal('openapi-spec'),
    id: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    slug: Slug,
    sourceURL: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'URL of the source; absent if the specification was given as a text.',
      }),
    ),
    processingState: oneOf(specStates),
    visibility: Visibility,
    lastVersion: Type.Optional(Id),
    lastProcessedAt: Type.Optional(Timestamp),
    lastProcessErrorCode: Type.Optional(
      oneOf(specErrorCodes, { description: 'Present if the last processing failed.' }),
    ),
    lastProcessError: Type.Optional(SpecProcessError),
    lastProcessedErrors: Type.Array(SpecProcessError, {
      description: 'The errors of the last processing, at most 100; empty if it succeeded.',
    }),
    lastProcessedErrorCount: Type.Integer({
      minimum: 0,
      description: 'Number of errors before the list was truncated.',
    }),
    permissions: permissionsOf(openApiSpecPermissions),
    urls: Type.Object({
      location: Type.String(),
      app: Type.String(),
      published: Type.Optional(
        Type.String({ description: 'The address of a public specification, which needs no token.' }),
      ),
    }),
  },
  { $id: 'OpenAPISpec' },
)

export const OpenAPISpecList = listOf(OpenAPISpec, { $id: 'OpenAPISpecList' })

export const OpenAPISpecVersion = Type.Object(
  {
    object: Type.Literal('openapi-spec-version'),
    id: Id,
    createdAt: Timestamp,
    url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'The address of the bundled document. It needs no token and expires.',
    }),
    openapi: Type.String({ description: 'OpenAPI version, or 2.0.' }),
    title: Type.String(),
    changes: Type.Optional(SpecChanges),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'OpenAPISpecVersion' },
)

export const OpenAPISpecVersionList = listOf(OpenAPISpecVersion, { $id: 'OpenAPISpecVersionList' })

/** The name of the only file of a bundled specification. */
export const SPEC_FILE = 'openapi.json'

export const OpenAPISpecContent = Type.Object(
  {
    filesystem: Type.Record(
      Type.String(),
      Type.Object({
        filename: Type.String(),
        dir: Type.String(),
        isEntrypoint: Type.Boolean(),
        references: Type.Array(Type.String()),
        specification: Type.Unsafe<unknown>({ type: 'object', description: 'The document.' }),
      }),
      {
        description:
          'Maps the path of a file to the file. All referenced files are bundled into one document, `openapi.json`.',
      },
    ),
    url: Type.String({ format: 'uri' }),
    urls: Type.Object({
      source: nullable(
        Type.String({
          description: 'The URL that the specification was fetched from; null if it was given as a text.',
        }),
      ),
      public: nullable(Type.String({ description: 'The public address; null unless the specification is public.' })),
    }),
  },
  { $id: 'OpenAPISpecContent' },
)
