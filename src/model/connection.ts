/** Connections of spaces to remote repositories: the stored document and the inputs. */
import type { CommitId, RefName } from '../kernel/ids.js'
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, nullable, oneOf } from './common.js'

export const connectionProviders = ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const
export type ConnectionProvider = (typeof connectionProviders)[number]
export const connectionDirections = ['import', 'export', 'both'] as const
export const exportModes = ['single', 'commits'] as const
export type ExportMode = (typeof exportModes)[number]
export const credentialKinds = ['none', 'token', 'basic', 'sshKey', 'githubApp', 'gitlabProjectToken'] as const

/** A credential of a connection, as stored. Its secret parts are sealed. */
export interface SealedCredential {
  kind: (typeof credentialKinds)[number]
  /** The secret parts as JSON, sealed; absent with the kind `none`. */
  sealed?: string
  /**
   * A keyed digest of the credential. Connections with equal digests poll their repository together. Without the
   * service's key, it reveals nothing.
   */
  digest: string
  setAt: string
  /** For a GitHub App. */
  appId?: string
  installationId?: string
}

/** The reason why a connection currently does not work. */
export interface ConnectionFailure {
  /** The cause as a code, such as `unauthorized` or `conflict`. One notification is sent per cause. */
  cause: string
  /** The problem and the remedy. */
  message: string
  since: string
  /** Number of consecutive failures with this cause. */
  attempts: number
  /** Whether the admins were notified of this cause. */
  told: boolean
  /**
   * Whether the admins were notified of this cause or an earlier one. If so, they are also notified of the recovery.
   */
  noticed: boolean
  /** True if a poll failed; absent = a run failed. */
  byPoll?: boolean
  /** Direction of the failed run. */
  way?: 'import' | 'export'
  /** Time at which the failed run is repeated. */
  retryAt?: string
  /** The conflict change request. */
  changeRequest?: string
}

/** A connection of a space to a branch (and folder) of a remote repository, as stored. */
export interface ConnectionDoc {
  id: string
  space: string
  organization: string
  provider: ConnectionProvider
  /** URL without credentials. */
  url: string
  ref: RefName
  /** Folder of the remote repository with the content of this space; '' = the whole repository. */
  directory: string
  /** The key of the remote: URL, ref and directory as one name. */
  key: string
  /** The key of the repository: from the URL only. */
  repository: string
  direction: (typeof connectionDirections)[number]
  credential: SealedCredential
  exportMode: ExportMode
  /** Message of exported commits; absent = a message that names the space. */
  commitMessage?: string
  pullRequests: { changeRequests: boolean; preview?: boolean; logins?: { user: string; login: string }[] }
  /** Base of the host's REST API, if it is not the provider's default. */
  apiUrl?: string
  sealedWebhookSecret: string
  paused: boolean
  /** The remote head that the last finished run saw. */
  lastSeenHead?: CommitId
  /** The revision of main that the remote contains. */
  lastRevision?: CommitId
  lastRun?: string
  /** Time of the last successful run. */
  lastSuccessAt?: string
  failure?: ConnectionFailure
  /** Time of the last poll for pull requests, and the reason if it failed. */
  previews?: { lookedAt: string; problem?: string; attempts?: number }
  createdBy: string
  createdAt: string
  updatedAt: string
}

/**
 * Returns the list of connections that may need a run: `conflict`, or `due`, with the time of the retry, or an empty
 * string for a connection without a run.
 */
function dueListOf({ paused, failure, lastRun }: ConnectionDoc): 'conflict' | 'due' | null {
  if (paused) return null
  if (failure?.cause === 'conflict') return 'conflict'
  return lastRun === undefined || failure?.retryAt !== undefined ? 'due' : null
}

/** Returns the name of a connection's poll group. */
export const pollGroupOf = ({ repository, credential, provider }: ConnectionDoc): string =>
  `${repository}:${provider}:${credential.digest}`

/** Whether the repository is polled for the connection. Export-only connections need no polls. */
export const isPolled = ({ paused, direction }: ConnectionDoc): boolean => !paused && direction !== 'export'

export const connections = table<ConnectionDoc>()({
  name: 'connections',
  indexes: {
    space: (one) => one.space,
    organization: (one) => one.organization,
    repository: (one) => one.repository,
  },
  orders: {
    failing: { group: (one) => (one.failure ? one.organization : null), by: (one) => one.failure?.since ?? '' },
    ofSpace: { group: (one) => one.space, by: (one) => one.createdAt },
    active: { group: (one) => (one.paused ? null : 'all'), by: (one) => one.id },
    due: { group: dueListOf, by: (one) => (one.lastRun === undefined ? '' : (one.failure?.retryAt ?? '')) },
    polled: { group: (one) => (isPolled(one) ? pollGroupOf(one) : null), by: (one) => one.id },
  },
  owner: 'space',
})

const Secret = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

