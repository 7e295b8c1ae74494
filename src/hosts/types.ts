/** Hosts of Git repositories, as the rest of the service speaks of them: one vocabulary for GitHub, GitLab, Gitea, Forgejo and Bitbucket. */

/** `gitea` stands for Forgejo too; `bitbucket` for Bitbucket Cloud. A `generic` remote has Git and nothing else. */
export const providers = ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const
export type Provider = (typeof providers)[number]

/** What opens a repository, unsealed. Never logged, never part of an error. */
export type HostCredential =
  | { kind: 'none' }
  | { kind: 'token'; token: string }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'sshKey' }
  | { kind: 'githubApp'; appId: string; installationId: string; privateKey: string }
  | { kind: 'gitlabProjectToken'; token: string }

/** Which repository, and with what. */
export interface HostAddress {
  provider: Provider
  /** URL of the repository, as Git uses it; without a credential. */
  url: string
  /** Root of the REST API, such as `https://api.github.com`; default: what is usual for the provider and the host of `url`. */
  apiUrl?: string | undefined
  credential: HostCredential
}

export interface HostRepository {
  /** `owner/name`. */
  fullName: string
  /** Null if the repository is empty. */
  defaultBranch: string | null
  /** Whether the credential may push; null if the host does not tell. */
  canPush: boolean | null
  /** Nobody may push to an archived repository. */
  archived: boolean
  /** Permissions of the credential that Bindery needs for everything it does and that are missing, in the host's words. */
  missing: string[]
}

export interface BranchProtection {
  exists: boolean
  protected: boolean
  /** Whether the credential may push to the branch itself; null if the host does not tell. */
  canPush: boolean | null
  /** What the host demands of the branch, as sentences for users. */
  rules: string[]
}

export type StatusState = 'pending' | 'success' | 'failure' | 'error'

export interface CommitStatus {
  state: StatusState
  /** Tells statuses of one commit apart: the same one replaces the last. At most 40 characters are told apart everywhere. */
  context: string
  /** Shortened to 140 characters. */
  description: string
  /** Where the link leads to. */
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
  /** `sha` is null if the host does not tell it whole; after a merge it may be a later commit of the branch. `repository` is `owner/name`, null for one that is gone. */
  head: { ref: string; sha: string | null; repository: string | null }
  base: { ref: string }
  /** The commit that the host names for the merge; null before. */
  mergeCommit: string | null
  mergedAt: string | null
  mergedBy: string | null
  /** Why it was closed without a merge, where the host asks for that (Bitbucket). */
  reason: string | null
}

export interface NewPullRequest {
  /** Branches of the repository itself, without `refs/heads/`. */
  head: string
  base: string
  title: string
  body: string
  /** Names in the host's words; at most 20. Those that it does not accept are returned. */
  reviewers?: readonly string[]
}

/** The commits that a merged pull request became on its base branch, oldest first. After a merge commit, that one alone. */
export interface MergedCommits {
  method: 'merge' | 'squash' | 'rebase'
  commits: string[]
  /** The pull request's own commits that were merged, in no order. At most `MAX_COMMITS`, so a commit that is missing here may have been merged. */
  from: string[]
}

/** One repository on its host. Every function throws `HostError`. */
export interface Host {
  repository(): Promise<HostRepository>
  protection(branch: string): Promise<BranchProtection>
  setStatus(sha: string, status: CommitStatus): Promise<void>
  /** Opens one, or returns the open one of the same branches: asking twice makes one. */
  openPullRequest(request: NewPullRequest): Promise<{ pullRequest: PullRequest; refusedReviewers: string[] }>
  updatePullRequest(number: number, change: { title?: string; body?: string }): Promise<PullRequest>
  closePullRequest(number: number): Promise<PullRequest>
  /** Adds a comment. Asking twice makes two. */
  comment(number: number, text: string): Promise<void>
  pullRequest(number: number): Promise<PullRequest>
  /** Those against a branch, newest first, at most 300; `more` if there are others. */
  openPullRequests(base: string): Promise<{ items: PullRequest[]; more: boolean }>
  /** Null unless it is merged. */
  mergedCommits(number: number): Promise<MergedCommits | null>
}

/**
 * `notFound`: the repository or what is in it does not exist, or is hidden from the credential; `unauthorized`: the credential is missing or
 * not accepted; `noRight`: it is accepted and may not do this; `rateLimited`: later; `unavailable`: no answer, or none that can be used;
 * `refused`: the host will not do this, whatever is tried.
 */
export type HostFailure = 'notFound' | 'unauthorized' | 'noRight' | 'rateLimited' | 'unavailable' | 'refused'

/** A host did not do what it was asked. The message is a sentence that a user can act on; it holds no credential. */
export class HostError extends Error {
  override name = 'HostError'
  constructor(
    readonly failure: HostFailure,
    message: string,
    /** When it may be asked again, if it says so. */
    readonly retryAt: Date | null = null,
  ) {
    super(message)
  }
}
