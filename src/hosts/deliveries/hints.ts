/** Turns payloads of the hosts into the hints of a `Delivery`. Nothing in them is trusted; what has another form is left out. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../types.js'
import { at, commitAt, listAt, numberAt, textAt } from '../values.js'

/**
 * What a delivery says, as hints: they may be forged by whoever has the secret, old, doubled or out of order, so they only say where to look.
 * What is missing was not said, or could not be read.
 */
export interface Delivery {
  /** The host's name of the delivery; a delivery that is sent again has the same. */
  id?: string
  event: 'ping' | 'push' | 'pullRequest' | 'other'
  /** URLs of the repository, of the web and of Git. */
  repositoryUrls: string[]
  /** Push: the full name of the ref, if there was one alone. */
  ref?: string
  /** Push: the commit that the ref has now; absent if the ref was deleted. */
  after?: string
  pullRequest?: PullRequestHint
}

export interface PullRequestHint {
  number: number
  action: 'opened' | 'updated' | 'closed' | 'merged' | 'other'
  /** Absent if the host abbreviates it. */
  headSha?: string
  headRef?: string
  baseRef?: string
}

const MAX_NAME = 500
const MAX_URLS = 6

type Hints = Omit<Delivery, 'id' | 'repositoryUrls'>
type Path = readonly (string | number)[]

/** How one host speaks. */
interface Dialect {
  /** Headers with the delivery's ID, first found wins. */
  ids: readonly string[]
  /** Paths to URLs of the repository. */
  urls: readonly Path[]
  hints(headers: IncomingHttpHeaders, payload: unknown): Hints
}

const header = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '').slice(0, MAX_NAME)
const ACTIONS: Readonly<Record<string, PullRequestHint['action']>> = {
  opened: 'opened',
  open: 'opened',
  reopened: 'opened',
  reopen: 'opened',
  synchronize: 'updated',
  synchronized: 'updated',
  edited: 'updated',
  update: 'updated',
  closed: 'closed',
  close: 'closed',
  merge: 'merged',
  'pullrequest:created': 'opened',
  'pullrequest:updated': 'updated',
  'pullrequest:fulfilled': 'merged',
  'pullrequest:rejected': 'closed',
}
const actionOf = (word: string): PullRequestHint['action'] =>
  Object.hasOwn(ACTIONS, word) ? (ACTIONS[word] ?? 'other') : 'other'

/** A hint without the members that are undefined. */
const said = <T extends object>(hint: T): T =>
  Object.fromEntries(Object.entries(hint).filter(([, value]) => value !== undefined)) as T

const push = (payload: unknown): Hints =>
  said({ event: 'push' as const, ref: textAt(payload, ['ref'], MAX_NAME), after: commitAt(payload, 'after') }) as Hints

function pullRequest(
  number: number | undefined,
  hint: { [K in keyof PullRequestHint]: PullRequestHint[K] | undefined },
): Hints {
  return number === undefined
    ? { event: 'pullRequest' }
    : { event: 'pullRequest', pullRequest: said({ ...hint, number }) as PullRequestHint }
}

/** GitHub, and Gitea, which speaks as GitHub does. */
function githubHints(event: string, payload: unknown): Hints {
  if (event === 'ping') return { event: 'ping' }
  if (event === 'push' || event === 'create' || event === 'delete')
    return event === 'push' ? push(payload) : { event: 'push' }
  if (event !== 'pull_request') return { event: 'other' }
  const action = actionOf(textAt(payload, ['action']) ?? '')
  const number = numberAt(payload, 'number') ?? numberAt(payload, 'pull_request', 'number')
  return pullRequest(number, {
    number,
    action: action === 'closed' && at(payload, 'pull_request', 'merged') === true ? 'merged' : action,
    headSha: commitAt(payload, 'pull_request', 'head', 'sha'),
    headRef: textAt(payload, ['pull_request', 'head', 'ref'], MAX_NAME),
    baseRef: textAt(payload, ['pull_request', 'base', 'ref'], MAX_NAME),
  })
}

const GITHUB_URLS: readonly Path[] = ['html_url', 'clone_url', 'ssh_url', 'git_url'].map((name) => ['repository', name])