export const ConnectionCredentialInput = Type.Union(
  [
    Type.Object({ kind: Type.Literal('none') }, closed),
    Type.Object({ kind: Type.Literal('token'), token: Secret(4096, 'An access token.') }, closed),
    Type.Object(
      { kind: Type.Literal('gitlabProjectToken'), token: Secret(4096, 'A project access token of GitLab.') },
      closed,
    ),
    Type.Object(
      {
        kind: Type.Literal('basic'),
        username: Secret(512, 'User name.'),
        password: Secret(4096, 'Password or token.'),
      },
      closed,
    ),
    Type.Object(
      {
        kind: Type.Literal('sshKey'),
        privateKey: Secret(
          16_384,
          'Private key in OpenSSH or PEM format, without a passphrase. Its public half is the deploy key of the repository.',
        ),
        knownHosts: Type.Optional(
          Type.String({
            maxLength: 16_384,
            description:
              'Lines with the keys of the ssh host, in the format of `ssh-keyscan`, in addition to those that the service knows.',
          }),
        ),
      },
      closed,
    ),
    Type.Object(
      {
        kind: Type.Literal('githubApp'),
        appId: Type.String({
          pattern: '^[A-Za-z0-9._-]+$',
          'x-pattern-message': 'must be letters, digits, dots, - and _',
          maxLength: 64,
          description: 'ID of the GitHub App, or its client ID.',
        }),
        installationId: Type.String({
          pattern: '^[0-9]+$',
          'x-pattern-message': 'must be a number',
          maxLength: 20,
          description: 'ID of its installation.',
        }),
        privateKey: Secret(16_384, 'Private key of the app, PEM.'),
      },
      closed,
    ),
  ],
  {
    $id: 'ConnectionCredential',
    description: 'The credential for the repository. Its secret parts are stored encrypted and never returned.',
  },
)
export type ConnectionCredentialInput = Static<typeof ConnectionCredentialInput>

const PullRequests = Type.Object(
  {
    changeRequests: Type.Optional(
      Type.Boolean({ description: 'Whether change requests may be exported as pull requests.' }),
    ),
    preview: Type.Optional(
      Type.Boolean({
        description:
          'Whether every pull request against the branch gets a preview, which is a revision of the space, and a commit status with the problems that it adds.',
      }),
    ),
    logins: Type.Optional(
      Type.Array(
        Type.Object(
          {
            user: Id,
            login: Type.String({
              pattern: '^[A-Za-z0-9{][A-Za-z0-9._:{}-]*$',
              'x-pattern-message': 'must be a login on the host',
              maxLength: 128,
            }),
          },
          closed,
        ),
        {
          maxItems: 500,
          description:
            'The logins of users on the host, so that reviews are requested from them there. Users without one are named in the text of the pull request.',
        },
      ),
    ),
  },
  closed,
)

const settings = {
  provider: Type.Optional(
    oneOf(connectionProviders, {
      description: 'The kind of host. Absent = derived from the host name in the URL, else `generic`.',
    }),
  ),
  direction: Type.Optional(
    oneOf(connectionDirections, {
      description:
        '`import`: the space follows the branch. `export`: the branch follows the space, and commits by others on the branch are a failure. `both` (default): both directions.',
    }),
  ),
  credential: Type.Optional(ConnectionCredentialInput),
  exportMode: Type.Optional(
    oneOf(exportModes, {
      description: 'Whether an export is one commit (`single`, the default) or contains the individual commits.',
    }),
  ),
  pullRequests: Type.Optional(PullRequests),
}
const commitMessage = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description:
    'Message of exported commits. Default: the subject of the change request, if an export contains exactly one change request and nothing else.',
})
const apiUrl = Type.String({
  pattern: '^https?://',
  'x-pattern-message': 'must be an http or https URL',
  maxLength: 2048,
  description: "Base of the host's REST API, if it is not the provider's default.",
})
const webhookSecret = Type.String({
  minLength: 16,
  maxLength: 256,
  description: 'Secret of the webhook on the host. For a signing token of GitLab: `whsec_` and 32 bytes in base64.',
})
const directory = Type.String({
  maxLength: 1024,
  description: 'Folder of the repository with the content of the space; absent or empty = the whole repository.',
})
const branch = Type.String({ minLength: 1, maxLength: 512, description: '`refs/heads/<branch>`' })

export const CreateConnection = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Clone URL of the repository. Credentials in it become the credential of the connection.',
    }),
    ref: branch,
    repoProjectDirectory: Type.Optional(directory),
    ...settings,
    commitMessage: Type.Optional(commitMessage),
    apiUrl: Type.Optional(apiUrl),
    webhookSecret: Type.Optional(webhookSecret),
    paused: Type.Optional(
      Type.Boolean({
        description: 'Creates the connection paused: nothing is imported or exported until it is resumed.',
      }),
    ),
  },
  { ...closed, $id: 'CreateConnection' },
)
export type CreateConnection = Static<typeof CreateConnection>

export const UpdateConnection = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'Another clone URL. The credential is kept only if the host stays the same.',
      }),
    ),
    ref: Type.Optional(branch),
    repoProjectDirectory: Type.Optional(directory),
    ...settings,
    commitMessage: Type.Optional(nullable(commitMessage)),
    apiUrl: Type.Optional(nullable(apiUrl)),
    webhookSecret: Type.Optional(nullable(webhookSecret)),
  },
  { ...closed, $id: 'UpdateConnection' },
)
export type UpdateConnection = Static<typeof UpdateConnection>

export const RunConnection = Type.Object(
  {
    direction: Type.Optional(
      oneOf(['import', 'export'], {
        description: 'Absent = the directions of the connection. An export first imports new commits.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'Requires the role admin. An import replaces the content of the space with that of the remote; an export commits the content of the space on top of the remote.',
      }),
    ),
  },
  { ...closed, $id: 'RunConnection' },
)
export type RunConnection = Static<typeof RunConnection>
