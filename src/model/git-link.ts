/** The link of a space to a remote Git repository. */
import { Type } from '@sinclair/typebox'
import { oneOf, Timestamp } from './common.js'

/** The Git repository a space is synchronized with, as stored. Never holds a credential. */
export interface GitLink {
  /** URL without credentials. */
  url: string
  ref: string
  /** Folder of the remote repository that is this space; '' = all of it. */
  directory: string
  provider?: 'github' | 'gitlab'
  /** Prefix of links to a file: `gitInfo.url`. */
  fileURL?: string
  repoTreeURL?: string
  repoCommitURL?: string
  updatedAt: string
}

export const installationProvider = oneOf(['github', 'github-legacy', 'gitlab'])

export const GitSync = Type.Object(
  {
    repoName: Type.Optional(Type.String()),
    installationProvider: Type.Optional(installationProvider),
    integration: Type.Optional(Type.String()),
    url: Type.String(),
    updatedAt: Timestamp,
  },
  { $id: 'GitSync' },
)
