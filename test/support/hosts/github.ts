/** A stand-in for GitHub's REST API: tokens with permissions, apps with verified JWTs, two kinds of rate limits. */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import {
  type Dialect,
  type HostResponse,
  type HostServer,
  pageOf,
  type Route,
  type Scopes,
  schemeToken,
  startHost,
} from './host-server.js'
import type { FakeCommit, FakePull, FakeRepository } from './repository.js'

/** An app and the permissions of its installation. */
export interface FakeApp {
  id: string
  installation: string
  /** PKCS#1, as GitHub creates it. */
  privateKey: string
  permissions: Record<string, string>
  /** Tokens that were created so far. */
  made: string[]
  /** The lifetime of a token. */
  lastsMs: number
  now: () => Date
}

export interface GitHubServer extends HostServer {
  app: FakeApp
  /** Types of rules that apply to every branch. */
  rules: string[]
  /** Classic protection, for admins. */
  classic: Record<string, unknown> | null
}

const message = (status: number, text: string, headers: Record<string, string> = {}): HostResponse => ({
  status,
  body: { message: text },
  headers,
})

/** The app's JWT, verified as GitHub does: RS256, issuer, at most ten minutes. */
function isAppToken(token: string, app: FakeApp, key: KeyObject): boolean {
  const [head = '', body = '', signature = ''] = token.split('.')
  const json = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())
  try {
    if (
      json(head).alg !== 'RS256' ||
      !verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))
    )
      return false
    const { iss, iat, exp } = json(body) as { iss?: unknown; iat: number; exp: number }
    const now = app.now().getTime() / 1000
    return String(iss) === app.id && iat <= now && exp > now && exp - iat <= 600
  } catch {
    return false
  }
}

const pullShape = (repository: FakeRepository, url: string, one: FakePull): object => ({
  number: one.number,
  html_url: `${url}/${repository.name}/pull/${one.number}`,
  title: one.title,
  body: one.body,
  state: one.state === 'open' ? 'open' : 'closed',
  merged: one.state === 'merged',
  merged_at: one.mergedAt,
  // For an open pull request, GitHub returns the commit of a trial merge.
  merge_commit_sha: repository.mergedTo(one) ?? 'e'.repeat(40),
  merged_by: one.state === 'merged' ? { login: 'ben' } : null,
  draft: false,
  user: { login: one.author },
  head: {
    ref: one.head,
    sha: one.commits.at(-1)?.sha ?? repository.branches.get(one.head)?.sha ?? repository.commitsOf(one).at(-1)?.sha,
    repo: { full_name: one.fork ?? repository.name },
  },
  base: { ref: one.base, sha: repository.branches.get(one.base)?.sha },
  requested_reviewers: one.reviewers.map((login) => ({ login })),
})

const commitShape = ({ sha, parents, message: text, author, date }: FakeCommit): object => ({
  sha,
  parents: parents.map((one) => ({ sha: one })),
  commit: { message: text, author: { name: author.split(' <')[0], email: author.split('<')[1]?.slice(0, -1), date } },
})

