/** The link of a space to a remote Git repository. */
import type { RefName } from '../kernel/ids.js'
import { Type } from '@sinclair/typebox'
import { oneOf, Timestamp } from './common.js'

/** The Git repository that a space is synced with, as stored. It never contains a credential. */
export interface GitLink {
  /** URL without credentials. */
  url: string
  ref: RefName
  /** Folder of the remote repository with the content of this space; '' = the whole repository. */
  directory: string
  provider?: 'github' | 'gitlab'
  /** Prefix of links to a file: `gitInfo.url`. */
  fileURL?: string
  repoTreeURL?: string
  repoCommitURL?: string
  updatedAt: string
}

/**
 * The members of a response that describe the connection to the linked repository. All are absent without a connection.
 */
export const installation = {
  installationId: Type.Optional(Type.String({ description: 'ID of the connection.' })),
  installationProvider: Type.Optional(
    oneOf(['github', 'github-legacy', 'gitlab'], { description: 'Absent if the host is neither GitHub nor GitLab.' }),
  ),
  installationStatus: Type.Optional(
    oneOf(['active', 'pending', 'unauthenticated'], {
      description:
        '`unauthenticated`: the repository rejects the credential. `pending`: the connection has not run yet.',
    }),
  ),
}

export const GitSync = Type.Object(
  {
    repoName: Type.Optional(Type.String()),
    ...installation,
    integration: Type.Optional(Type.String()),
    url: Type.String(),
    updatedAt: Timestamp,
  },
  { $id: 'GitSync' },
)
