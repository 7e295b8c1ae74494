/** Parses pull requests and commits in the format of GitHub, which Gitea and Forgejo also use. */
import type { PullRequest } from '../types.js'
import { at, commitAt, listAt, numberAt, textAt } from '../values.js'
import { unexpectedResponse, webUrl } from './common.js'
import type { HostCommit } from './merged-commits.js'

const MAX_TITLE = 1000
const MAX_BODY = 70_000

/** Parses a pull request. Throws `HostError` (`unavailable`) if the value is not a pull request. */
export function githubPullRequest(host: string, value: unknown): PullRequest {
  const number = numberAt(value, 'number')
  const base = textAt(value, ['base', 'ref'])
  if (number === undefined || base === undefined) throw unexpectedResponse(host, 'a pull request')
  // GitHub's lists contain `merged_at` but not `merged`.
  const merged = at(value, 'merged') === true || textAt(value, ['merged_at']) !== undefined
  const open = textAt(value, ['state']) === 'open'
  return {
    number,
    url: webUrl(textAt(value, ['html_url'])),
    title: textAt(value, ['title'], MAX_TITLE) ?? '',
    body: textAt(value, ['body'], MAX_BODY) ?? '',
    state: merged ? 'merged' : open ? 'open' : 'closed',
    draft: at(value, 'draft') === true,
    author: textAt(value, ['user', 'login']) ?? null,
    head: {
      ref: textAt(value, ['head', 'ref']) ?? '',
      sha: commitAt(value, 'head', 'sha') ?? null,
      repository: textAt(value, ['head', 'repo', 'full_name']) ?? null,
    },
    base: { ref: base },
    // Before a merge, this is a test commit that GitHub created.
    mergeCommit: merged ? (commitAt(value, 'merge_commit_sha') ?? null) : null,
    mergedAt: textAt(value, ['merged_at']) ?? null,
    mergedBy: textAt(value, ['merged_by', 'login']) ?? null,
    reason: null,
  }
}

/** Parses a commit of a list. */
export const githubCommit = (value: unknown): HostCommit => ({
  sha: commitAt(value, 'sha') ?? '',
  parents: listAt(value, 'parents').length,
  message: textAt(value, ['commit', 'message'], MAX_BODY) ?? '',
  author: textAt(value, ['commit', 'author', 'email']) ?? '',
  date: textAt(value, ['commit', 'author', 'date']) ?? '',
})
