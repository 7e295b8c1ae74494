/** People who write: in the space, through the Git endpoint of the service, and on the remote. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TOKEN } from '../../races/server-process.js'
import { git } from '../../support/hermetic-git.js'
import type { MergeMethod } from '../../support/hosts/real-repository.js'
import { commandsOf } from '../pull-requests/merging.js'
import { isPage, SECTIONS, withNote } from '../pull-requests/pages.js'
import { MAIN } from '../pull-requests/world.js'
import { pick, type Random } from '../two-sided/random.js'
import { mergeHere, openRequests, type Listed, type Place } from './world.js'

/** A new line for one of some pages. Few places, so that the lines of two sides often collide. */
function lineFor(
  place: Place,
  next: Random,
  files: ReadonlyMap<string, string>,
): { path: string; text: string; token: string } | null {
  const path = pick(next, [...files.keys()].filter(isPage).sort())
  const token = `h${++place.tokens}`
  const text = path && withNote(files.get(path) as string, pick(next, SECTIONS) as string, token, next(2))
  return path && text ? { path, text, token } : null
}

const owe = (place: Place, token: string, from: 'here' | 'there'): void =>
  void place.lines.set(token, { from, step: place.step })

interface Entry {
  id: string
  path: string
  pages?: Entry[]
}

/** An edit through the API. It counts only with a response. */
export async function edit(place: Place, next: Random, request?: number): Promise<string | null> {
  const { world } = place
  const at = request === undefined ? '' : `/change-requests/${request}`
  const head = (await world.space.heads()).get(request === undefined ? MAIN : `change-requests/${request}`)
  const line = head && lineFor(place, next, (await world.space.at(head)).files)
  if (!line) return null
  const { pages } = await world.ask('get', `${at}/content/pages`)
  const flat = (entries: readonly Entry[]): Entry[] => entries.flatMap((one) => [one, ...flat(one.pages ?? [])])
  const page = flat(pages).find(({ path }) => `${path}.md` === line.path)?.id
  const changes = [{ operation: 'update_page', page, document: { markdown: line.text } }]
  await world.ask('post', `${at}/content`, { changes })
  owe(place, line.token, 'here')
  return `${line.token} into ${line.path}${at}`
}

export const anyRequest = async (place: Place, next: Random): Promise<Listed | null> =>
  pick(
    next,
    (await openRequests(place)).filter(({ number }) => place.requests.has(number)),
  )

export async function openRequest(place: Place, next: Random): Promise<string | null> {
  if ((await openRequests(place)).length >= 6) return null
  const { number } = await place.world.ask('post', '/change-requests', { subject: `Work of step ${place.step}` })
  place.requests.add(number)
  if (next(2) === 0) await place.world.ask('patch', `/change-requests/${number}`, { status: 'open' })
  return edit(place, next, number)
}

export async function editRequest(place: Place, next: Random): Promise<string | null> {
  const request = await anyRequest(place, next)
  return request && edit(place, next, request.number)
}

export async function mergeRequest(place: Place, next: Random): Promise<string | null> {
  const request = await anyRequest(place, next)
  return request && mergeHere(place, request.number)
}

/** A plain `git push` to the service: to main, to a change request, or to a new topic. */
export async function pushToDoor(place: Place, next: Random): Promise<string | null> {
  const { world, door } = place
  const request = next(2) === 0 ? await anyRequest(place, next) : null
  const from = request ? `refs/heads/change-requests/${request.number}` : `refs/heads/${MAIN}`
  const to = !request && next(4) === 0 ? `refs/heads/topic-${place.step}` : from
  const url = `${world.spaces.service.url.replace('://', `://git:${TOKEN}@`)}/git/${world.names.space}.git`
  await git(door, ['fetch', '--quiet', url, from])
  await git(door, ['checkout', '--quiet', '--force', '--detach', 'FETCH_HEAD'])
  const head = await git(door, ['rev-parse', 'HEAD'])
  const line = lineFor(place, next, (await world.space.at(head)).files)
  if (!line) return null
  await writeFile(join(door, line.path), line.text)
  await git(door, ['commit', '--quiet', '--all', '-m', `Add ${line.token}`])
  await git(door, ['push', '--quiet', url, `HEAD:${to}`])
  owe(place, line.token, 'here')
  if (to !== from)
    for (const { number, subject } of await openRequests(place))
      if (subject === `Add ${line.token}`) place.requests.add(number)
  return `${line.token} pushed to ${to.slice(11)}`
}

/** Whether a branch of the remote exists. */
const isThere = async ({ world }: Place, branch: string): Promise<boolean> => (await world.remote.heads()).has(branch)

export async function writeThere(place: Place, next: Random): Promise<string | null> {
  const { world } = place
  if (!(await isThere(place, MAIN))) return null
  const line = lineFor(place, next, (await world.remoteMain()).files)
  if (!line) return null
  await world.clone.on(MAIN, async (run) => {
    await writeFile(join(world.clone.dir, line.path), line.text)
    await run('commit', '--quiet', '--all', '-m', `Add ${line.token}`)
  })
  owe(place, line.token, 'there')
  place.past.push((await world.remote.heads()).get(MAIN) as string)
  return `${line.token} into ${line.path} there`
}

export async function exportRequest(place: Place, next: Random): Promise<string | null> {
  const { world } = place
  const request = await anyRequest(place, next)
  if (!request) return null
  const at = `/change-requests/${request.number}/git/pull-request`
  const { status, body } = await world.call('post', at, {})
  if (status !== 202) return `${request.number}: ${status} ${body?.error?.message}`
  if (next(3) > 0) await world.spaces.idle()
  return `${request.number} exported`
}

/** Merges a pull request as the host does. */
export async function mergePull(place: Place, next: Random): Promise<string | null> {
  const { world } = place
  const heads = await world.remote.heads()
  const { pulls } = world.host.repository
  const pull = pick(
    next,
    pulls.filter(({ state, head }) => state === 'open' && heads.has(head)),
  )
  const main = heads.get(MAIN)
  if (!pull || main === undefined) return null
  const method = pick(next, ['merge', 'squash', 'rebase'] as const) as MergeMethod
  const commits = world.host.repository.commitsOf(pull)
  if (!(await world.clone.on(MAIN, commandsOf(pull.head, method, `Pull request (${method} of ${pull.head})`, main))))
    return `${pull.head}: conflicts there`
  const tip = (await world.remote.heads()).get(MAIN) as string
  Object.assign(pull, {
    state: 'merged',
    commits,
    mergedAt: '2026-05-02T10:00:00Z',
    [method === 'merge' ? 'merge' : 'squash']: tip,
  })
  place.past.push(tip)
  return `${pull.head} merged there (${method})`
}
