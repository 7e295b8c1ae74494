import { Fault } from './fault.js'
import * as here from './here.js'
import { mergeThere } from './merging.js'
import * as people from './people.js'
import { pick, pickWeighted, type Random, randomOfStep } from '../two-sided/random.js'
import * as requests from './requests.js'
import { resolveHeld } from './resolve.js'
import { exportTo, heldRequests, importFrom, pass, settle } from './sync.js'
import * as trouble from './trouble.js'
import { begin, DOCS, MAIN, MINUTE, type World } from './world.js'

type Step = (world: World, next: Random) => Promise<string | null>

const METHODS = ['squash', 'squash', 'merge', 'rebase'] as const
const method = (next: Random) => pick(next, METHODS) as (typeof METHODS)[number]

/** Main here, or a change request. */
const anywhere = (world: World, next: Random): here.Target => {
  const request = next(3) === 0 ? requests.anyRequest(world, next) : null
  return request ? here.requestOf(request) : here.mainOf(world)
}
/** A branch of the remote: usually main, otherwise the branch for exports or that of a pull request. */
const anyBranch = (world: World, next: Random): string => {
  const others = [...world.there.keys()].filter((branch) => branch !== MAIN)
  return next(4) === 0 ? (pick(next, others) ?? MAIN) : MAIN
}
const inHere =
  (act: (world: World, next: Random, target: here.Target) => Promise<string | null>): Step =>
  (world, next) =>
    act(world, next, anywhere(world, next))
const inThere =
  (act: (world: World, next: Random, branch: string) => Promise<string | null>): Step =>
  (world, next) =>
    act(world, next, anyBranch(world, next))

async function mergeDocs(world: World, next: Random): Promise<string | null> {
  const heads = await world.remote.heads()
  const [main, docs] = [heads.get(MAIN), heads.get(DOCS)]
  if (main === undefined || docs === undefined || (await world.remote.contains(main, docs))) return null
  const how = method(next)
  const merged = await mergeThere(world, DOCS, how)
  // People delete a branch in conflict. The next export creates it again.
  const deleted = !merged || next(2) === 0
  if (deleted) {
    await world.remote.git('update-ref', '-d', `refs/heads/${DOCS}`)
    world.there.delete(DOCS)
    world.forgetBranch(DOCS)
  }
  return `${merged ? how : 'not merged'}${deleted ? ', docs deleted' : ''}`
}

/**
 * Plays a whole pull request: people write here, export it and merge it on the host, sometimes after another commit
 * there.
 */
async function pullRequest(world: World, next: Random): Promise<string> {
  const said: (string | null)[] = []
  for (let times = next(2); times >= 0; times--)
    said.push(
      (await pick(next, [here.write, here.write, here.set, here.remove])?.(world, next, here.mainOf(world))) ?? null,
    )
  said.push(await exportTo(world, DOCS))
  if (next(3) === 0) said.push(await people.write(world, next, MAIN))
  said.push(await mergeDocs(world, next))
  if (next(2) === 0) said.push(await importFrom(world, MAIN))
  return said.filter((one) => one !== null).join('; ')
}

/** A person here resolves a conflict. */
async function resolve(world: World, next: Random): Promise<string | null> {
  const number = pick(next, await heldRequests(world))
  if (number === null) return null
  await resolveHeld(world, number)
  return `${number} resolved and merged`
}

/** A merged pull request is reverted, and the revert is reverted, with or without imports in between. */
async function revertTwice(world: World, next: Random): Promise<string | null> {
  const said = [await people.revert(world, next, 'pull request')]
  if (said[0] === null) return null
  if (next(3) > 0) said.push(await importFrom(world, MAIN))
  if (next(4) === 0) said.push(await people.write(world, next, MAIN))
  said.push(await people.revert(world, next, 'revert'))
  if (next(3) > 0) said.push(await importFrom(world, MAIN))
  return said.filter((one) => one !== null).join('; ')
}

