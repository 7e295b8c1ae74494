/**
 * The client for GitLab, API version 4. Merge requests are presented as pull requests, with their number in the project
 * (`iid`).
 */
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
import { at, listAt, numberAt, textAt } from '../values.js'
import type { ClientOptions } from './client.js'
import { branchPath, MAX_PULL_REQUESTS, MAX_REVIEWERS, shortened } from './common.js'
import { gitlabCommit, gitlabMergeRequest } from './gitlab-shapes.js'
import { mergedAs, MAX_COMMITS } from './merged-commits.js'
import { defined } from '../../kernel/defined.js'

const PAGE = 50
const NEEDS = 'the scope "api" and the role Developer'
const READS = 'the scope "api" or "read_api"'
const OPENING = { doing: 'open a merge request', needs: NEEDS }
/** The minimum access level for pushing to unprotected branches. */
const DEVELOPER = 30
const STATES: Readonly<Record<StatusState, string>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'failed',
}

/** One project on GitLab. */
export class GitLab implements Host {
  readonly #project: string

  constructor(private readonly options: ClientOptions) {
    this.#project = `/projects/${encodeURIComponent(options.name)}`
  }

  async repository(): Promise<HostRepository> {
    const value = await this.options.api.get(this.#project, { doing: 'read the project', needs: READS })
    const levels = ['project_access', 'group_access'].map(
      (kind) => numberAt(value, 'permissions', kind, 'access_level') ?? 0,
    )
    return {
      fullName: textAt(value, ['path_with_namespace']) ?? this.options.name,
      defaultBranch: textAt(value, ['default_branch']) ?? null,
      canPush: at(value, 'permissions') === undefined ? null : Math.max(...levels) >= DEVELOPER,
      archived: at(value, 'archived') === true,
      missing: [],
    }
  }

  async protection(branch: string): Promise<BranchProtection> {
    branchPath(branch)
    const path = `${this.#project}/repository/branches/${encodeURIComponent(branch)}`
    const { status, value } = await this.options.api.ask(
      'GET',
      path,
      { doing: 'read the branch', needs: READS },
      { accept: [404] },
    )
    if (status === 404) return { exists: false, protected: false, canPush: null, rules: [] }
    const isProtected = at(value, 'protected') === true
    const canPush = at(value, 'can_push')
    const rules = isProtected && canPush === false ? ['Only certain roles may push; changes need a merge request.'] : []
    return { exists: true, protected: isProtected, canPush: typeof canPush === 'boolean' ? canPush : null, rules }
  }

  async setStatus(sha: string, { state, context, description, targetUrl }: CommitStatus): Promise<void> {
    const body = { state: STATES[state], name: context, description: shortened(description), target_url: targetUrl }
    const purpose = { doing: 'set commit statuses', needs: NEEDS, what: `The commit ${sha}` }
    const path = `${this.#project}/statuses/${encodeURIComponent(sha)}`
    const response = await this.options.api.ask('POST', path, purpose, { body, accept: [400] })
    // GitLab rejects a status that is already set.
    if (response.status === 400 && !JSON.stringify(response.value).includes('Cannot transition status'))
      throw this.options.api.failure(response, purpose)
  }

  async openPullRequest({
    head,
    base,
    title,
    body,
    reviewers = [],
  }: NewPullRequest): Promise<{ pullRequest: PullRequest; refusedReviewers: string[] }> {
    const { api } = this.options
    const known = new Map<string, number | undefined>()
    for (const name of reviewers.slice(0, MAX_REVIEWERS)) known.set(name, await this.#userId(name))
    const ids = [...known.values()].filter((id) => id !== undefined)
    const request = {
      source_branch: head,
      target_branch: base,
      title,
      description: body,
      ...(ids.length === 0 ? {} : { reviewer_ids: ids }),
    }
    // 409: the merge request already exists.
    const made = await api.ask('POST', `${this.#project}/merge_requests`, OPENING, { body: request, accept: [409] })
    const value = made.status === 409 ? await this.#openOne(head, base) : made.value
    if (value === undefined) throw api.failure(made, OPENING)
    // Editions without multiple reviewers accept only the first one.
    const accepted = new Set(listAt(value, 'reviewers').map((one) => numberAt(one, 'id')))
    const refusedReviewers = [...known].filter(([, id]) => id === undefined || !accepted.has(id)).map(([name]) => name)
    return { pullRequest: gitlabMergeRequest(api.host, value, this.options.name), refusedReviewers }
  }

  async #userId(name: string): Promise<number | undefined> {
    const found = await this.options.api.get(`/users?username=${encodeURIComponent(name)}`, {
      doing: 'look up people',
      needs: READS,
    })
    return numberAt(listAt(found)[0], 'id')
  }

  async #openOne(head: string, base: string): Promise<unknown> {
    const query = new URLSearchParams({ state: 'opened', source_branch: head, target_branch: base, per_page: '1' })
    return listAt(
      await this.options.api.get(`${this.#project}/merge_requests?${query}`, {
        doing: 'list merge requests',
        needs: READS,
      }),
    )[0]
  }

