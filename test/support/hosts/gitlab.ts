/** A stand-in for GitLab's REST API. */
import { type HostResponse, type HostServer, pageOf, type Route, schemeToken, startHost } from './host-server.js'
import type { FakeCommit, FakePull, FakeRepository } from './repository.js'

const message = (status: number, text: string): HostResponse => ({ status, body: { message: text } })
const STATES = { open: 'opened', closed: 'closed', merged: 'merged' } as const

const requestShape = (repository: FakeRepository, url: string, one: FakePull): object => ({
  iid: one.number,
  id: 1000 + one.number,
  web_url: `${url}/${repository.name}/-/merge_requests/${one.number}`,
  title: one.title,
  description: one.body,
  state: STATES[one.state],
  merged_at: one.mergedAt,
  merge_commit_sha: one.merge,
  squash_commit_sha: one.state === 'merged' ? one.squash : null,
  sha: one.commits.at(-1)?.sha ?? repository.branches.get(one.head)?.sha,
  merge_user: one.state === 'merged' ? { username: 'ben' } : null,
  draft: false,
  author: { username: one.author },
  source_branch: one.head,
  target_branch: one.base,
  source_project_id: one.fork === null ? 1 : 2,
  target_project_id: 1,
  reviewers: one.reviewers.map((name) => ({ id: repository.people.indexOf(name) + 1, username: name })),
})

const commitShape = ({ sha, parents, message: text, author, date }: FakeCommit): object => ({
  id: sha,
  parent_ids: parents,
  message: text,
  author_email: author.split('<')[1]?.slice(0, -1),
  authored_date: date,
})

function routesOf(here: HostServer): Route[] {
  const { repository } = here
  const at = (method: string, rest: string, scope: string, answer: Route['answer']): Route => ({
    method,
    pattern: new RegExp(`^/projects/${encodeURIComponent(repository.name)}${rest}$`),
    scope,
    answer,
  })
  const shape = (one: FakePull): object => requestShape(repository, here.url, one)
  const withPull = (number: string | undefined, answer: (one: FakePull) => HostResponse): HostResponse => {
    const one = repository.pulls[Number(number) - 1]
    return one ? answer(one) : message(404, '404 Not found')
  }
  return [
    {
      method: 'GET',
      pattern: /^\/users$/,
      scope: 'read_api',
      answer: (_, { query }) => {
        const name = query.get('username') ?? ''
        return {
          status: 200,
          body: repository.people.includes(name) ? [{ id: repository.people.indexOf(name) + 1, username: name }] : [],
        }
      },
    },
    at('GET', '', 'read_api', () => ({
      status: 200,
      body: {
        path_with_namespace: repository.name,
        default_branch: repository.defaultBranch,
        archived: repository.archived,
        permissions: { project_access: { access_level: repository.canPush ? 40 : 20 }, group_access: null },
      },
    })),
    at('GET', '/repository/branches/([^/]+)', 'read_api', ([name = '']) => {
      const branch = repository.branches.get(name)
      return branch
        ? { status: 200, body: { name, protected: branch.protected === true, can_push: branch.canPush ?? true } }
        : message(404, '404 Branch Not Found')
    }),
    at('POST', '/statuses/(\\w+)', 'api', ([sha = ''], { body }) => {
      if (!repository.commits.find(sha)) return message(404, '404 Commit Not Found')
      const context = String(body.name)
      const state = String(body.state)
      if (
        repository.statuses.some(
          (one) => one.sha === sha && one.context === context && one.state === state && state === 'pending',
        )
      )
        return message(
          400,
          'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")',
        )
      repository.statuses.push({
        sha,
        state,
        context,
        description: String(body.description),
        url: String(body.target_url),
      })
      return { status: 201, body: {} }
    }),
    at('GET', '/merge_requests', 'read_api', (_, { query }) => {
      const fits = (one: FakePull): boolean =>
        one.state === 'open' &&
        one.base === (query.get('target_branch') ?? one.base) &&
        one.head === (query.get('source_branch') ?? one.head)
      return { status: 200, body: pageOf(repository.pulls.filter(fits).reverse(), query, 'per_page').map(shape) }
    }),
    at('POST', '/merge_requests', 'api', (_, { body }) => {
      const { source_branch: head, target_branch: base, title, description } = body as Record<string, string>
      if (!repository.branches.has(head ?? '')) return message(400, 'source_branch does not exist')
      if (repository.findOpen(head ?? '', base ?? ''))
        return {
          status: 409,
          body: { message: ['Another open merge request already exists for this source branch: !1'] },
        }
      const reviewers = ((body.reviewer_ids as number[] | undefined) ?? []).map((id) => repository.people[id - 1] ?? '')
      return {
        status: 201,
        body: shape(
          repository.open({
            head: head ?? '',
            base: base ?? '',
            title: title ?? '',
            body: description ?? '',
            reviewers,
          }),
        ),
      }
    }),
    at('GET', '/merge_requests/(\\d+)', 'read_api', ([number]) =>
      withPull(number, (one) => ({ status: 200, body: shape(one) })),
    ),
    at('PUT', '/merge_requests/(\\d+)', 'api', ([number], { body }) =>
      withPull(number, (one) => {
        if (body.title !== undefined) one.title = String(body.title)
        if (body.description !== undefined) one.body = String(body.description)
        if (body.state_event === 'close') one.state = 'closed'
        return { status: 200, body: shape(one) }
      }),
    ),
    at('POST', '/merge_requests/(\\d+)/notes', 'api', ([number], { body }) =>
      withPull(number, (one) => {
        one.comments.push(String(body.body))
        return { status: 201, body: {} }
      }),
    ),
    at('GET', '/merge_requests/(\\d+)/commits', 'read_api', ([number], { query }) =>
      withPull(number, (one) => ({
        status: 200,
        body: pageOf([...repository.commitsOf(one)].reverse(), query, 'per_page').map(commitShape),
      })),
    ),
    at('GET', '/repository/commits', 'read_api', (_, { query }) => ({
      status: 200,
      body: pageOf(repository.commits.log(query.get('ref_name') ?? '', 1000), query, 'per_page').map(commitShape),
    })),
  ]
}

/** Starts one. */
export const startGitLab = (name = 'acme/tools/docs'): Promise<HostServer> =>
  startHost(
    (here) => ({
      root: '/api/v4',
      routes: routesOf(here),
      tokenOf: (request) => schemeToken(request, 'Bearer'),
      unauthorized: message(401, '401 Unauthorized'),
      forbidden: {
        status: 403,
        body: {
          error: 'insufficient_scope',
          error_description: 'The request requires higher privileges than provided by the access token.',
        },
      },
      notFound: message(404, '404 Project Not Found'),
      limited: (resetAt) => ({
        status: 429,
        body: 'Retry later',
        headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': String(Math.ceil(resetAt / 1000)) },
      }),
    }),
    name,
  )
