/** Imports of content from a URL: the request, the stored import, and what clients see of it. */
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
    '`website`: the pages below the URL. `html`, `markdown`, `docx`: one document. `zip`: an archive of markdown, HTML and Word files. ' +
    '`notion`, `confluence`: the URL of an export as a ZIP archive. `github-wiki`: the URL of a wiki (`https://…/wiki`). `google-docs`: a document that everybody with the link may read.',
})
export type ContentImportSource = (typeof sources)[number]

export const ContentImportRequest = Type.Object(
  { url: Type.String({ format: 'uri', minLength: 1, maxLength: 2048, description: 'http or https.' }), source: Source },
  { ...closed, $id: 'ContentImportRequest' },
)
export type ContentImportRequest = Static<typeof ContentImportRequest>

const states = ['queued', 'running', 'completed', 'failed'] as const
const stages = ['queued', 'reading', 'files', 'writing', 'done'] as const
const count = (description: string) => Type.Integer({ minimum: 0, description })
const counts = {
  importedResources: count(
    'Pages and files that were read so far; once it has completed, those that are in the content.',
  ),
  totalResources: count('Pages and files that were found so far, those that could not be read included.'),
}

export const ContentImportResult = Type.Object(
  {
    revision: Type.String({
      description: 'The revision with the imported pages; while the import goes on, the present one.',
    }),
    ...counts,
    import: Type.String({
      description: 'ID of the import: its state, and what could not be read, are at the address in `Location`.',
    }),
    state: oneOf(states),
  },
  { $id: 'ContentImportResult' },
)

const Failure = Type.Object({
  resource: Type.String({ description: 'Address, or path in the archive.' }),
  reason: Type.String({ description: 'Why it was not imported, as a sentence.' }),
})

export const ContentImport = Type.Object(
  {
    object: Type.Literal('content-import'),
    id: Id,
    state: oneOf(states),
    stage: oneOf(stages, { description: 'What it is doing: reading pages, fetching their files, writing the commit.' }),
    source: Source,
    url: Type.String({ description: 'Without its query, which may hold a secret.' }),
    ...counts,
    failures: Type.Array(Failure, { description: 'What was not imported; the first 200.' }),
    moreFailures: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of failures that are left out.' })),
    revision: Type.Optional(Type.String({ description: 'The revision with the imported pages.' })),
    error: Type.Optional(Type.String({ description: 'Why the whole import failed, and what to do.' })),
    changeRequest: Type.Optional(
      Type.String({ description: 'The change request that it imports into; absent for the main content.' }),
    ),
    page: Type.Optional(Type.String({ description: 'The page that it imports into; absent for the top level.' })),
    requestedBy: Id,
    createdAt: Timestamp,
    finishedAt: Type.Optional(Timestamp),
  },
  { $id: 'ContentImport' },
)
export type ContentImport = Static<typeof ContentImport>

/** Something that was not imported, and why. */
export type ImportFailure = Static<typeof Failure>

/** Why an import as a whole failed: as the request would have, had it waited. */
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
  /** While it is not over, the whole URL; then without the query. */
  url: string
  state: (typeof states)[number]
  stage: (typeof stages)[number]
  importedResources: number
  totalResources: number
  failures: ImportFailure[]
  moreFailures: number
  /** The commit that was made last. Written before the branch moves to it, so that a run after a crash finds whether it did. */
  commit?: string
  revision?: string
  problem?: ImportProblem
  requestedBy: string
  createdAt: string
  finishedAt?: string
}

export const contentImports = table<ContentImportDoc>()({
  name: 'content-imports',
  indexes: { space: (doc) => doc.space },
  owner: (doc) => doc.space,
})
