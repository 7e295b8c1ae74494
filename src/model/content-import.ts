/** Imports of content from a URL or a file: the request, the stored document, and the response. */
import type { BlobId, CommitId } from '../kernel/ids.js'
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, oneOf, Timestamp } from './common.js'

const sources = [
  'website',
  'markdown',
  'html',
  'zip',
  'docx',
  'confluence',
  'notion',
  'github-wiki',
  'google-docs',
] as const
const Source = oneOf(sources, {
  $id: 'ContentImportSource',
  description:
    '`website`: the pages below the URL. `html`, `markdown`, `docx`: one document. `zip`: an archive of markdown, HTML and Word files. `notion`, ' +
    '`confluence`: the URL of an export as a ZIP archive. `github-wiki`: the URL of a wiki (`https://…/wiki`). `google-docs`: a document that everyone with ' +
    'the link can read.',
})
export type ContentImportSource = (typeof sources)[number]

export const ContentImportRequest = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        format: 'uri',
        minLength: 1,
        maxLength: 2048,
        description: 'http or https. Absent if the file itself is sent in a form.',
      }),
    ),
    source: Source,
    wait: Type.Optional(
      Type.Boolean({
        description: 'False: the response comes when the import is queued. Default: the response waits for its end.',
      }),
    ),
  },
  { ...closed, $id: 'ContentImportRequest' },
)
export type ContentImportRequest = Static<typeof ContentImportRequest>

const states = ['queued', 'running', 'completed', 'failed'] as const
const stages = ['queued', 'reading', 'files', 'writing', 'done'] as const
const count = (description: string) => Type.Integer({ minimum: 0, description })
const counts = {
  importedResources: count('Number of pages and files read so far; after completion, number of those in the content.'),
  totalResources: count('Number of pages and files found so far, including those that could not be read.'),
}

export const ContentImportResult = Type.Object(
  {
    revision: Type.String({
      description: 'The revision with the imported pages; while the import runs, the current revision.',
    }),
    ...counts,
    import: Type.String({
      description: 'ID of the import. Its state and failures are at the address in `Location`.',
    }),
    state: oneOf(states),
  },
  { $id: 'ContentImportResult' },
)

const Failure = Type.Object({
  resource: Type.String({ description: 'Address, or path in the archive.' }),
  reason: Type.String({ description: 'The reason, as a sentence.' }),
})

export const ContentImport = Type.Object(
  {
    object: Type.Literal('content-import'),
    id: Id,
    state: oneOf(states),
    stage: oneOf(stages, { description: 'The current step: reading pages, fetching their files, writing the commit.' }),
    source: Source,
    url: Type.Optional(Type.String({ description: 'The address without its query, which may contain a secret.' })),
    file: Type.Optional(Type.String({ description: 'The name of the file that was sent; absent for an address.' })),
    ...counts,
    failures: Type.Array(Failure, { description: 'Resources that were not imported; the first 200.' }),
    moreFailures: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of failures that are left out.' })),
    revision: Type.Optional(Type.String({ description: 'The revision with the imported pages.' })),
    error: Type.Optional(Type.String({ description: 'The reason why the whole import failed, and the remedy.' })),
    changeRequest: Type.Optional(
      Type.String({ description: 'The target change request; absent for the main content.' }),
    ),
    page: Type.Optional(Type.String({ description: 'The target page; absent for the top level.' })),
    requestedBy: Id,
    createdAt: Timestamp,
    finishedAt: Type.Optional(Timestamp),
  },
  { $id: 'ContentImport' },
)
export type ContentImport = Static<typeof ContentImport>

/** A resource that was not imported, with the reason. */
export type ImportFailure = Static<typeof Failure>

/** The reason why a whole import failed: the error that the request would have returned. */
export interface ImportProblem {
  code: 'bad-request' | 'forbidden' | 'not-found' | 'conflict' | 'too-large' | 'locked' | 'internal'
  message: string
  paths?: string[]
}

/** An import, as stored. */
export interface ContentImportDoc {
  id: string
  space: string
  changeRequest?: string
  page?: string
  source: ContentImportSource
  /** The whole URL while the import runs; afterwards without the query. `archive:///<name>` for a file that was sent. */
  url: string
  /** The file that was sent. Its content is a blob of the space, without a ref. */
  upload?: { name: string; oid: BlobId }
  state: (typeof states)[number]
  stage: (typeof stages)[number]
  importedResources: number
  totalResources: number
  failures: ImportFailure[]
  moreFailures: number
  /**
   * The last commit created. It is written before the branch moves, so that a run after a crash can check whether the
   * branch moved.
   */
  commit?: CommitId
  revision?: CommitId
  problem?: ImportProblem
  requestedBy: string
  createdAt: string
  finishedAt?: string
}

export const contentImports = table<ContentImportDoc>()({
  name: 'content-imports',
  indexes: { space: (doc) => doc.space },
  owner: 'space',
})
