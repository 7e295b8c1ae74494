/** The client for GitHub and GitHub Enterprise Server: REST API, version 2022-11-28. */
import type {
  BranchProtection,
  CommitStatus,
  Host,
  HostRepository,
  MergedCommits,
  NewPullRequest,
  PullRequest,
} from '../types.js'
import { at, listAt, textAt } from '../values.js'
import type { ClientOptions } from './client.js'
import { MAX_PULL_REQUESTS, MAX_REVIEWERS, shortened } from './common.js'
import { githubCommit, githubPullRequest } from './github-shapes.js'
import { githubProtection } from './github-protection.js'
import { mergedAs, MAX_COMMITS } from './merged-commits.js'

/** The headers of every request. */
export const GITHUB_HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
const PULLS = 'the permission "Pull requests: write"'
const OPENING = { doing: 'open a pull request', needs: PULLS }
const APP_NEEDS = {
  contents: 'Contents: write',
  pull_requests: 'Pull requests: write',
  statuses: 'Commit statuses: write',
} as const

/** One repository on GitHub. */
export class GitHub implements Host {
  readonly #repo: string

  constructor(private readonly options: ClientOptions) {
    this.#repo = `/repos/${options.name}`
  }

  async repository(): Promise<HostRepository> {
    const { value, headers } = await this.options.api.ask('GET', this.#repo, {
      doing: 'read the repository',
      needs: 'the permission "Metadata: read"',
    })
    const permissions = await this.options.permissions()
    const missing = permissions ? missingOf(permissions) : missingScopes(headers['x-oauth-scopes'])
    const reported = at(value, 'permissions', 'push')
    const appCanPush = permissions && permissions['contents'] === 'write'
    return {
      fullName: textAt(value, ['full_name']) ?? this.options.name,
      defaultBranch: textAt(value, ['default_branch']) ?? null,
      canPush: permissions ? appCanPush : missing.length > 0 ? false : typeof reported === 'boolean' ? reported : null,
      archived: at(value, 'archived') === true,
      missing,
    }
  }

  protection(branch: string): Promise<BranchProtection> {
    return githubProtection(this.options.api, this.#repo, branch)
  }

  async setStatus(sha: string, { state, context, description, targetUrl }: CommitStatus): Promise<void> {
    const purpose = {
      doing: 'set commit statuses',
      needs: 'the permission "Commit statuses: write"',
      what: `The commit ${sha}`,
    }
    const body = { state, context, description: shortened(description), target_url: targetUrl }
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
    const made = await api.ask('POST', `${this.#repo}/pulls`, OPENING, {
      body: { head, base, title, body },
      accept: [422],
    })
    const value = made.status === 422 ? await this.#openOne(head, base) : made.value
    if (value === undefined) throw api.failure(made, OPENING)
    const pullRequest = githubPullRequest(api.host, value)
    return { pullRequest, refusedReviewers: await this.#ask(pullRequest, reviewers.slice(0, MAX_REVIEWERS)) }
  }

  async #openOne(head: string, base: string): Promise<unknown> {
    const owner = this.options.name.split('/', 1)[0]
    const query = new URLSearchParams({ state: 'open', head: `${owner}:${head}`, base, per_page: '1' })
    return listAt(
      await this.options.api.get(`${this.#repo}/pulls?${query}`, { doing: 'list pull requests', needs: PULLS }),
    )[0]
  }

  /**
   * Requests reviews, one by one if GitHub rejects the combined request. Returns the reviewers that GitHub does not
   * accept.
   */
  async #ask({ number, author }: PullRequest, reviewers: readonly string[]): Promise<string[]> {
    const requested = reviewers.filter((one) => one !== author)
    if (requested.length === 0) return reviewers.filter((one) => one === author)
    const refused: string[] = []
    const ask = async (names: readonly string[]): Promise<boolean> => {
      const body = {
        reviewers: names.filter((name) => !name.includes('/')),
        team_reviewers: names.flatMap((name) => name.split('/').slice(1)),
      }
      const path = `${this.#repo}/pulls/${number}/requested_reviewers`
      const { status } = await this.options.api.ask(
        'POST',
        path,
        { doing: 'ask for reviews', needs: PULLS },
        { body, accept: [403, 404, 422] },
      )
      return status < 300
    }
    if (!(await ask(requested)))
      for (const name of requested) if (requested.length === 1 || !(await ask([name]))) refused.push(name)
    return [...refused, ...reviewers.filter((one) => one === author)]
  }

  updatePullRequest(number: number, change: { title?: string; body?: string }): Promise<PullRequest> {
    return this.#change(number, 'change the pull request', change)
  }

  closePullRequest(number: number): Promise<PullRequest> {
    return this.#change(number, 'close the pull request', { state: 'closed' })
  }

  async comment(number: number, text: string): Promise<void> {
    const purpose = { doing: 'comment on the pull request', needs: PULLS, what: `Pull request ${number}` }
    await this.options.api.ask('POST', `${this.#repo}/issues/${number}/comments`, purpose, { body: { body: text } })
  }

  async #change(number: number, doing: string, body: object): Promise<PullRequest> {
    const purpose = { doing, needs: PULLS, what: `Pull request ${number}` }
    return githubPullRequest(
      this.options.api.host,
      (await this.options.api.ask('PATCH', `${this.#repo}/pulls/${number}`, purpose, { body })).value,
    )
  }

  async pullRequest(number: number): Promise<PullRequest> {
    const purpose = {
      doing: 'read pull requests',
      needs: 'the permission "Pull requests: read"',
      what: `Pull request ${number}`,
    }
    return githubPullRequest(
      this.options.api.host,
      await this.options.api.get(`${this.#repo}/pulls/${number}`, purpose),
    )
  }

  async openPullRequests(base: string): Promise<{ items: PullRequest[]; more: boolean }> {
    const query = new URLSearchParams({ state: 'open', base, sort: 'created', direction: 'desc', per_page: '30' })
    const { api } = this.options
    const purpose = { doing: 'list pull requests', needs: 'the permission "Pull requests: read"' }
    const { items, more } = await api.list(`${this.#repo}/pulls?${query}`, purpose, {
      size: 30,
      most: MAX_PULL_REQUESTS,
    })
    return { items: items.map((one) => githubPullRequest(api.host, one)), more }
  }

  async mergedCommits(number: number): Promise<MergedCommits | null> {
    const { mergeCommit, head } = await this.pullRequest(number)
    if (mergeCommit === null) return null
    const own = await this.#commits(`${this.#repo}/pulls/${number}/commits?`, MAX_COMMITS)
    const merged = await mergedAs(mergeCommit, own, (most) =>
      this.#commits(`${this.#repo}/commits?sha=${mergeCommit}&`, most),
    )
    // GitHub lists the oldest commits. The head is still the merged commit.
    return head.sha === null ? merged : { ...merged, from: [...new Set([...merged.from, head.sha])] }
  }

  async #commits(path: string, most: number): Promise<ReturnType<typeof githubCommit>[]> {
    const { items } = await this.options.api.list(
      `${path}per_page=50`,
      { doing: 'read commits', needs: 'the permission "Contents: read"' },
      { size: 50, most },
    )
    return items.map(githubCommit)
  }
}

const missingOf = (permissions: Readonly<Record<string, string>>): string[] =>
  Object.entries(APP_NEEDS)
    .filter(([name]) => permissions[name] !== 'write')
    .map(([, words]) => words)

/** Returns the missing scopes of a classic token. Other tokens do not report their scopes. */
function missingScopes(scopes: string | undefined): string[] {
  if (scopes === undefined || scopes.trim() === '') return []
  const given = scopes.split(',').map((one) => one.trim())
  return given.includes('repo') || given.includes('public_repo') ? [] : ['the scope "repo"']
}
