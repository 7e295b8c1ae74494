/** The client for Gitea and Forgejo, API version 1. */
import type {
  BranchProtection,
  CommitStatus,
  Host,
  HostRepository,
  MergedCommits,
  NewPullRequest,
  PullRequest,
} from '../types.js'
import { at, textAt } from '../values.js'
import type { ClientOptions } from './client.js'
import { branchPath, MAX_PULL_REQUESTS, MAX_REVIEWERS, shortened } from './common.js'
import { githubCommit, githubPullRequest } from './github-shapes.js'
import { mergedAs, MAX_COMMITS } from './merged-commits.js'

/** The default maximum number of items on a page. */
const PAGE = 30
const NEEDS = 'the scope "write:repository", and its user needs write access'
const READS = 'the scope "read:repository"'
const OPENING = { doing: 'open a pull request', needs: NEEDS }

/** One repository on Gitea or Forgejo. */
export class Gitea implements Host {
  readonly #repo: string

  constructor(private readonly options: ClientOptions) {
    this.#repo = `/repos/${options.name}`
  }

  async repository(): Promise<HostRepository> {
    const value = await this.options.api.get(this.#repo, { doing: 'read the repository', needs: READS })
    const push = at(value, 'permissions', 'push')
    return {
      fullName: textAt(value, ['full_name']) ?? this.options.name,
      defaultBranch: at(value, 'empty') === true ? null : (textAt(value, ['default_branch']) ?? null),
      canPush: typeof push === 'boolean' ? push : null,
      archived: at(value, 'archived') === true,
      missing: [],
    }
  }

  async protection(branch: string): Promise<BranchProtection> {
    const { status, value } = await this.options.api.ask(
      'GET',
      `${this.#repo}/branches/${branchPath(branch)}`,
      { doing: 'read the branch', needs: READS },
      { accept: [404] },
    )
    if (status === 404) return { exists: false, protected: false, canPush: null, rules: [] }
    const isProtected = at(value, 'protected') === true
    const canPush = at(value, 'user_can_push')
    const approvals = at(value, 'required_approvals')
    const rules = [
      ...(isProtected && canPush === false ? ['Only certain people may push.'] : []),
      ...(typeof approvals === 'number' && approvals > 0 ? [`A pull request needs ${approvals} approvals.`] : []),
      ...(at(value, 'enable_status_check') === true ? ['Status checks must pass before a merge.'] : []),
    ]
    return { exists: true, protected: isProtected, canPush: typeof canPush === 'boolean' ? canPush : null, rules }
  }

  async setStatus(sha: string, { state, context, description, targetUrl }: CommitStatus): Promise<void> {
    const body = { state, context, description: shortened(description), target_url: targetUrl }
    const purpose = { doing: 'set commit statuses', needs: NEEDS, what: `The commit ${sha}` }
    await this.options.api.ask('POST', `${this.#repo}/statuses/${encodeURIComponent(sha)}`, purpose, { body })
  }

  async openPullRequest({
    head,
    base,
    title,
    body,
    reviewers = [],
  }: NewPullRequest): Promise<{ pullRequest: PullRequest; refusedReviewers: string[] }> {
    const { api } = this.options
    // 409: the pull request already exists.
    const made = await api.ask('POST', `${this.#repo}/pulls`, OPENING, {
      body: { head, base, title, body },
      accept: [409],
    })
    const existing =
      made.status === 409 ? (await this.openPullRequests(base)).items.find((one) => one.head.ref === head) : undefined
    if (made.status === 409 && !existing) throw api.failure(made, OPENING)
    const pullRequest = existing ?? githubPullRequest(api.host, made.value)
    const refusedReviewers: string[] = []
    for (const name of reviewers.slice(0, MAX_REVIEWERS))
      if (!(await this.#requestReview(pullRequest.number, name))) refusedReviewers.push(name)
    return { pullRequest, refusedReviewers }
  }

  async #requestReview(number: number, name: string): Promise<boolean> {
    const body = name.includes('/') ? { team_reviewers: [name.split('/')[1]] } : { reviewers: [name] }
    const path = `${this.#repo}/pulls/${number}/requested_reviewers`
    const { status } = await this.options.api.ask(
      'POST',
      path,
      { doing: 'ask for reviews', needs: NEEDS },
      { body, accept: [403, 404, 422] },
    )
    return status < 300
  }

  updatePullRequest(number: number, change: { title?: string; body?: string }): Promise<PullRequest> {
    return this.#change(number, 'change the pull request', change)
  }

  closePullRequest(number: number): Promise<PullRequest> {
    return this.#change(number, 'close the pull request', { state: 'closed' })
  }

  async comment(number: number, text: string): Promise<void> {
    const purpose = { doing: 'comment on the pull request', needs: NEEDS, what: `Pull request ${number}` }
    await this.options.api.ask('POST', `${this.#repo}/issues/${number}/comments`, purpose, { body: { body: text } })
  }

  async #change(number: number, doing: string, body: object): Promise<PullRequest> {
    const purpose = { doing, needs: NEEDS, what: `Pull request ${number}` }
    return githubPullRequest(
      this.options.api.host,
      (await this.options.api.ask('PATCH', `${this.#repo}/pulls/${number}`, purpose, { body })).value,
    )
  }

  async pullRequest(number: number): Promise<PullRequest> {
    const purpose = { doing: 'read pull requests', needs: READS, what: `Pull request ${number}` }
    return githubPullRequest(
      this.options.api.host,
      await this.options.api.get(`${this.#repo}/pulls/${number}`, purpose),
    )
  }

  async openPullRequests(base: string): Promise<{ items: PullRequest[]; more: boolean }> {
    const { api } = this.options
    const purpose = { doing: 'list pull requests', needs: READS }
    // The host cannot filter by base branch.
    const { items, more } = await api.list(`${this.#repo}/pulls?state=open&sort=newest&limit=${PAGE}`, purpose, {
      size: PAGE,
      most: MAX_PULL_REQUESTS,
    })
    return { items: items.map((one) => githubPullRequest(api.host, one)).filter((one) => one.base.ref === base), more }
  }

  async mergedCommits(number: number): Promise<MergedCommits | null> {
    const { mergeCommit } = await this.pullRequest(number)
    if (mergeCommit === null) return null
    const listed = await this.#commits(`${this.#repo}/pulls/${number}/commits?`, MAX_COMMITS)
    // The order of the list depends on the release. The head in the pull request is that of the branch, which may have
    // moved since the merge.
    const newestFirst = listed.length > 1 && at(listed[0], 'parents', 0, 'sha') === at(listed[1], 'sha')
    const own = (newestFirst ? listed.reverse() : listed).map(githubCommit)
    return mergedAs(mergeCommit, own, async (most) =>
      (await this.#commits(`${this.#repo}/commits?sha=${mergeCommit}&`, most)).map(githubCommit),
    )
  }

  async #commits(path: string, most: number): Promise<unknown[]> {
    const query = `${path}stat=false&verification=false&files=false&limit=${PAGE}`
    return (await this.options.api.list(query, { doing: 'read commits', needs: READS }, { size: PAGE, most })).items
  }
}
