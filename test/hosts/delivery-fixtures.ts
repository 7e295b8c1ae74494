/**
 * Deliveries of the hosts: headers and payloads in their format, reduced to the fields that are read and a few
 * others.
 */
import { createHmac } from 'node:crypto'
import type { Provider } from '../../src/hosts/index.js'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const NOW = new Date('2026-05-05T12:00:00Z')

const AFTER = '6113728f27ae82c7b1a177c8d03f9e96e0adf246'
const HEAD = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821'
const hex = (body: string, secret = SECRET): string => createHmac('sha256', secret).update(body).digest('hex')

export interface Sample {
  name: string
  provider: Provider
  headers: Record<string, string>
  payload: unknown
  expected: object
}

const repository = {
  id: 186853002,
  full_name: 'Codertocat/Hello-World',
  html_url: 'https://github.com/Codertocat/Hello-World',
  git_url: 'git://github.com/Codertocat/Hello-World.git',
  ssh_url: 'git@github.com:Codertocat/Hello-World.git',
  clone_url: 'https://github.com/Codertocat/Hello-World.git',
  default_branch: 'master',
}
const urls = [repository.html_url, repository.clone_url, repository.ssh_url, repository.git_url]
const pull = { number: 2, merged: false, head: { ref: 'changes', sha: HEAD }, base: { ref: 'master', sha: AFTER } }
const pullHint = { number: 2, headSha: HEAD, headRef: 'changes', baseRef: 'master' }
const github = (event: string) => ({
  'x-github-event': event,
  'x-github-delivery': 'd-1',
  'content-type': 'application/json',
})
const gitea = (event: string) => ({ 'x-gitea-event': event, 'x-gitea-delivery': 'd-1', 'x-github-event': event })
const project = {
  web_url: 'https://gitlab.example/a/b',
  git_http_url: 'https://gitlab.example/a/b.git',
  git_ssh_url: 'git@gitlab.example:a/b.git',
}
const gitlabUrls = [project.web_url, project.git_http_url, project.git_ssh_url]
const bitbucketRepository = { full_name: 'a/b', links: { html: { href: 'https://bitbucket.org/a/b' } } }
const bitbucketUrls = ['https://bitbucket.org/a/b']
const moved = { type: 'branch', name: 'main', target: { type: 'commit', hash: AFTER } }

