/** A stand-in for the REST API of Bitbucket Cloud, which abbreviates commits. */
import { type HostResponse, type HostServer, pageOf, type Route, schemeToken, startHost } from './host-server.js'
import type { FakeCommit, FakePull, FakeRepository } from './repository.js'

const failure = (status: number, text: string): HostResponse => ({
  status,
  body: { type: 'error', error: { message: text } },
})
const STATES = { open: 'OPEN', closed: 'DECLINED', merged: 'MERGED' } as const

const short = (sha: string | null | undefined): { hash: string } | null => (sha ? { hash: sha.slice(0, 12) } : null)

const pullShape = (repository: FakeRepository, url: string, one: FakePull): object => ({
  id: one.number,
  links: { html: { href: `${url}/${repository.name}/pull-requests/${one.number}` } },
  title: one.title,
  description: one.body,
  state: STATES[one.state],
  reason: one.reason,
  author: { display_name: one.author },
  closed_by: one.state === 'open' ? null : { display_name: 'ben' },
  updated_on: '2026-05-02T10:00:00+00:00',
  source: {
    branch: { name: one.head },
    commit: short(one.commits.at(-1)?.sha ?? repository.branches.get(one.head)?.sha),
    repository: { full_name: one.fork ?? repository.name },
  },
  destination: { branch: { name: one.base } },
  merge_commit: short(repository.mergedTo(one)),
})

const commitShape = ({ sha, parents, message, author, date }: FakeCommit): object => ({
  hash: sha,
  parents: parents.map((hash) => ({ hash })),
  message,
  author: { raw: author },
  date,
})

/** The values with which a query compares names. */
const wanted = (q: string, field: string): string | undefined =>
  new RegExp(`${field.replaceAll('.', '\\.')} = "([^"]*)"`).exec(q)?.[1]

function routesOf(here: HostServer): Route[] {
  const { repository } = here
  const at = (method: string, rest: string, scope: string, answer: Route['answer']): Route => ({
    method,
    pattern: new RegExp(`^/repositories/${repository.name}${rest}$`),
    scope,
    answer,
  })
  const shape = (one: FakePull): object => pullShape(repository, here.url, one)
  const withPull = (number: string | undefined, answer: (one: FakePull) => HostResponse): HostResponse => {
    const one = repository.pulls[Number(number) - 1]
    return one ? answer(one) : failure(404, 'Pull request not found')
  }
  return [
    at('GET', '', 'repository', () => ({
      status: 200,
      body: { full_name: repository.name, mainbranch: { name: repository.defaultBranch } },
    })),
    at('GET', '/refs/branches/(.+)', 'repository', ([name = '']) =>
      repository.branches.has(name) ? { status: 200, body: { name } } : failure(404, 'No such branch'),
    ),
    at('GET', '/branch-restrictions', 'repository:admin', (_, { query }) => ({
      status: 200,
      body: { values: repository.branches.get(query.get('pattern') ?? '')?.protected ? [{ kind: 'push' }] : [] },
    })),
    at('POST', '/commit/(\\w+)/statuses/build', 'repository:write', ([sha = ''], { body }) => {
      if (!repository.commits.find(sha)) return failure(404, 'Commit not found')
      if (String(body.key).length > 40) return failure(400, 'key: Ensure this value has at most 40 characters')
      repository.statuses.push({
        sha,
        state: String(body.state),
        context: String(body.key),
        description: String(body.description),
        url: String(body.url),
      })
      return { status: 201, body: {} }
    }),
    at('GET', '/pullrequests', 'pullrequest', (_, { query }) => {
      const q = query.get('q') ?? ''
      const head = wanted(q, 'source.branch.name')
      const base = wanted(q, 'destination.branch.name')
      const fits = (one: FakePull): boolean =>
        one.state === 'open' && one.head === (head ?? one.head) && one.base === (base ?? one.base)
      return {
        status: 200,
        body: { values: pageOf(repository.pulls.filter(fits).reverse(), query, 'pagelen').map(shape) },
      }
    }),
    at('POST', '/pullrequests', 'pullrequest:write', (_, { body }) => {
      const head = (body.source as { branch: { name: string } }).branch.name
      const base = (body.destination as { branch: { name: string } }).branch.name
      if (!repository.branches.has(head)) return failure(400, 'source: branch not found')
      const accounts = ((body.reviewers as { account_id?: string }[] | undefined) ?? []).map(
        (one) => one.account_id ?? '',
      )
      if (!accounts.every((one) => repository.people.includes(one)))
        return failure(400, 'reviewers: Malformed reviewers list')
      return {
        status: 201,
        body: shape(
          repository.open({
            head,
            base,
            title: String(body.title),
            body: String(body.description),
            reviewers: accounts,
          }),
        ),
      }
    }),
    at('GET', '/pullrequests/(\\d+)', 'pullrequest', ([number]) =>
      withPull(number, (one) => ({ status: 200, body: shape(one) })),
    ),
    at('PUT', '/pullrequests/(\\d+)', 'pullrequest:write', ([number], { body }) =>
      withPull(number, (one) => {
        if (body.title !== undefined) one.title = String(body.title)
        if (body.description !== undefined) one.body = String(body.description)
        return { status: 200, body: shape(one) }
      }),
    ),
    at('POST', '/pullrequests/(\\d+)/decline', 'pullrequest:write', ([number]) =>
      withPull(number, (one) => {
        one.state = 'closed'
        return { status: 200, body: shape(one) }
      }),
    ),
    at('POST', '/pullrequests/(\\d+)/comments', 'pullrequest:write', ([number], { body }) =>
      withPull(number, (one) => {
        one.comments.push(String((body.content as { raw?: unknown }).raw))
        return { status: 201, body: {} }
      }),
    ),
    at('GET', '/pullrequests/(\\d+)/commits', 'pullrequest', ([number], { query }) =>
      withPull(number, (one) => ({
        status: 200,
        body: { values: pageOf([...repository.commitsOf(one)].reverse(), query, 'pagelen').map(commitShape) },
      })),
    ),
    at('GET', '/commits/(\\w+)', 'repository', ([sha = ''], { query }) => ({
      status: 200,
      body: { values: pageOf(repository.commits.log(sha, 1000), query, 'pagelen').map(commitShape) },
    })),
    at('GET', '/commit/(\\w+)', 'repository', ([sha = '']) => {
      const found = repository.commits.find(sha)
      return found ? { status: 200, body: commitShape(found) } : failure(404, 'Commit not found')
    }),
  ]
}

/** Starts one. */
export const startBitbucket = (): Promise<HostServer> =>
  startHost((here) => ({
    root: '/2.0',
    routes: routesOf(here),
    tokenOf: (request) => schemeToken(request, 'Bearer', 'Basic'),
    headers: (scopes) => (scopes.includes('*') ? {} : { 'x-oauth-scopes': scopes.join(', ') }),
    unauthorized: failure(401, 'Token is invalid, expired, or not supported for this endpoint.'),
    forbidden: failure(403, 'Your credentials lack one or more required privilege scopes.'),
    notFound: failure(404, 'You may not have access to this repository or it no longer exists in this workspace.'),
    limited: () => ({
      status: 429,
      body: { type: 'error', error: { message: 'Rate limit for this resource has been exceeded' } },
    }),
  }))
