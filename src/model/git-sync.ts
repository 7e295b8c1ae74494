/** Imports, exports and previews: their requests, the stored run, and the responses. */
import type { CommitId, RefName } from '../kernel/ids.js'
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
    'URL of the repository. It may contain basic-auth credentials, which are used for this operation and never stored.',
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
        'Message of the exported commit. With the mode `commits`, it is used for exports that cannot be made commit by commit: the first export to a remote, and a forced one.',
    }),
    exportMode: Type.Optional(
      oneOf(exportModes, {
        description:
          '`single` (default): one commit with everything since the last export, by its authors. `commits`: the commits of the main content one by one, each with ' +
          'its author, date and message. A merged change request is one commit by its authors.',
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
        '`none`: nothing would change. `adopt`: the space has no own changes, so it adopts the history of the remote. `clean`: one commit would be ' +
        'created. `conflict`: only a change request with the conflicts would be created.',
    }),
    remoteHead: Type.Optional(
      Type.String({ description: "The head of the remote's branch; absent if an export would create the branch." }),
    ),
    importsFirst: Type.Optional(
      Type.Literal(true, {
        description:
          'The export would first import commits of the remote that the space does not have. Preview the import to see them.',
      }),
    ),
    changes: Type.Array(Change, {
      description: 'The changes in the main content (import) or in the remote (export).',
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
        description: 'Absent while unknown: a remote does not announce how many bytes it sends.',
      }),
    ),
  },
  {
    description:
      'Progress within the stage while a large repository is imported: fetched bytes, or commits from which the folder was extracted.',
  },
)

/** One run of an import or export, as stored. `git/info` and the history show it. */
export interface SyncRunDoc {
  id: string
  space: string
  direction: 'import' | 'export'
  state: (typeof syncStates)[number]
  /** The current stage: queued, connecting, fetching, checking, merging, pushing, done. */
  stage: string
  /** 0 to 1. */
  progress: number
  /** Progress within the current stage. */
  work?: Static<typeof Work>
  url: string
  ref: RefName
  directory: string
  startedAt: string
  finishedAt?: string
  /** The reason for the failure, with the affected file and the remedy. */
  error?: string
  /** The remote head that the run saw last. */
  remoteRevision?: CommitId
  /** The resulting revision here, or the exported revision. */
  revision?: CommitId
  /** The conflict change request. */
  changeRequest?: string
  result?: 'adopted' | 'merged' | 'unchanged' | 'exported' | 'standalone' | 'conflict'
  requestedBy: string
  sequence: number
  /** The key of the remote: URL, ref and directory as one name. */
  key: string
  force: boolean
  /** Import only: keep the revision, and do not change main. */
  standalone: boolean
  /** Export only: the commit message. */
  message?: string
  /** The client's time of the event, ISO 8601. It only orders events of one remote. */
  timestamp?: string
  /** Whether the URL contained a credential, which is never stored. After a restart, the run must do without it. */
  hadCredential: boolean
  /** True if another operation started the run, not a request. */
  follows?: boolean
  /** The connection of the run, which has the credential. */
  connection?: string
  /** The trigger of a run of a connection. */
  trigger?: RunTrigger
  /** Export only: commits by others on the remote are a failure, and not imported. */
  oneWay?: boolean
  /** Export only: one commit (also if absent), or individual commits. */
  exportMode?: ExportMode
  /**
   * The revision of main before an import, or the revision that the last export pushed to the remote; absent if there
   * was none.
   */
  baseRevision?: CommitId
  /** Whether the run was canceled by a user. */
  cancelled?: boolean
}
export const syncRuns = table<SyncRunDoc>()({
  name: 'sync-runs',
  indexes: { space: (run) => run.space, connection: (run) => run.connection ?? null },
  owner: 'space',
})

export const RetryRequest = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'URL of the same repository, with a new credential.',
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
    trigger: Type.Optional(oneOf(triggers, { description: 'The trigger of a run of a connection.' })),
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
