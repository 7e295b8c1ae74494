/** Imports, exports and previews: their requests, the stored run, and what clients see of it. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Change } from './changes.js'
import { type ExportMode, exportModes } from './connection.js'
import { conflictKinds } from './change-request.js'
import { closed, Id, nullable, oneOf, Timestamp } from './common.js'
import { GitSync } from './git-link.js'

const providers = ['github', 'gitlab'] as const
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'URL of the repository. It may contain basic-auth credentials: they are used for this operation and never stored.',
})
const GitInfoInput = Type.Object(
  { provider: Type.Optional(oneOf(providers)), url: Type.Optional(Type.String({ maxLength: 2048 })) },
  closed,
)

const common = {
  url: Url,
  ref: Type.String({
    minLength: 1,
    maxLength: 512,
    description:
      '`refs/heads/<branch>`; a standalone import also accepts `refs/pull/<n>/head` and `refs/merge-requests/<n>/head`.',
  }),
  repoCacheID: Type.Optional(Type.String({ maxLength: 512 })),
  repoTreeURL: Type.Optional(Type.String({ maxLength: 2048 })),
  repoCommitURL: Type.Optional(Type.String({ maxLength: 2048 })),
  repoProjectDirectory: Type.Optional(Type.String({ maxLength: 1024 })),
  timestamp: Type.Optional(Timestamp),
  force: Type.Optional(Type.Boolean()),
  gitInfo: Type.Optional(GitInfoInput),
}

export const ImportRequest = Type.Object(
  { ...common, standalone: Type.Optional(Type.Boolean()) },
  { ...closed, $id: 'GitImportRequest' },
)
export type ImportRequest = Static<typeof ImportRequest>
export const ExportRequest = Type.Object(
  {
    ...common,
    commitMessage: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description:
        'With the mode `commits`, it is the message of what cannot be exported commit by commit: the first export to a remote, and a forced one.',
    }),
    exportMode: Type.Optional(
      oneOf(exportModes, {
        description:
          '`single` (default): one commit with everything since the last export, by the people who wrote it. `commits`: the commits of the main content one by one, ' +
          'each with its author, date and message. A merged change request is one commit by the people who wrote it.',
      }),
    ),
  },
  { ...closed, $id: 'GitExportRequest' },
)
export type ExportRequest = Static<typeof ExportRequest>

export const PreviewRequest = Type.Object(
  {
    direction: oneOf(['import', 'export']),
    url: common.url,
    ref: Type.String({ minLength: 1, maxLength: 512, description: '`refs/heads/<branch>`' }),
    repoProjectDirectory: common.repoProjectDirectory,
    force: common.force,
  },
  { ...closed, $id: 'GitPreviewRequest' },
)
export type PreviewRequest = Static<typeof PreviewRequest>

export const GitPreview = Type.Object(
  {
    direction: oneOf(['import', 'export']),
    result: oneOf(['none', 'adopt', 'clean', 'conflict'], {
      description:
        '`none`: nothing would change. `adopt`: nobody has worked in the space yet, so it takes over the history of the remote as it is. ' +
        '`clean`: one commit would be made. `conflict`: only a change request with the conflicts would be created.',
    }),
    remoteHead: Type.Optional(
      Type.String({ description: "The head of the remote's branch; absent if an export would create the branch." }),
    ),
    importsFirst: Type.Optional(
      Type.Literal(true, {
        description:
          'The export would first import commits of the remote that the space does not have; preview the import to see them.',
      }),
    ),
    changes: Type.Array(Change, {
      description: 'What would change in the main content (import) or in the remote (export).',
    }),
    more: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of changes that are left out.' })),
    conflicts: Type.Array(Type.Object({ path: Type.String(), kind: oneOf(conflictKinds) })),
    moreConflicts: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of conflicts that are left out.' })),
  },
  { $id: 'GitPreview' },
)
export type GitPreview = Static<typeof GitPreview>

const syncStates = ['queued', 'running', 'success', 'failure', 'conflict', 'cancelled'] as const
const triggers = ['manual', 'created', 'poll', 'webhook', 'merge', 'retry', 'resumed'] as const
export type RunTrigger = (typeof triggers)[number]

const Work = Type.Object(
  {
    unit: oneOf(['bytes', 'commits']),
    done: Type.Integer({ minimum: 0 }),
    total: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Absent while it is unknown: a remote does not say how many bytes it sends.',
      }),
    ),
  },
  {
    description:
      'How much of the stage is done while a large repository is imported: bytes that were fetched, or commits out of which the folder was read.',
  },
)

/** One run of an import or export, as stored: what `git/info` and the history show. */
export interface SyncRunDoc {
  id: string
  space: string
  direction: 'import' | 'export'
  state: (typeof syncStates)[number]
  /** What it is doing, in one word: queued, connecting, fetching, checking, merging, pushing, done. */
  stage: string
  /** 0 to 1. */
  progress: number
  /** How far the present stage is. */
  work?: Static<typeof Work>
  url: string
  ref: string
  directory: string
  startedAt: string
  finishedAt?: string
  /** What went wrong, in plain words, with the file and what to do. */
  error?: string
  /** The head of the remote that was last seen. */
  remoteRevision?: string
  /** The revision here that it resulted in (or that was exported). */
  revision?: string
  /** The change request that holds the conflict. */
  changeRequest?: string
  result?: 'adopted' | 'merged' | 'unchanged' | 'exported' | 'standalone' | 'conflict'
  requestedBy: string
  sequence: number
  /** The remote's key: URL, ref and directory as one name. */
  key: string
  force: boolean
  /** Import only: keep the revision, leave main alone. */
  standalone: boolean
  /** Export only: the commit's message. */
  message?: string
  /** The client's time of the event, ISO 8601; it orders events of one remote and nothing else. */
  timestamp?: string
  /** Whether the URL contained a credential, which is never stored: after a restart, the run has to do without it. */
  hadCredential: boolean
  /** True if nobody requested it: it follows from another operation. */
  follows?: boolean
  /** The connection that it belongs to: it has the credential. */
  connection?: string
  /** What a run of a connection was started by. */
  trigger?: RunTrigger
  /** Export only: what others committed on the remote is a failure, not imported. */
  oneWay?: boolean
  /** Export only: one commit (also if absent), or the commits as people made them. */
  exportMode?: ExportMode
  /** The revision of main before an import, or that the last export brought to the remote; absent if there was none. */
  baseRevision?: string
  /** Somebody asked for its end. */
  cancelled?: boolean
}
export const syncRuns = table<SyncRunDoc>()({
  name: 'sync-runs',
  indexes: { space: (run) => run.space, connection: (run) => run.connection ?? null },
  owner: (run) => run.space,
})

