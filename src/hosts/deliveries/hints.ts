/**
 * Converts webhook payloads to the hints of a `Delivery`. Nothing in them is trusted; members of an unexpected form are
 * omitted.
 */
import { defined } from '../../kernel/defined.js'
import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../types.js'
import { at, commitAt, listAt, numberAt, textAt } from '../values.js'

/**
 * The hints of a delivery. They may be forged by any owner of the secret, outdated, duplicated or out of order, so they
 * only indicate what to poll. Absent members were not sent or could not be read.
 */
export interface Delivery {
  /** The host's ID of the delivery. A retry has the same ID. */
  id?: string
  event: 'ping' | 'push' | 'pullRequest' | 'other'
  /** The web and Git URLs of the repository. */
  repositoryUrls: string[]
  /** For a push, the full name of the ref, if exactly one ref moved. */
  ref?: string
  /** For a push, the new commit of the ref; absent if the ref was deleted. */
  after?: string
  pullRequest?: PullRequestHint
}

export interface PullRequestHint {
  number: number
  action: 'opened' | 'updated' | 'closed' | 'merged' | 'other'
  /** Absent if the host abbreviates the ID. */
  headSha?: string
  headRef?: string
  baseRef?: string
}

const MAX_NAME = 500
const MAX_URLS = 6

type Hints = Omit<Delivery, 'id' | 'repositoryUrls'>
type Path = readonly (string | number)[]

/** The payload format of one host. */
interface Dialect {
  /** Headers that may contain the delivery ID. The first one wins. */
  ids: readonly string[]
  /** Paths to URLs of the repository in the payload. */
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

const push = (payload: unknown): Hints =>
  defined({
    event: 'push' as const,
    ref: textAt(payload, ['ref'], MAX_NAME),
    after: commitAt(payload, 'after'),
  })

function pullRequest(
  number: number | undefined,
  hint: { [K in keyof PullRequestHint]: PullRequestHint[K] | undefined },
): Hints {
  return number === undefined
    ? { event: 'pullRequest' }
    : { event: 'pullRequest', pullRequest: defined({ ...hint, number }) as PullRequestHint }
}

/** Returns the hints of GitHub, or of Gitea, which uses the same format. */
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

/** Returns the hints of a Bitbucket push. If several refs moved, none is named. */
function bitbucketPush(payload: unknown): Hints {
  const changes = listAt(payload, 'push', 'changes')
  const change = changes.length === 1 ? changes[0] : undefined
  const side = at(change, 'new') ?? at(change, 'old')
  const name = textAt(side, ['name'], MAX_NAME)
  const kind = textAt(side, ['type']) === 'tag' ? 'tags' : 'heads'
  return defined({
    event: 'push' as const,
    ref: name && `refs/${kind}/${name}`,
    after: commitAt(change, 'new', 'target', 'hash'),
  })
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

/** Any delivery from another kind of remote means that something changed. */
const generic: Dialect = { ids: ['webhook-id', 'x-github-delivery'], urls: [], hints: (_, payload) => push(payload) }

const dialects: Readonly<Record<Provider, Dialect>> = { github, gitea, gitlab, bitbucket, generic }

/** Returns the hints of a verified delivery. `payload` is undefined if it could not be read. */
export function hintsOf(provider: Provider, headers: IncomingHttpHeaders, payload: unknown): Delivery {
  const { ids, urls, hints } = dialects[provider]
  const id = ids.map((name) => header(headers, name)).find((value) => value !== '')
  const repositoryUrls = urls
    .map((path) => textAt(payload, path, 2048))
    .filter((url) => url !== undefined)
    .slice(0, MAX_URLS)
  return { ...(id === undefined ? {} : { id }), repositoryUrls, ...hints(headers, payload) }
}