/** The kinds of steps: weight, name, action. */
const steps: readonly (readonly [number, string, Step])[] = [
  [10, 'here-write', inHere(here.write)],
  [5, 'here-remove', inHere(here.remove)],
  [6, 'here-set', inHere(here.set)],
  [2, 'here-retype', inHere(here.retype)],
  [2, 'here-page', inHere(here.addPage)],
  [2, 'here-page-delete', inHere(here.deletePage)],
  [1, 'here-page-restore', inHere(here.restorePage)],
  [10, 'there-write', inThere(people.write)],
  [4, 'there-remove', inThere(people.remove)],
  [4, 'there-set', inThere(people.set)],
  [3, 'there-switch', inThere(people.switchTwice)],
  [3, 'there-retype', inThere(people.retype)],
  [1, 'there-page', inThere(people.addPage)],
  [2, 'there-page-delete', inThere(people.deletePage)],
  [2, 'there-page-restore', inThere(people.restorePage)],
  [2, 'there-same-elsewhere', (world, next) => people.sameElsewhere(world, next, MAIN)],
  [7, 'revert-twice', revertTwice],
  [4, 'revert-merge', (world, next) => people.revert(world, next, 'pull request')],
  [4, 'revert-revert', (world, next) => people.revert(world, next, 'revert')],
  [2, 'revert', (world, next) => people.revert(world, next, 'any')],
  [2, 'cherry-pick', (world, next) => people.cherryPick(world, next, next(2) === 0 ? MAIN : DOCS)],
  [30, 'pull-request', pullRequest],
  [8, 'docs-export', (world) => exportTo(world, DOCS)],
  [8, 'docs-merge', mergeDocs],
  [12, 'import', (world) => importFrom(world, MAIN)],
  [12, 'resolve', resolve],
  [4, 'export', (world) => exportTo(world, MAIN)],
  [
    7,
    'request-open',
    async (world, next) => {
      const request = await requests.open(world)
      return request && here.write(world, next, here.requestOf(request))
    },
  ],
  [6, 'request-export', requests.exportRequest],
  [12, 'request-merge-there', (world, next) => requests.mergeRequestThere(world, next, method(next))],
  [
    3,
    'request-merge-earlier',
    (world, next) =>
      requests.mergeEarlier(world, next, method(next), (request) => here.write(world, next, here.requestOf(request))),
  ],
  [
    2,
    'request-update',
    async (world, next) => {
      const request = requests.anyRequest(world, next)
      return request && requests.updateRequest(world, request)
    },
  ],
  [2, 'request-merge-here', requests.mergeRequestHere],
  [8, 'time', (world) => pass(world, 6 * MINUTE).then(() => 'six minutes')],
  [1, 'cross', trouble.cross],
  [1, 'reset', trouble.reset],
  [1, 'backup-restore', trouble.restoreBackup],
  [1, 'empty', trouble.empty],
  [1, 'rename', trouble.rename],
  [2, 'lost-response', trouble.loseResponse],
  [2, 'kill', trouble.kill],
  [2, 'admin', trouble.admin],
  [5, 'settle', trouble.meet],
]

export const stepNames = steps.map(([, name]) => name)

export interface Options {
  seed: number
  /** The story ends when this number of pull requests is merged, or after `steps` steps. */
  merged?: number
  steps?: number
  without?: readonly string[]
  /** The numbers of the steps to play. All others are skipped. */
  only?: ReadonlySet<number>
  tell?: (line: string) => void
}

export interface Told {
  log: string[]
  /** Steps with an effect. */
  acted: number[]
  /** The last step. */
  at: number
  merged: number
  fault: Error | null
}

const MAX_STEPS = 100_000

async function play(world: World, options: Options, told: Told): Promise<void> {
  const possible = steps
    .filter(([, name]) => !options.without?.includes(name))
    .map(([weight, name, step]) => [weight, [name, step] as const] as const)
  const last = options.only ? Math.max(...options.only) + 1 : (options.steps ?? MAX_STEPS)
  for (let number = 0; number < last && world.merged < (options.merged ?? Number.POSITIVE_INFINITY); number++) {
    if (options.only && !options.only.has(number)) continue
    told.at = number
    const next = randomOfStep(options.seed, number)
    const [name, step] = pickWeighted(next, possible)
    Object.assign(world, { step: number, kind: name, before: world.here.copy() })
    told.log.push(`${number} ${name} …`)
    const said = await step(world, next)
    told.log[told.log.length - 1] = `${number} ${name}: ${said ?? 'nothing'}`
    if (said === null) continue
    told.acted.push(number)
    options.tell?.(told.log.at(-1) as string)
  }
  Object.assign(world, { step: last, kind: 'end' })
  told.at = last
  told.log.push(`end: ${await settle(world)}`)
  for (const repository of [world.space, world.remote]) {
    const said = await repository
      .git('fsck', '--strict', '--full', '--no-dangling', '--no-progress')
      .catch((error: Error) => error.message)
    if (said !== '') throw new Fault('fsck', said)
  }
}

/** Plays a story up to its end or its first fault. */
export async function playStory(options: Options): Promise<Told> {
  const told: Told = { log: [], acted: [], at: 0, merged: 0, fault: null }
  const world = await begin(options.seed % 2 === 0 ? 'both' : 'import')
  try {
    await play(world, options, told)
  } catch (error) {
    told.fault = error as Error
  } finally {
    told.merged = world.merged
    await world.close()
  }
  return told
}

const kindOf = ({ fault }: Told): string => (fault instanceof Fault ? fault.kind : String(fault?.message).slice(0, 60))

/** Leaves out the steps that a story does not need to fail in the same way. */
export async function shrink(options: Options, failed: Told, tell: (line: string) => void): Promise<Told> {
  let best = failed
  let left = [...new Set([...failed.acted, failed.at])]
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = left.length - size; from > -size; from -= size) {
      const fewer = left.filter((_step, at) => at < from || at >= from + size)
      if (fewer.length === left.length || fewer.length === 0) continue
      const told = await playStory({ ...options, merged: Number.POSITIVE_INFINITY, only: new Set(fewer) })
      if (!told.fault || kindOf(told) !== kindOf(failed)) continue
      best = told
      left = fewer.filter((step) => step <= told.at)
      tell(`${left.length} steps left: ${left.join(',')}`)
    }
  }
  return best
}