function routesOf(here: GitHubServer): Route[] {
  const { repository } = here
  const repo = `^/repos/${repository.name}`
  const at = (method: string, rest: string, scope: string, answer: Route['answer']): Route => ({
    method,
    pattern: new RegExp(`${repo}${rest}$`),
    scope,
    answer,
  })
  const shape = (one: FakePull): object => pullShape(repository, here.url, one)
  const pull = (number: string | undefined): FakePull | undefined => repository.pulls[Number(number) - 1]
  const withPull = (number: string | undefined, answer: (one: FakePull) => HostResponse): HostResponse => {
    const one = pull(number)
    return one ? answer(one) : message(404, 'Not Found')
  }
  return [
    at('GET', '', 'metadata:read', () => ({
      status: 200,
      body: {
        full_name: repository.name,
        default_branch: repository.defaultBranch,
        archived: repository.archived,
        permissions: { push: repository.canPush, pull: true },
      },
    })),
    at('GET', '/branches/(.+)/protection', 'administration:read', () =>
      here.classic ? { status: 200, body: here.classic } : message(404, 'Branch not protected'),
    ),
    at('GET', '/branches/(.+)', 'contents:read', ([name = '']) => {
      const branch = repository.branches.get(name)
      return branch
        ? { status: 200, body: { name, commit: { sha: branch.sha }, protected: branch.protected === true } }
        : message(404, 'Branch not found')
    }),
    at('GET', '/rules/branches/.+', 'metadata:read', () => ({
      status: 200,
      body: here.rules.map((type) => ({ type })),
    })),
    at('POST', '/statuses/(\\w+)', 'statuses:write', ([sha = ''], { body }) => {
      if (!repository.commits.find(sha)) return message(422, `No commit found for SHA: ${sha}`)
      const state = String(body.state)
      if (!['error', 'failure', 'pending', 'success'].includes(state) || String(body.description).length > 140)
        return message(422, 'Validation Failed')
      repository.statuses.push({
        sha,
        state,
        context: String(body.context),
        description: String(body.description),
        url: String(body.target_url),
      })
      return { status: 201, body: {} }
    }),
    at('GET', '/pulls', 'pull_requests:read', (_, { query }) => {
      const [owner, head] = (query.get('head') ?? ':').split(':')
      const fits = (one: FakePull): boolean =>
        one.state === 'open' &&
        one.base === (query.get('base') ?? one.base) &&
        (!head || (owner === repository.name.split('/')[0] && one.head === head))
      return { status: 200, body: pageOf(repository.pulls.filter(fits).reverse(), query, 'per_page').map(shape) }
    }),
    at('POST', '/pulls', 'pull_requests:write', (_, { body }) => {
      const { head, base, title, body: text } = body as Record<'head' | 'base' | 'title' | 'body', string>
      const refuse = (why: string): HostResponse => ({
        status: 422,
        body: { message: 'Validation Failed', errors: [{ resource: 'PullRequest', message: why }] },
      })
      if (!repository.branches.has(head))
        return { status: 422, body: { message: 'Validation Failed', errors: [{ field: 'head', code: 'invalid' }] } }
      if (repository.branches.get(head)?.sha === repository.branches.get(base)?.sha)
        return refuse(`No commits between ${base} and ${head}`)
      if (repository.findOpen(head, base)) return refuse(`A pull request already exists for acme:${head}.`)
      return { status: 201, body: shape(repository.open({ head, base, title, body: text })) }
    }),
    at('GET', '/pulls/(\\d+)', 'pull_requests:read', ([number]) =>
      withPull(number, (one) => ({ status: 200, body: shape(one) })),
    ),
    at('PATCH', '/pulls/(\\d+)', 'pull_requests:write', ([number], { body }) =>
      withPull(number, (one) => {
        Object.assign(one, body)
        return { status: 200, body: shape(one) }
      }),
    ),
    at('POST', '/pulls/(\\d+)/requested_reviewers', 'pull_requests:write', ([number], { body }) =>
      withPull(number, (one) => {
        const names = body.reviewers as string[]
        if (!names.every((name) => repository.people.includes(name) && name !== one.author))
          return message(
            422,
            'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator.',
          )
        one.reviewers.push(...names)
        return { status: 201, body: shape(one) }
      }),
    ),
    at('POST', '/issues/(\\d+)/comments', 'pull_requests:write', ([number], { body }) =>
      withPull(number, (one) => {
        one.comments.push(String(body.body))
        return { status: 201, body: {} }
      }),
    ),
    at('GET', '/pulls/(\\d+)/commits', 'pull_requests:read', ([number], { query }) =>
      withPull(number, (one) => ({
        status: 200,
        body: pageOf(repository.commitsOf(one).slice(0, 250), query, 'per_page').map(commitShape),
      })),
    ),
    at('GET', '/commits', 'contents:read', (_, { query }) => ({
      status: 200,
      body: pageOf(repository.commits.log(query.get('sha') ?? repository.defaultBranch, 1000), query, 'per_page').map(
        commitShape,
      ),
    })),
  ]
}

/** Permissions as scopes: write includes read. */
const scopesOf = (permissions: Record<string, string>): Scopes => [
  'metadata:read',
  ...Object.entries(permissions).flatMap(([name, level]) =>
    level === 'write' ? [`${name}:write`, `${name}:read`] : [`${name}:read`],
  ),
]

function tokenRoute(here: GitHubServer): Route {
  return {
    method: 'POST',
    pattern: /^\/app\/installations\/(\w+)\/access_tokens$/,
    scope: 'app',
    answer: ([id], { body }) => {
      const { app, repository } = here
      if (id !== app.installation) return message(404, 'Integration not found')
      const [wanted] = (body.repositories as string[] | undefined) ?? []
      if (wanted !== undefined && wanted !== repository.name.split('/')[1])
        return message(
          422,
          'There is at least one repository that does not exist or is not accessible to the parent installation.',
        )
      const token = `ghs_${app.made.length}_${'x'.repeat(30)}`
      app.made.push(token)
      here.tokens.set(token, scopesOf(app.permissions))
      return {
        status: 201,
        body: {
          token,
          expires_at: new Date(app.now().getTime() + app.lastsMs).toISOString(),
          permissions: app.permissions,
        },
      }
    },
  }
}

let made: ReturnType<typeof newKey> | undefined
const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
/** Returns the key of the app. All stand-ins of a process share it, because creating one takes 0.2 s. */
const appKey = () => (made ??= newKey())

/** Starts a stand-in with an app whose installation has every permission that Bindery needs. */
export async function startGitHub(now: () => Date = () => new Date()): Promise<GitHubServer> {
  const { privateKey, publicKey } = appKey()
  const app: FakeApp = {
    id: '4711',
    installation: '99',
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    permissions: { contents: 'write', pull_requests: 'write', statuses: 'write', metadata: 'read' },
    made: [],
    lastsMs: 3_600_000,
    now,
  }
  const key = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))
  const started = await startHost((server): Dialect => {
    const here = Object.assign(server, { app, rules: [] as string[], classic: null })
    return {
      root: '/api/v3',
      routes: [...routesOf(here), tokenRoute(here)],
      tokenOf: (request) => schemeToken(request, 'Bearer', 'Basic'),
      scopesOf: (token) => (isAppToken(token, app, key) ? ['app'] : null),
      unauthorized: message(401, 'Bad credentials'),
      forbidden: message(403, 'Resource not accessible by integration'),
      notFound: message(404, 'Not Found'),
      limited: (resetAt) =>
        message(403, 'API rate limit exceeded for installation.', {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
        }),
    }
  })
  return started as GitHubServer
}
