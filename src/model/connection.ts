/** Connections of spaces to remote repositories: the stored document, and what clients send. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, nullable, oneOf } from './common.js'

export const connectionProviders = ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const
export type ConnectionProvider = (typeof connectionProviders)[number]
export const connectionDirections = ['import', 'export', 'both'] as const
export const exportModes = ['single', 'commits'] as const
export type ExportMode = (typeof exportModes)[number]
export const credentialKinds = ['none', 'token', 'basic', 'sshKey', 'githubApp', 'gitlabProjectToken'] as const

/** A credential of a connection, as stored: what is secret of it is sealed. */
export interface SealedCredential {
  kind: (typeof credentialKinds)[number]
  /** What is secret, as JSON, sealed; absent with the kind `none`. */
  sealed?: string
  /** A keyed digest of the credential: two connections with the same one ask their repository together. It says nothing without the service's key. */
  digest: string
  setAt: string
  /** Of a GitHub App. */
  appId?: string
  installationId?: string
}

/** Why a connection does not work at the moment. */
export interface ConnectionFailure {
  /** In one word, such as `unauthorized` or `conflict`: one notice is sent for each cause. */
  cause: string
  /** What is wrong, and what to do. */
  message: string
  since: string
  /** How often in a row it failed for this cause. */
  attempts: number
  /** Whether people were told of this cause. */
  told: boolean
  /** Whether people were told of this cause, or of one before: they are also told when it is well again. */
  noticed: boolean
  /** The repository could not be asked; absent = a run failed. */
  byPoll?: boolean
  /** What the run that failed was. */
  way?: 'import' | 'export'
  /** When a run that failed is repeated. */
  retryAt?: string
  /** The change request that holds the conflict. */
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
  ref: string
  /** Folder of the remote repository that is this space; '' = all of it. */
  directory: string
  /** The remote's key: URL, ref and directory as one name. */
  key: string
  /** The repository's key: that of the URL alone. */
  repository: string
  direction: (typeof connectionDirections)[number]
  credential: SealedCredential
  exportMode: ExportMode
  /** Message of the commits that are exported; absent = one that names the space. */
  commitMessage?: string
  pullRequests: { changeRequests: boolean; preview?: boolean; logins?: { user: string; login: string }[] }
  /** Base of the host's REST API, if it is not the usual one of the provider. */
  apiUrl?: string
  sealedWebhookSecret: string
  paused: boolean
  /** The head of the remote that was last seen by a run that ended. */
  lastSeenHead?: string
  /** The revision of main that the remote has. */
  lastRevision?: string
  lastRun?: string
  /** When a run last ended well. */
  lastSuccessAt?: string
  failure?: ConnectionFailure
  /** When the host was last asked for pull requests, and why it could not be if it could not. */
  previews?: { lookedAt: string; problem?: string; attempts?: number }
  createdBy: string
  createdAt: string
  updatedAt: string
}

export const connections = table<ConnectionDoc>()({
  name: 'connections',
  indexes: {
    space: (one) => one.space,
    organization: (one) => one.organization,
    repository: (one) => one.repository,
  },
  orders: {
    ofSpace: { group: (one) => one.space, by: (one) => one.createdAt },
  },
  owner: (one) => one.space,
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
          'Private key in the form of OpenSSH or PEM, without a passphrase. Its public half is the deploy key of the repository.',
        ),
        knownHosts: Type.Optional(
          Type.String({
            maxLength: 16_384,
            description:
              'Lines with the keys of the ssh host, as `ssh-keyscan` writes them, besides those that the service knows.',
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
    description: 'How the repository is reached. What is secret is stored encrypted and never returned.',
  },
)
export type ConnectionCredentialInput = Static<typeof ConnectionCredentialInput>

const PullRequests = Type.Object(
  {
    changeRequests: Type.Optional(Type.Boolean({ description: 'Change requests may be exported as pull requests.' })),
    preview: Type.Optional(
      Type.Boolean({
        description:
          'Every pull request against the branch gets a preview, which is a revision of the space, and a commit status that says which problems it adds.',
      }),
    ),
    logins: Type.Optional(
      Type.Array(
        Type.Object(
          {
            user: Id,
            login: Type.String({
              pattern: '^[A-Za-z0-9{][A-Za-z0-9._:{}-]*$',
              'x-pattern-message': 'must be a login of the host',
              maxLength: 128,
            }),
          },
          closed,
        ),
        {
          maxItems: 500,
          description:
            'The logins of users at the host, so that they are asked for a review there. Users without one are named in the text of the pull request.',
        },
      ),
    ),
  },
  closed,
)

const settings = {
  provider: Type.Optional(
    oneOf(connectionProviders, {
      description: 'What kind of host it is; absent = derived from the host of the URL, else `generic`.',
    }),
  ),
  direction: Type.Optional(
    oneOf(connectionDirections, {
      description:
        '`import`: the space follows the branch. `export`: the branch follows the space, and what others commit there is a failure. `both` (default): both ways.',
    }),
  ),
  credential: Type.Optional(ConnectionCredentialInput),
  exportMode: Type.Optional(
    oneOf(exportModes, {
      description: 'Whether an export is one commit (`single`, the default) or the commits as people made them.',
    }),
  ),
  pullRequests: Type.Optional(PullRequests),
}
const commitMessage = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description:
    'Message of the commits that are exported. Default: the subject of the change request, if an export brings one change request and nothing else.',
})
const apiUrl = Type.String({
  pattern: '^https?://',
  'x-pattern-message': 'must be an http or https URL',
  maxLength: 2048,
  description: "Base of the host's REST API, if it is not the usual one of the provider.",
})
const webhookSecret = Type.String({
  minLength: 16,
  maxLength: 256,
  description: 'Secret of the webhook at the host. For a signing token of GitLab: `whsec_` and 32 bytes in base64.',
})
const directory = Type.String({
  maxLength: 1024,
  description: 'Folder of the repository that is the space; absent or empty = all of it.',
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
      Type.Boolean({ description: 'Begins paused: nothing is imported or exported until it is resumed.' }),
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
        description: 'Another clone URL. A credential is only kept if the host stays the same.',
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
        description: 'Absent = all that the connection does: an export imports first what is new.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'Needs the role admin. An import takes the content of the remote, an export puts that of the space on top of it.',
      }),
    ),
  },
  { ...closed, $id: 'RunConnection' },
)
export type RunConnection = Static<typeof RunConnection>