const github: Dialect = {
  ids: ['x-github-delivery'],
  urls: GITHUB_URLS,
  hints: (headers, payload) => githubHints(header(headers, 'x-github-event'), payload),
}

const gitea: Dialect = {
  ids: ['x-forgejo-delivery', 'x-gitea-delivery', 'x-github-delivery'],
  urls: GITHUB_URLS,
  hints: (headers, payload) =>
    githubHints(
      header(headers, 'x-forgejo-event') || header(headers, 'x-gitea-event') || header(headers, 'x-github-event'),
      payload,
    ),
}

const GITLAB_KINDS: Readonly<Record<string, string>> = {
  'Push Hook': 'push',
  'Tag Push Hook': 'tag_push',
  'Merge Request Hook': 'merge_request',
}

const gitlab: Dialect = {
  ids: ['webhook-id', 'idempotency-key', 'x-gitlab-event-uuid'],
  urls: ['web_url', 'git_http_url', 'git_ssh_url'].map((name) => ['project', name]),
  hints(headers, payload) {
    const event = header(headers, 'x-gitlab-event')
    const kind =
      (Object.hasOwn(GITLAB_KINDS, event) ? GITLAB_KINDS[event] : undefined) ?? textAt(payload, ['object_kind']) ?? ''
    if (kind === 'push' || kind === 'tag_push') return push(payload)
    if (kind !== 'merge_request') return { event: 'other' }
    const number = numberAt(payload, 'object_attributes', 'iid')
    return pullRequest(number, {
      number,
      action: actionOf(textAt(payload, ['object_attributes', 'action']) ?? ''),
      headSha: commitAt(payload, 'object_attributes', 'last_commit', 'id'),
      headRef: textAt(payload, ['object_attributes', 'source_branch'], MAX_NAME),
      baseRef: textAt(payload, ['object_attributes', 'target_branch'], MAX_NAME),
    })
  },
}

/** Several refs can move in one push: then none is named. */
function bitbucketPush(payload: unknown): Hints {
  const changes = listAt(payload, 'push', 'changes')
  const change = changes.length === 1 ? changes[0] : undefined
  const side = at(change, 'new') ?? at(change, 'old')
  const name = textAt(side, ['name'], MAX_NAME)
  const kind = textAt(side, ['type']) === 'tag' ? 'tags' : 'heads'
  return said({
    event: 'push' as const,
    ref: name && `refs/${kind}/${name}`,
    after: commitAt(change, 'new', 'target', 'hash'),
  }) as Hints
}

const bitbucket: Dialect = {
  ids: ['x-request-uuid'],
  urls: [['repository', 'links', 'html', 'href']],
  hints(headers, payload) {
    const event = header(headers, 'x-event-key')
    if (event === 'diagnostics:ping') return { event: 'ping' }
    if (event === 'repo:push') return bitbucketPush(payload)
    if (!event.startsWith('pullrequest:')) return { event: 'other' }
    const number = numberAt(payload, 'pullrequest', 'id')
    return pullRequest(number, {
      number,
      action: actionOf(event),
      headSha: commitAt(payload, 'pullrequest', 'source', 'commit', 'hash'),
      headRef: textAt(payload, ['pullrequest', 'source', 'branch', 'name'], MAX_NAME),
      baseRef: textAt(payload, ['pullrequest', 'destination', 'branch', 'name'], MAX_NAME),
    })
  },
}

/** Whatever a remote of another kind sends, something has happened there. */
const generic: Dialect = { ids: ['webhook-id', 'x-github-delivery'], urls: [], hints: (_, payload) => push(payload) }

const dialects: Readonly<Record<Provider, Dialect>> = { github, gitea, gitlab, bitbucket, generic }

/** The hints of a verified delivery; `payload` is undefined if it could not be read. */
export function hintsOf(provider: Provider, headers: IncomingHttpHeaders, payload: unknown): Delivery {
  const { ids, urls, hints } = dialects[provider]
  const id = ids.map((name) => header(headers, name)).find((value) => value !== '')
  const repositoryUrls = urls
    .map((path) => textAt(payload, path, 2048))
    .filter((url) => url !== undefined)
    .slice(0, MAX_URLS)
  return { ...(id === undefined ? {} : { id }), repositoryUrls, ...hints(headers, payload) }
}