  updatePullRequest(number: number, { title, body }: { title?: string; body?: string }): Promise<PullRequest> {
    return this.#change(number, 'change the merge request', {
      ...defined({ title, description: body }),
    })
  }

  closePullRequest(number: number): Promise<PullRequest> {
    return this.#change(number, 'close the merge request', { state_event: 'close' })
  }

  async comment(number: number, text: string): Promise<void> {
    const purpose = { doing: 'comment on the merge request', needs: NEEDS, what: `Merge request ${number}` }
    await this.options.api.ask('POST', `${this.#project}/merge_requests/${number}/notes`, purpose, {
      body: { body: text },
    })
  }

  async #change(number: number, doing: string, body: object): Promise<PullRequest> {
    const { api, name } = this.options
    const { value } = await api.ask(
      'PUT',
      `${this.#project}/merge_requests/${number}`,
      { doing, needs: NEEDS, what: `Merge request ${number}` },
      { body },
    )
    return gitlabMergeRequest(api.host, value, name)
  }

  async pullRequest(number: number): Promise<PullRequest> {
    const { api, name } = this.options
    const purpose = { doing: 'read merge requests', needs: READS, what: `Merge request ${number}` }
    return gitlabMergeRequest(api.host, await api.get(`${this.#project}/merge_requests/${number}`, purpose), name)
  }

  async openPullRequests(base: string): Promise<{ items: PullRequest[]; more: boolean }> {
    const query = new URLSearchParams({
      state: 'opened',
      target_branch: base,
      order_by: 'created_at',
      sort: 'desc',
      per_page: String(PAGE),
    })
    const { api, name } = this.options
    const purpose = { doing: 'list merge requests', needs: READS }
    const { items, more } = await api.list(`${this.#project}/merge_requests?${query}`, purpose, {
      size: PAGE,
      most: MAX_PULL_REQUESTS,
    })
    return { items: items.map((one) => gitlabMergeRequest(api.host, one, name)), more }
  }

  async mergedCommits(number: number): Promise<MergedCommits | null> {
    const { mergeCommit } = await this.pullRequest(number)
    if (mergeCommit === null) return null
    const own = (await this.#commits(`${this.#project}/merge_requests/${number}/commits?`, MAX_COMMITS)).reverse()
    return mergedAs(mergeCommit, own, (most) =>
      this.#commits(`${this.#project}/repository/commits?ref_name=${mergeCommit}&`, most),
    )
  }

  async #commits(path: string, most: number): Promise<ReturnType<typeof gitlabCommit>[]> {
    const { items } = await this.options.api.list(
      `${path}per_page=${PAGE}`,
      { doing: 'read commits', needs: READS },
      { size: PAGE, most },
    )
    return items.map(gitlabCommit)
  }
}
