/**
 * The client for Bitbucket Cloud, API version 2.0. Pull requests contain abbreviated commits, so the full IDs are
 * looked up.
 */
import { type CommitId, isOid } from '../../kernel/ids.js'
import type {
  BranchProtection,
  CommitStatus,
  Host,
  HostRepository,
  MergedCommits,
  NewPullRequest,
  PullRequest,
  StatusState,
} from '../types.js'
import { at, commitAt, listAt, numberAt, textAt } from '../values.js'
import type { ClientOptions } from './client.js'
import { branchPath, MAX_PULL_REQUESTS, MAX_REVIEWERS, shortened, unexpectedResponse, webUrl } from './common.js'
import { type HostCommit, mergedAs, MAX_COMMITS } from './merged-commits.js'
import { defined } from '../../kernel/defined.js'

const PAGE = 50
const PULLS = 'the scope "pullrequest:write"'
const READS = 'the scope "repository"'
const OPENING = { doing: 'open a pull request', needs: PULLS }
const STATES: Readonly<Record<StatusState, string>> = {
  pending: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  error: 'STOPPED',
}
const MAX_KEY = 40
const NEEDED = { 'repository:write': 'the scope "repository:write"', 'pullrequest:write': PULLS }
/** Matches the ID of a user: an account ID, or a UUID in braces. */
const ACCOUNT = /^(?:\{[0-9a-f-]{36}\}|[\w:-]{6,128})$/i

/** One repository on Bitbucket. */
export class Bitbucket implements Host {
  readonly #repo: string

  constructor(private readonly options: ClientOptions) {
    this.#repo = `/repositories/${options.name}`
  }