export const RetryRequest = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'URL of the same repository, with a fresh credential.',
      }),
    ),
  },
  { ...closed, $id: 'GitRetryRequest' },
)
export type RetryRequest = Static<typeof RetryRequest>

export const GitRun = Type.Object(
  {
    object: Type.Literal('git-run'),
    id: Id,
    direction: oneOf(['import', 'export']),
    state: oneOf(syncStates),
    stage: Type.String(),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    work: Type.Optional(Work),
    result: Type.Optional(oneOf(['adopted', 'merged', 'unchanged', 'exported', 'standalone', 'conflict'])),
    url: Type.String(),
    ref: Type.String(),
    repoProjectDirectory: Type.String(),
    force: Type.Boolean(),
    standalone: Type.Boolean(),
    startedAt: Timestamp,
    finishedAt: Type.Optional(Timestamp),
    error: Type.Optional(Type.String()),
    remoteRevision: Type.Optional(Type.String()),
    revision: Type.Optional(Type.String()),
    changeRequest: Type.Optional(Id),
    exportMode: Type.Optional(oneOf(exportModes)),
    requestedBy: Id,
    connection: Type.Optional(Id),
    trigger: Type.Optional(oneOf(triggers, { description: 'What a run of a connection was started by.' })),
  },
  { $id: 'GitRun' },
)
export type GitRun = Static<typeof GitRun>

export const GitInfo = Type.Intersect(
  [
    Type.Partial(Type.Object(GitSync.properties)),
    Type.Object({
      state: Type.Optional(oneOf(syncStates)),
      direction: Type.Optional(oneOf(['import', 'export'])),
      stage: Type.Optional(Type.String()),
      progress: Type.Optional(Type.Number()),
      error: Type.Optional(nullable(Type.String())),
      ref: Type.Optional(Type.String()),
      remoteRevision: Type.Optional(Type.String()),
      revision: Type.Optional(Type.String()),
      changeRequest: Type.Optional(Id),
      diagnostics: Type.Optional(Type.Integer()),
    }),
  ],
  { $id: 'GitInfo' },
)
export type GitInfo = Static<typeof GitInfo>
