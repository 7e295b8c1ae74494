/** A stand-in for the API of Gitea and Forgejo. */
import { type HostResponse, type HostServer, pageOf, type Route, schemeToken, startHost } from './host-server.js'
import type { FakeCommit, FakePull, FakeRepository } from './repository.js'

const message = (status: number, text: string): HostResponse => ({
  status,
  body: { message: text, url: 'http://gitea.example/api/swagger' },
})

const pullShape = (repository: FakeRepository, url: string, one: FakePull): object => ({
  number: one.number,
  html_url: `${url}/${repository.name}/pulls/${one.number}`,
  title: one.title,
  body: one.body,
  state: one.state === 'open' ? 'open' : 'closed',
  merged: one.state === 'merged',
  merged_at: one.mergedAt,
  merge_commit_sha: repository.mergedTo(one),
  merged_by: one.state === 'merged' ? { login: 'ben' } : null,
  user: { login: one.author },
  // The head of the branch, even if it has moved since the merge.
  head: {
    ref: one.head,
    sha: repository.branches.get(one.head)?.sha ?? one.commits.at(-1)?.sha,
    repo: { full_name: one.fork ?? repository.name },
  },
  base: { ref: one.base },
})

const commitShape = ({ sha, parents, message: text, author, date }: FakeCommit): object => ({
  sha,
  parents: parents.map((one) => ({ sha: one })),
  commit: { message: text, author: { email: author.split('<')[1]?.slice(0, -1), date } },
})

function routesOf(here: HostServer): Route[] {
  const { repository } = here
  const at = (method: string, rest: string, scope: string, answer: Route['answer']): Route => ({
    method,
    pattern: new RegExp(`^/repos/${repository.name}${rest}$`),
    scope,
    answer,
  })
  const shape = (one: FakePull): object => pullShape(repository, here.url, one)
  const withPull = (number: string | undefined, answer: (one: FakePull) => HostResponse): HostResponse => {
    const one = repository.pulls[Number(number) - 1]
    return one ? answer(one) : message(404, "The target couldn't be found.")
  }
  return [
    at('GET', '', 'read:repository', () => ({
      status: 200,
      body: {
        full_name: repository.name,
        default_branch: repository.defaultBranch,
        empty: false,
        archived: repository.archived,
        permissions: { push: repository.canPush },
      },
    })),
    at('GET', '/branches/(.+)', 'read:repository', ([name = '']) => {
      const branch = repository.branches.get(name)
      const body = {
        name,
        protected: branch?.protected === true,
        user_can_push: branch?.canPush ?? true,
        required_approvals: branch?.protected ? 1 : 0,
        enable_status_check: false,
      }
      return branch ? { status: 200, body } : message(404, 'branch does not exist')
    }),
    at('POST', '/statuses/(\\w+)', 'write:repository', ([sha = ''], { body }) => {
      if (!repository.commits.find(sha)) return message(404, 'sha not found')
      repository.statuses.push({
        sha,
        state: String(body.state),
        context: String(body.context),
        description: String(body.description),
        url: String(body.target_url),
      })
      return { status: 201, body: {} }
    }),
    at('GET', '/pulls', 'read:repository', (_, { query }) => {
      const open = repository.pulls.filter((one) => one.state === 'open').reverse()
      return { status: 200, body: pageOf(open, query, 'limit').map(shape) }
    }),
    at('POST', '/pulls', 'write:repository', (_, { body }) => {
      const { head, base, title, body: text } = body as Record<'head' | 'base' | 'title' | 'body', string>
      if (!repository.branches.has(head)) return message(404, 'could not find branch')
      if (repository.findOpen(head, base)) return message(409, 'pull request already exists for these targets')
      return { status: 201, body: shape(repository.open({ head, base, title, body: text })) }
    }),
    at('GET', '/pulls/(\\d+)', 'read:repository', ([number]) =>
      withPull(number, (one) => ({ status: 200, body: shape(one) })),
    ),
    at('PATCH', '/pulls/(\\d+)', 'write:repository', ([number], { body }) =>
      withPull(number, (one) => {
        Object.assign(one, body)
        return { status: 201, body: shape(one) }
      }),
    ),
    at('POST', '/pulls/(\\d+)/requested_reviewers', 'write:repository', ([number], { body }) =>
      withPull(number, (one) => {
        const names = body.reviewers as string[]
        if (!names.every((name) => repository.people.includes(name))) return message(404, 'user does not exist')
        one.reviewers.push(...names)
        return { status: 201, body: [] }
      }),
    ),
    at('POST', '/issues/(\\d+)/comments', 'write:issue', ([number], { body }) =>
      withPull(number, (one) => {
        one.comments.push(String(body.body))
        return { status: 201, body: {} }
      }),
    ),
    at('GET', '/pulls/(\\d+)/commits', 'read:repository', ([number], { query }) =>
      withPull(number, (one) => ({
        status: 200,
        body: pageOf([...repository.commitsOf(one)].reverse(), query, 'limit').map(commitShape),
      })),
    ),
    at('GET', '/commits', 'read:repository', (_, { query }) => ({
      status: 200,
      body: pageOf(repository.commits.log(query.get('sha') ?? '', 1000), query, 'limit').map(commitShape),
    })),
  ]
}

/** Starts a stand-in below a path of its server. */
export const startGitea = (): Promise<HostServer> =>
  startHost((here) => ({
    root: '/gitea/api/v1',
    routes: routesOf(here),
    tokenOf: (request) => schemeToken(request, 'token', 'Basic'),
    unauthorized: message(401, 'user does not exist [uid: 0, name: ]'),
    forbidden: message(403, 'token does not have at least one of required scope(s)'),
    notFound: message(404, "The target couldn't be found."),
    limited: () => ({ status: 429, body: { message: 'Too Many Requests' }, headers: { 'retry-after': '30' } }),
  }))
