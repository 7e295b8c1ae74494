/** Parses merge requests and commits in the format of GitLab. */
import type { PullRequest } from '../types.js'
import { at, commitAt, listAt, numberAt, textAt } from '../values.js'
import { unexpectedResponse, webUrl } from './common.js'
import type { HostCommit } from './merged-commits.js'

const MAX_TITLE = 1000
const MAX_BODY = 70_000

/** Parses a merge request. Throws `HostError` (`unavailable`) if the value is not a merge request. */
export function gitlabMergeRequest(host: string, value: unknown, project: string): PullRequest {
  const number = numberAt(value, 'iid')
  const base = textAt(value, ['target_branch'])
  if (number === undefined || base === undefined) throw unexpectedResponse(host, 'a merge request')
  const state = textAt(value, ['state'])
  const head = commitAt(value, 'sha') ?? null
  const own = numberAt(value, 'source_project_id') === numberAt(value, 'target_project_id')
  return {
    number,
    url: webUrl(textAt(value, ['web_url'])),
    title: textAt(value, ['title'], MAX_TITLE) ?? '',
    body: textAt(value, ['description'], MAX_BODY) ?? '',
    state: state === 'merged' ? 'merged' : state === 'opened' || state === 'locked' ? 'open' : 'closed',
    draft: at(value, 'draft') === true,
    author: textAt(value, ['author', 'username']) ?? null,
    head: { ref: textAt(value, ['source_branch']) ?? '', sha: head, repository: own ? project : null },
    base: { ref: base },
    // Without a merge commit, use the squashed commit. Without that, the branch was fast-forwarded to the head.
    mergeCommit:
      state === 'merged' ? (commitAt(value, 'merge_commit_sha') ?? commitAt(value, 'squash_commit_sha') ?? head) : null,
    mergedAt: textAt(value, ['merged_at']) ?? null,
    mergedBy: textAt(value, ['merge_user', 'username']) ?? textAt(value, ['merged_by', 'username']) ?? null,
    reason: null,
  }
}

/** Parses a commit of a list. */
export const gitlabCommit = (value: unknown): HostCommit => ({
  sha: commitAt(value, 'id') ?? '',
  parents: listAt(value, 'parent_ids').length,
  message: textAt(value, ['message'], MAX_BODY) ?? '',
  author: textAt(value, ['author_email']) ?? '',
  date: textAt(value, ['authored_date']) ?? '',
})
