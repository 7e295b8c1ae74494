/**
 * The types for hosts of Git repositories. They use the same terms for GitHub, GitLab, Gitea, Forgejo and Bitbucket.
 */

import type { CommitId } from '../kernel/ids.js'
/** `gitea` includes Forgejo; `bitbucket` is Bitbucket Cloud. A `generic` remote supports only Git. */
export const providers = ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const
export type Provider = (typeof providers)[number]

/** The unsealed credential of a repository. Never logged, never part of an error. */
export type HostCredential =
  | { kind: 'none' }
  | { kind: 'token'; token: string }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'sshKey' }
  | { kind: 'githubApp'; appId: string; installationId: string; privateKey: string }
  | { kind: 'gitlabProjectToken'; token: string }

/** A repository with its credential. */
export interface HostAddress {
  provider: Provider
  /** The URL of the repository, as Git uses it, without a credential. */
  url: string
  /**
   * The root of the REST API, such as `https://api.github.com`; default: the usual root for the provider and the host
   * of `url`.
   */
  apiUrl?: string | undefined
  credential: HostCredential
}

export interface HostRepository {
  /** `owner/name`. */
  fullName: string
  /** null if the repository is empty. */
  defaultBranch: string | null
  /** Whether the credential may push; null if the host does not report it. */
  canPush: boolean | null
  /** Whether the repository is archived, so that no one may push to it. */
  archived: boolean
  /** The missing permissions that Bindery needs for its full functionality, in the host's terms. */
  missing: string[]
}

export interface BranchProtection {
  exists: boolean
  protected: boolean
  /** Whether the credential may push to the branch itself; null if the host does not report it. */
  canPush: boolean | null
  /** The host's rules for the branch, as sentences for users. */
  rules: string[]
}

export type StatusState = 'pending' | 'success' | 'failure' | 'error'

export interface CommitStatus {
  state: StatusState
  /**
   * Identifies a status of a commit: a new status replaces the last one with the same context. Only the first
   * 40 characters are guaranteed to count on all hosts.
   */
  context: string
  /** Shortened to 140 characters. */
  description: string
  /** The target of the link. */
  targetUrl: string
}

/** A pull request, or merge request. */
export interface PullRequest {
  number: number
  url: string
  title: string
  body: string
  state: 'open' | 'closed' | 'merged'
  draft: boolean
  author: string | null
  /**
   * `sha` is null if the host abbreviates it; after a merge it may be a later commit of the branch. `repository` is
   * `owner/name`, or null if it was deleted.
   */
  head: { ref: string; sha: CommitId | null; repository: string | null }
  base: { ref: string }
  /** The merge commit that the host reports; null before the merge. */
  mergeCommit: CommitId | null
  mergedAt: string | null
  mergedBy: string | null
  /** The reason for closing it without a merge, if the host asks for one (Bitbucket). */
  reason: string | null
}

export interface NewPullRequest {
  /** Branches of the repository itself, without `refs/heads/`. */
  head: string
  base: string
  title: string
  body: string
  /** User names on the host, at most 20. Names that the host does not accept are returned. */
  reviewers?: readonly string[]
}

/**
 * The commits that a merged pull request added to its base branch, oldest first. For a merge commit, only that commit.
 */
export interface MergedCommits {
  method: 'merge' | 'squash' | 'rebase'
  commits: string[]
  /**
   * The merged commits of the pull request, in no particular order. At most `MAX_COMMITS`, so a missing commit may have
   * been merged, too.
   */
  from: string[]
}

/** One repository on its host. Every function throws `HostError`. */
export interface Host {
  repository(): Promise<HostRepository>
  protection(branch: string): Promise<BranchProtection>
  setStatus(sha: string, status: CommitStatus): Promise<void>
  /** Opens a pull request, or returns the open one of the same branches. A repeated call creates no duplicate. */
  openPullRequest(request: NewPullRequest): Promise<{ pullRequest: PullRequest; refusedReviewers: string[] }>
  updatePullRequest(number: number, change: { title?: string; body?: string }): Promise<PullRequest>
  closePullRequest(number: number): Promise<PullRequest>
  /** Adds a comment. A repeated call adds a second one. */
  comment(number: number, text: string): Promise<void>
  pullRequest(number: number): Promise<PullRequest>
  /** Returns the open pull requests against a branch, newest first, at most 300; `more` if there are others. */
  openPullRequests(base: string): Promise<{ items: PullRequest[]; more: boolean }>
  /** Returns null unless it is merged. */
  mergedCommits(number: number): Promise<MergedCommits | null>
}

/**
 * `notFound`: the repository or a resource in it does not exist, or is hidden from the credential; `unauthorized`: the
 * credential is missing or not accepted; `noRight`: the credential is accepted but lacks the permission; `rateLimited`:
 * try again later; `unavailable`: no response, or an invalid one; `refused`: the host always rejects the request.
 */
export type HostFailure = 'notFound' | 'unauthorized' | 'noRight' | 'rateLimited' | 'unavailable' | 'refused'

/** Thrown if a request to a host fails. The message is a sentence that a user can act on; it contains no credential. */
export class HostError extends Error {
  override name = 'HostError'
  constructor(
    readonly failure: HostFailure,
    message: string,
    /** The time of the next attempt, if the host gives one. */
    readonly retryAt: Date | null = null,
  ) {
    super(message)
  }
}