export const samples: readonly Sample[] = [
  {
    name: 'GitHub ping',
    provider: 'github',
    headers: github('ping'),
    payload: { zen: 'Design for failure.', hook_id: 1, repository },
    expected: { id: 'd-1', event: 'ping', repositoryUrls: urls },
  },
  {
    name: 'GitHub push',
    provider: 'github',
    headers: github('push'),
    payload: { ref: 'refs/heads/main', before: HEAD, after: AFTER, deleted: false, commits: [], repository },
    expected: { id: 'd-1', event: 'push', repositoryUrls: urls, ref: 'refs/heads/main', after: AFTER },
  },
  {
    name: 'GitHub push that deletes a tag',
    provider: 'github',
    headers: github('push'),
    payload: {
      ref: 'refs/tags/simple-tag',
      before: AFTER,
      after: '0'.repeat(40),
      deleted: true,
      head_commit: null,
      repository,
    },
    expected: { id: 'd-1', event: 'push', repositoryUrls: urls, ref: 'refs/tags/simple-tag' },
  },
  ...(['opened', 'reopened', 'synchronize', 'closed', 'labeled'] as const).map((action) => ({
    name: `GitHub pull request ${action}`,
    provider: 'github' as const,
    headers: github('pull_request'),
    payload: { action, number: 2, pull_request: pull, repository },
    expected: {
      id: 'd-1',
      event: 'pullRequest',
      repositoryUrls: urls,
      pullRequest: {
        ...pullHint,
        action: { opened: 'opened', reopened: 'opened', synchronize: 'updated', closed: 'closed', labeled: 'other' }[
          action
        ],
      },
    },
  })),
  {
    name: 'GitHub pull request merged',
    provider: 'github',
    headers: github('pull_request'),
    payload: { action: 'closed', number: 2, pull_request: { ...pull, merged: true }, repository },
    expected: { id: 'd-1', event: 'pullRequest', repositoryUrls: urls, pullRequest: { ...pullHint, action: 'merged' } },
  },
  {
    name: 'GitHub star',
    provider: 'github',
    headers: github('star'),
    payload: { action: 'created' },
    expected: { id: 'd-1', event: 'other', repositoryUrls: [] },
  },
  {
    name: 'Gitea push',
    provider: 'gitea',
    headers: gitea('push'),
    payload: { ref: 'refs/heads/main', before: HEAD, after: AFTER, repository },
    expected: { id: 'd-1', event: 'push', repositoryUrls: urls, ref: 'refs/heads/main', after: AFTER },
  },
  {
    name: 'Forgejo pull request synchronized',
    provider: 'gitea',
    headers: { 'x-forgejo-event': 'pull_request', 'x-forgejo-delivery': 'd-2', ...gitea('pull_request') },
    payload: { action: 'synchronized', number: 2, pull_request: pull, repository },
    expected: {
      id: 'd-2',
      event: 'pullRequest',
      repositoryUrls: urls,
      pullRequest: { ...pullHint, action: 'updated' },
    },
  },
  {
    name: 'GitLab push',
    provider: 'gitlab',
    headers: { 'x-gitlab-event': 'Push Hook', 'x-gitlab-event-uuid': 'u-1' },
    payload: { object_kind: 'push', ref: 'refs/heads/main', before: HEAD, after: AFTER, checkout_sha: AFTER, project },
    expected: { id: 'u-1', event: 'push', repositoryUrls: gitlabUrls, ref: 'refs/heads/main', after: AFTER },
  },
  {
    name: 'GitLab merge request merged',
    provider: 'gitlab',
    headers: { 'x-gitlab-event': 'Merge Request Hook', 'x-gitlab-event-uuid': 'u-1' },
    payload: {
      object_kind: 'merge_request',
      project,
      object_attributes: {
        iid: 7,
        action: 'merge',
        source_branch: 'changes',
        target_branch: 'main',
        last_commit: { id: HEAD },
      },
    },
    expected: {
      id: 'u-1',
      event: 'pullRequest',
      repositoryUrls: gitlabUrls,
      pullRequest: { number: 7, action: 'merged', headSha: HEAD, headRef: 'changes', baseRef: 'main' },
    },
  },
  {
    name: 'GitLab system hook',
    provider: 'gitlab',
    headers: { 'x-gitlab-event': 'System Hook' },
    payload: { object_kind: 'push', ref: 'refs/heads/main', after: AFTER, project },
    expected: { event: 'push', repositoryUrls: gitlabUrls, ref: 'refs/heads/main', after: AFTER },
  },
  {
    name: 'Bitbucket push of one branch',
    provider: 'bitbucket',
    headers: { 'x-event-key': 'repo:push', 'x-request-uuid': 'r-1' },
    payload: { repository: bitbucketRepository, push: { changes: [{ new: moved, old: null, created: true }] } },
    expected: { id: 'r-1', event: 'push', repositoryUrls: bitbucketUrls, ref: 'refs/heads/main', after: AFTER },
  },
  {
    name: 'Bitbucket push of several branches',
    provider: 'bitbucket',
    headers: { 'x-event-key': 'repo:push', 'x-request-uuid': 'r-1' },
    payload: { repository: bitbucketRepository, push: { changes: [{ new: moved }, { new: null, old: moved }] } },
    expected: { id: 'r-1', event: 'push', repositoryUrls: bitbucketUrls },
  },
  {
    name: 'Bitbucket pull request updated, its commit abbreviated',
    provider: 'bitbucket',
    headers: { 'x-event-key': 'pullrequest:updated', 'x-request-uuid': 'r-1' },
    payload: {
      repository: bitbucketRepository,
      pullrequest: {
        id: 3,
        source: { branch: { name: 'changes' }, commit: { hash: HEAD.slice(0, 12) } },
        destination: { branch: { name: 'main' } },
      },
    },
    expected: {
      id: 'r-1',
      event: 'pullRequest',
      repositoryUrls: bitbucketUrls,
      pullRequest: { number: 3, action: 'updated', headRef: 'changes', baseRef: 'main' },
    },
  },
  {
    name: 'something of a generic remote',
    provider: 'generic',
    headers: {},
    payload: { ref: 'refs/heads/main' },
    expected: { event: 'push', repositoryUrls: [], ref: 'refs/heads/main' },
  },
]

/** The signature headers of a host for a body, in its format. */
export const signed: Readonly<Record<Provider, (body: string, secret?: string) => Record<string, string>>> = {
  github: (body, secret) => ({
    'x-hub-signature-256': `sha256=${hex(body, secret)}`,
    'x-hub-signature': 'sha1=0123456789012345678901234567890123456789',
  }),
  gitlab: (_, secret = SECRET) => ({ 'x-gitlab-token': secret }),
  gitea: (body, secret) => ({
    'x-gitea-signature': hex(body, secret),
    'x-hub-signature-256': `sha256=${hex(body, secret)}`,
  }),
  bitbucket: (body, secret) => ({ 'x-hub-signature': `sha256=${hex(body, secret)}` }),
  generic: (body, secret) => ({ 'x-hub-signature-256': `sha256=${hex(body, secret)}` }),
}

/** Standard Webhooks, the format that GitLab uses for a signing token. */
export function standard(
  body: string,
  { id = 'm-1', seconds = NOW.getTime() / 1000, secret = SECRET } = {},
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,AAAA v1,${signature}` }
}
