/** Change requests that are pull requests on the host. */
import type { FakePull } from '../../support/hosts/repository.js'
import type { MergeMethod } from '../../support/hosts/real-repository.js'
import { pick, type Random } from '../two-sided/random.js'
import { judgeHere } from './judge.js'
import { mergeThere } from './merging.js'
import { recordResolution, updateFromMain } from './resolve.js'
import { absorb, credit, pass } from './sync.js'
import { MAIN, MINUTE, type Request, type World } from './world.js'

const MAX_OPEN = 4

export const anyRequest = (world: World, next: Random): Request | null => pick(next, [...world.requests.values()])
const exported = (world: World, next: Random): Request | null =>
  pick(
    next,
    [...world.requests.values()].filter((one) => pullOf(world, one)),
  )

export async function open(world: World): Promise<Request | null> {
  if (world.requests.size >= MAX_OPEN) return null
  const { number } = await world.ask('post', '/change-requests', { subject: `Work of step ${world.step}` })
  const request = { number, side: world.here.copy() }
  world.requests.set(number, request)
  return request
}

/** The open pull request of a change request. */
function pullOf(world: World, { branch }: Request): FakePull | undefined {
  return branch === undefined
    ? undefined
    : world.host.repository.pulls.find((one) => one.head === branch && one.state === 'open')
}

export async function exportRequest(world: World, next: Random): Promise<string | null> {
  const request = anyRequest(world, next)
  if (!request) return null
  const at = `/change-requests/${request.number}/git/pull-request`
  const { status, body } = await world.call('post', at, {})
  if (status !== 202) return `${request.number}: ${status} ${body?.error?.message}`
  request.branch ??= (await world.ask('get', at)).branch.replace('refs/heads/', '')
  await pass(world, 0)
  const { problem, pullRequest } = await world.ask('get', at)
  return `${request.number} as pull request ${pullRequest?.number}${problem ? `: ${problem.message}` : ''}`
}

/** Merges a pull request at a given head, as the host does. */
async function mergePull(world: World, request: Request, method: MergeMethod): Promise<boolean> {
  const pull = pullOf(world, request)
  if (!pull) return false
  const own = world.host.repository.commitsOf(pull)
  if (!(await mergeThere(world, pull.head, method))) return false
  const tip = (await world.remote.heads()).get(MAIN) as string
  Object.assign(pull, {
    state: 'merged',
    commits: own,
    mergedAt: '2026-05-02T10:00:00Z',
    [method === 'merge' ? 'merge' : 'squash']: tip,
  })
  return true
}

export async function mergeRequestThere(world: World, next: Random, method: MergeMethod): Promise<string | null> {
  const request = exported(world, next)
  if (!request || !(await mergePull(world, request, method))) return null
  return `${request.number} merged there (${method})`
}

/**
 * A person edits an exported change request. While the service pushes the edit, a person on the host merges the pull
 * request at its earlier head.
 * @param edit the edit. Resolves to null if nothing was edited
 */
export async function mergeEarlier(
  world: World,
  next: Random,
  method: MergeMethod,
  edit: (request: Request) => Promise<string | null>,
): Promise<string | null> {
  const request = exported(world, next)
  const said = request && (await edit(request))
  if (!request || said === null) return null
  let merged: boolean | null = null
  world.spaces.remotes.behaviour.onRequest = async ({ method: verb, url }) => {
    if (merged !== null || verb !== 'POST' || !url.endsWith('git-receive-pack')) return
    merged = false
    merged = await mergePull(world, request, method)
  }
  await world.spaces.forward(MINUTE).finally(() => delete world.spaces.remotes.behaviour.onRequest)
  await absorb(world)
  return `${request.number}: ${said}; ${merged ? 'merged before it arrived' : 'not merged'} (${method})`
}

/** Merges main into a change request. */
export async function updateRequest(world: World, request: Request): Promise<string> {
  const resolution = await updateFromMain(world, request.number)
  const { files } = resolution
  request.side.take(world.here)
  recordResolution(world, request.side, resolution)
  return `${request.number} updated${files.size > 0 ? `, ${[...files.keys()]} resolved` : ''}`
}

export async function mergeRequestHere(world: World, next: Random): Promise<string | null> {
  const request = anyRequest(world, next)
  if (!request) return null
  if ((await world.call('post', `/change-requests/${request.number}/merge`)).status === 409) {
    await updateRequest(world, request)
    await world.ask('post', `/change-requests/${request.number}/merge`)
  }
  world.here.take(request.side)
  world.requests.delete(request.number)
  await world.spaces.idle()
  await credit(world)
  await judgeHere(world)
  return `${request.number} merged here`
}
