/** The responses for connections: the connection, its runs, test results, and the branches of its repository. */
import { type Static, Type } from '@sinclair/typebox'
import { Change } from './changes.js'
import { Id, nullable, oneOf, Timestamp } from './common.js'
import { connectionDirections, connectionProviders, credentialKinds, exportModes } from './connection.js'
import { GitRun } from './git-sync.js'

export const Connection = Type.Object(
  {
    object: Type.Literal('git-connection'),
    id: Id,
    space: Id,
    organization: Id,
    provider: oneOf(connectionProviders),
    url: Type.String({ description: 'Clone URL, without credentials.' }),
    ref: Type.String(),
    repoProjectDirectory: Type.String(),
    direction: oneOf(connectionDirections),
    credential: Type.Object({
      kind: oneOf(credentialKinds),
      setAt: Type.Optional(Timestamp),
      appId: Type.Optional(Type.String()),
      installationId: Type.Optional(Type.String()),
    }),
    exportMode: oneOf(exportModes),
    commitMessage: Type.Optional(Type.String()),
    pullRequests: Type.Object({
      changeRequests: Type.Boolean(),
      preview: Type.Boolean(),
      lookedAt: Type.Optional(Timestamp),
      problem: Type.Optional(
        Type.String({ description: 'The reason why previews currently do not work, and the remedy.' }),
      ),
      logins: Type.Optional(Type.Array(Type.Object({ user: Id, login: Type.String() }))),
    }),
    apiUrl: Type.Optional(Type.String()),
    webhookSecret: Type.Optional(
      Type.String({
        description: 'Present only when the secret was just generated. Enter it at the host; it is not returned again.',
      }),
    ),
    paused: Type.Boolean(),
    status: oneOf(['active', 'paused', 'error'], { description: '`error`: see `failure`.' }),
    lastSeenHead: Type.Optional(Type.String({ description: 'The head of the branch during the last run.' })),
    lastSuccessAt: Type.Optional(Timestamp),
    lastRun: Type.Optional(GitRun),
    failure: Type.Optional(
      Type.Object(
        {
          cause: Type.String({
            description: 'The cause as a code: unreachable, unauthorized, missing-ref, rejected, conflict …',
          }),
          message: Type.String(),
          since: Timestamp,
          changeRequest: Type.Optional(Id),
        },
        { description: 'The reason why the connection does not work; absent while it works.' },
      ),
    ),
    createdBy: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: Type.Object({
      location: Type.String(),
      webhook: Type.String({ description: 'The webhook address to enter at the host.' }),
    }),
  },
  { $id: 'Connection' },
)
export type Connection = Static<typeof Connection>

export const ConnectionRunDetails = Type.Intersect(
  [
    GitRun,
    Type.Object({
      commits: Type.Array(
        Type.Object({
          id: Type.String(),
          message: Type.String({ description: 'The first line of the message.' }),
          author: Type.String(),
          createdAt: Timestamp,
        }),
        {
          description: 'The commits that the import added to main, or that were exported, newest first, at most 50.',
        },
      ),
      moreCommits: Type.Optional(Type.Boolean({ description: 'Whether there are more commits than listed.' })),
      changes: Type.Array(Change, {
        description: 'The changes that the run made in the space (import) or in the repository (export).',
      }),
      more: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of changes that are left out.' })),
    }),
  ],
  { $id: 'ConnectionRunDetails' },
)
export type ConnectionRunDetails = Static<typeof ConnectionRunDetails>

const checks = ['repository', 'branch', 'push', 'host', 'protection'] as const

export const ConnectionTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether everything that the connection needs works.' }),
    checks: Type.Array(
      Type.Object({
        check: oneOf(checks),
        ok: Type.Boolean(),
        message: Type.String({ description: 'The result, and what to do if the check failed.' }),
      }),
    ),
    head: Type.Optional(Type.String({ description: 'The head of the branch.' })),
  },
  { $id: 'ConnectionTest' },
)
export type ConnectionTest = Static<typeof ConnectionTest>

export const RemoteBranches = Type.Object(
  {
    defaultBranch: nullable(
      Type.String({ description: 'Full name of the default branch; null if the repository has none or is empty.' }),
    ),
    branches: Type.Array(Type.Object({ ref: Type.String(), head: Type.String() })),
    truncated: Type.Boolean({ description: 'Whether there are more branches than listed.' }),
  },
  { $id: 'RemoteBranches' },
)
export type RemoteBranches = Static<typeof RemoteBranches>