  async repository(): Promise<HostRepository> {
    const { value, headers } = await this.options.api.ask('GET', this.#repo, {
      doing: 'read the repository',
      needs: READS,
    })
    const scopes = headers['x-oauth-scopes']?.split(',').map((one) => one.trim())
    const has = (scope: string): boolean =>
      scopes?.some((one) => one === scope || one === scope.replace(/:write$/, ':admin')) ?? true
    const missing = Object.entries(NEEDED)
      .filter(([scope]) => !has(scope))
      .map(([, words]) => words)
    return {
      fullName: textAt(value, ['full_name']) ?? this.options.name,
      defaultBranch: textAt(value, ['mainbranch', 'name']) ?? null,
      canPush: scopes === undefined || has('repository:write') ? null : false,
      archived: false,
      missing,
    }
  }

  async protection(branch: string): Promise<BranchProtection> {
    const { api } = this.options
    const found = await api.ask(
      'GET',
      `${this.#repo}/refs/branches/${branchPath(branch)}`,
      { doing: 'read the branch', needs: READS },
      { accept: [404] },
    )
    const query = new URLSearchParams({ kind: 'push', pattern: branch, pagelen: '1' })
    // Only admins may read restrictions.
    const restricted = await api.ask(
      'GET',
      `${this.#repo}/branch-restrictions?${query}`,
      { doing: 'read restrictions' },
      { accept: [403, 404] },
    )
    const isProtected = restricted.status === 200 && listAt(restricted.value, 'values').length > 0
    const rules = isProtected ? ['Only certain people and groups may push.'] : []
    return { exists: found.status === 200, protected: isProtected, canPush: null, rules }
  }

  async setStatus(sha: string, { state, context, description, targetUrl }: CommitStatus): Promise<void> {
    const body = {
      key: context.slice(0, MAX_KEY),
      name: context,
      state: STATES[state],
      description: shortened(description),
      url: targetUrl,
    }
    const purpose = { doing: 'set commit statuses', needs: 'the scope "repository:write"', what: `The commit ${sha}` }
    await this.options.api.ask('POST', `${this.#repo}/commit/${encodeURIComponent(sha)}/statuses/build`, purpose, {
      body,
    })
  }

  async openPullRequest({
    head,
    base,
    title,
    body,
    reviewers = [],
  }: NewPullRequest): Promise<{ pullRequest: PullRequest; refusedReviewers: string[] }> {
    const existing = await this.#openOne(head, base)
    if (existing !== undefined) return { pullRequest: await this.#read(existing), refusedReviewers: [] }
    const requested = reviewers.slice(0, MAX_REVIEWERS)
    const known = requested.filter((one) => ACCOUNT.test(one))
    const request = {
      title,
      description: body,
      source: { branch: { name: head } },
      destination: { branch: { name: base } },
    }
    const accounts = known.map((one) => (one.startsWith('{') ? { uuid: one } : { account_id: one }))
    const path = `${this.#repo}/pullrequests`
    const ask = (all: object, accept: number[]) => this.options.api.ask('POST', path, OPENING, { body: all, accept })
    const first = await ask({ ...request, reviewers: accounts }, accounts.length > 0 ? [400] : [])
    // If Bitbucket rejects one reviewer, it rejects the whole request.
    const made = first.status === 400 ? await ask(request, []) : first
    const accepted = first.status === 400 ? [] : known
    return {
      pullRequest: await this.#read(made.value),
      refusedReviewers: requested.filter((one) => !accepted.includes(one)),
    }
  }

  async #openOne(head: string, base: string): Promise<unknown> {
    const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
    const q = `state = "OPEN" AND source.branch.name = ${quoted(head)} AND destination.branch.name = ${quoted(base)}`
    const found = await this.options.api.get(`${this.#repo}/pullrequests?${new URLSearchParams({ q, pagelen: '1' })}`, {
      doing: 'list pull requests',
      needs: PULLS,
    })
    return listAt(found, 'values')[0]
  }

  async updatePullRequest(number: number, { title, body }: { title?: string; body?: string }): Promise<PullRequest> {
    const change = { ...defined({ title, description: body }) }
    const purpose = { doing: 'change the pull request', needs: PULLS, what: `Pull request ${number}` }
    return this.#read(
      (await this.options.api.ask('PUT', `${this.#repo}/pullrequests/${number}`, purpose, { body: change })).value,
    )
  }

  async closePullRequest(number: number): Promise<PullRequest> {
    const purpose = { doing: 'decline the pull request', needs: PULLS, what: `Pull request ${number}` }
    return this.#read(
      (await this.options.api.ask('POST', `${this.#repo}/pullrequests/${number}/decline`, purpose)).value,
    )
  }

  async comment(number: number, text: string): Promise<void> {
    const purpose = { doing: 'comment on the pull request', needs: PULLS, what: `Pull request ${number}` }
    await this.options.api.ask('POST', `${this.#repo}/pullrequests/${number}/comments`, purpose, {
      body: { content: { raw: text } },
    })
  }

  async pullRequest(number: number): Promise<PullRequest> {
    const purpose = { doing: 'read pull requests', needs: 'the scope "pullrequest"', what: `Pull request ${number}` }
    return this.#read(await this.options.api.get(`${this.#repo}/pullrequests/${number}`, purpose))
  }

  async openPullRequests(base: string): Promise<{ items: PullRequest[]; more: boolean }> {
    const q = `state = "OPEN" AND destination.branch.name = "${base.replaceAll(/["\\]/g, '\\$&')}"`
    const query = new URLSearchParams({ q, sort: '-created_on', pagelen: '30' })
    const limits = { size: 30, most: MAX_PULL_REQUESTS, member: 'values' }
    const { items, more } = await this.options.api.list(
      `${this.#repo}/pullrequests?${query}`,
      { doing: 'list pull requests', needs: PULLS },
      limits,
    )
    return { items: items.map((one) => this.#shape(one)), more }
  }

  async mergedCommits(number: number): Promise<MergedCommits | null> {
    const { mergeCommit } = await this.pullRequest(number)
    if (mergeCommit === null) return null
    const own = (await this.#commits(`${this.#repo}/pullrequests/${number}/commits?`, MAX_COMMITS)).reverse()
    return mergedAs(mergeCommit, own, (most) => this.#commits(`${this.#repo}/commits/${mergeCommit}?`, most))
  }

  async #commits(path: string, most: number): Promise<HostCommit[]> {
    const limits = { size: PAGE, most, member: 'values' }
    const { items } = await this.options.api.list(
      `${path}pagelen=${PAGE}`,
      { doing: 'read commits', needs: READS },
      limits,
    )
    return items.map((value) => ({
      sha: commitAt(value, 'hash') ?? '',
      parents: listAt(value, 'parents').length,
      message: textAt(value, ['message'], 70_000) ?? '',
      author: textAt(value, ['author', 'raw']) ?? '',
      // Bitbucket returns only the committer date, which a rebase changes.
      date: '',
    }))
  }

  /** Parses a pull request, with full commit IDs. */
  async #read(value: unknown): Promise<PullRequest> {
    const shape = this.#shape(value)
    const sha = await this.#whole(textAt(value, ['source', 'commit', 'hash']))
    const merge = shape.state === 'merged' ? await this.#whole(textAt(value, ['merge_commit', 'hash'])) : null
    return { ...shape, head: { ...shape.head, sha }, mergeCommit: merge }
  }

  async #whole(hash: string | undefined): Promise<CommitId | null> {
    if (hash === undefined || !/^[0-9a-f]{7,40}$/.test(hash)) return null
    if (isOid(hash)) return hash
    const { status, value } = await this.options.api.ask(
      'GET',
      `${this.#repo}/commit/${hash}`,
      { doing: 'read commits', needs: READS },
      { accept: [404] },
    )
    return status === 404 ? null : (commitAt(value, 'hash') ?? null)
  }

  #shape(value: unknown): PullRequest {
    const number = numberAt(value, 'id')
    const base = textAt(value, ['destination', 'branch', 'name'])
    if (number === undefined || base === undefined) throw unexpectedResponse(this.options.api.host, 'a pull request')
    const state = textAt(value, ['state'])
    return {
      number,
      url: webUrl(textAt(value, ['links', 'html', 'href'])),
      title: textAt(value, ['title'], 1000) ?? '',
      body: textAt(value, ['description'], 70_000) ?? '',
      state: state === 'OPEN' ? 'open' : state === 'MERGED' ? 'merged' : 'closed',
      draft: at(value, 'draft') === true,
      author: textAt(value, ['author', 'display_name']) ?? null,
      head: {
        ref: textAt(value, ['source', 'branch', 'name']) ?? '',
        sha: null,
        repository: textAt(value, ['source', 'repository', 'full_name']) ?? null,
      },
      base: { ref: base },
      mergeCommit: null,
      mergedAt: state === 'MERGED' ? (textAt(value, ['updated_on']) ?? null) : null,
      mergedBy: state === 'MERGED' ? (textAt(value, ['closed_by', 'display_name']) ?? null) : null,
      reason: textAt(value, ['reason']) ?? null,
    }
  }
}
