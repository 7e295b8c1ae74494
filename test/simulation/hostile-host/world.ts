/**
 * The world of a story with a hostile host: a space, a repository with pull requests, and every line that was
 * acknowledged to its author. People only add lines. So a line is missing if it is nowhere, unless it was written on the
 * remote and the host has dropped it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from '../../support/hermetic-git.js'
import { Fault } from '../pull-requests/fault.js'
import type { Snapshot } from '../pull-requests/repository.js'
import { updateFromMain } from '../pull-requests/resolve.js'
import { begin, MAIN, MINUTE, type World } from '../pull-requests/world.js'

export interface Place {
  world: World
  /** The clone of a person who works through the Git endpoint of the service. */
  door: string
  /** Acknowledged lines by token: where and in which step they were written. */
  lines: Map<string, { from: 'here' | 'there'; step: number }>
  /** Change requests of people, by number. */
  requests: Set<number>
  /** Heads of the remote's main, oldest first, and a backup of all its branches. */
  past: string[]
  backup: Map<string, string> | null
  tokens: number
  step: number
  close(): Promise<void>
}

export const HELD = 'Remote changes from '

export async function beginPlace(): Promise<Place> {
  const [world, door] = await Promise.all([begin('both'), mkdtemp(join(tmpdir(), 'bindery-door-'))])
  await git(door, ['init', '--quiet', '.'])
  return {
    world,
    door,
    lines: new Map(),
    requests: new Set(),
    past: [(await world.remote.heads()).get(MAIN) as string],
    backup: null,
    tokens: 0,
    step: 0,
    async close() {
      await world.close()
      await rm(door, { recursive: true, force: true })
    },
  }
}

export interface Listed {
  number: number
  subject: string
  status: string
}

/** The open and draft change requests. */
export async function openRequests({ world }: Place): Promise<Listed[]> {
  const listed: Listed[] = []
  for (const status of ['open', 'draft'])
    listed.push(...(await world.ask('get', `/change-requests?status=${status}&limit=1000`)).items)
  return listed
}

export const tokensOf = ({ lines }: Snapshot): Set<string> =>
  new Set([...lines.keys()].flatMap((key) => key.split(' ')[2] ?? []))

/** The tokens on all branches of the remote, or on one. */
export async function tokensThere({ world }: Place, only?: string): Promise<Set<string>> {
  const heads = [...(await world.remote.heads())].filter(([branch]) => only === undefined || branch === only)
  const all = await Promise.all(heads.map(async ([, head]) => tokensOf(await world.remote.at(head))))
  return new Set(all.flatMap((tokens) => [...tokens]))
}

/** No acknowledged line is missing: it is on main, in an open change request, or on the remote. */
export async function judge(place: Place): Promise<void> {
  const { world } = place
  const heads = await world.space.heads()
  const branches = [MAIN, ...(await openRequests(place)).map(({ number }) => `change-requests/${number}`)]
  const found = await tokensThere(place)
  for (const branch of branches)
    for (const token of tokensOf(await world.space.at(heads.get(branch) as string))) found.add(token)
  const missing = [...place.lines].filter(([token]) => !found.has(token))
  if (missing.length > 0)
    throw new Fault(
      'line missing',
      missing.map(([token, { from, step }]) => `${token}, written ${from} in step ${step}`).join('; '),
    )
  const { items } = await world.ask('get', '/git/history?limit=100')
  const running = items.find(({ state }: { state: string }) => state === 'queued' || state === 'running')
  if (running) throw new Fault('stuck', JSON.stringify(running))
}

/** Advances the clock until all work that is due is done. */
export async function pass({ world }: Place, ms: number): Promise<void> {
  await world.spaces.forward(ms)
}

/** Resolves a change request with the lines of both sides, and merges it. */
export async function mergeHere(place: Place, number: number): Promise<string> {
  const { world } = place
  const at = `/change-requests/${number}`
  const { status } = await world.ask('get', at)
  if (status === 'draft') await world.ask('patch', at, { status: 'open' })
  let said = 'merged'
  if ((await world.call('post', `${at}/merge`)).status === 409) {
    const { files } = await updateFromMain(world, number)
    said = `updated (${[...files.keys()]}) and merged`
    await world.ask('post', `${at}/merge`)
  }
  await world.spaces.idle()
  return `${number} ${said}`
}

export const isInStep = async ({ world }: Place): Promise<boolean> =>
  (await world.remote.heads()).has(MAIN) && (await world.remoteMain()).tree === (await world.spaceMain()).tree

const refsOf = ({ world }: Place): Promise<string[]> =>
  Promise.all([world.space.git('for-each-ref'), world.remote.git('for-each-ref')])

/** Resolves what is held until both sides have one tree. Then another sync changes nothing. */
export async function settle(place: Place): Promise<string> {
  const { world } = place
  let resolved = 0
  for (let quiet = 0, times = 0; quiet < 2; times++) {
    if (times === 15)
      throw new Fault(
        'not in step',
        `${JSON.stringify(await world.failure())} ${JSON.stringify((await world.ask('get', '/git/history?limit=3')).items)}`,
      )
    await pass(place, 61 * MINUTE)
    const held = (await openRequests(place)).filter(({ subject }) => subject.startsWith(HELD))
    for (const { number } of held) await mergeHere(place, number)
    resolved += held.length
    quiet = held.length === 0 && (await isInStep(place)) && !(await world.failure()) ? quiet + 1 : 0
  }
  place.past.push((await world.remote.heads()).get(MAIN) as string)
  await judge(place)
  const before = await refsOf(place)
  const body = { url: world.names.url, ref: `refs/heads/${MAIN}` }
  for (const run of [
    { path: '/git/import', body },
    { path: '/git/export', body: { ...body, commitMessage: 'Export' } },
  ]) {
    await world.ask('post', run.path, run.body)
    await world.spaces.idle()
    const { state, result, error } = (await world.ask('get', '/git/history?limit=1')).items[0]
    if (result !== 'unchanged') throw new Fault('not in step', `${run.path} again: ${state} ${result} ${error}`)
  }
  const after = await refsOf(place)
  if (after.join() !== before.join()) throw new Fault('not in step', `another sync moved refs:\n${before}\n${after}`)
  return `in step after ${resolved} conflicts`
}
