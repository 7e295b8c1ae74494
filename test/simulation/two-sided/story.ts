import { join } from 'node:path'
import { converge, checkRepositories } from './converge.js'
import { begin, isApart } from './begin.js'
import { Fault } from './fault.js'
import { editHere, editNames, mainOf, targetOf } from './here.js'
import { commitBeside, commitThere, forceThere, judgeRemote, makeDocs, mergeThere, revertThere } from './people.js'
import { planNames } from './plans.js'
import { pick, pickWeighted, type Random, randomOfStep } from './random.js'
import { mergeRequest, openRequest, revertRequest, rollback, updateRequest } from './requests.js'
import { openSaved, saveWorld } from './saved.js'
import { resolveHeld, sync } from './sync.js'
import {
  adminCommit,
  brokenSync,
  keepHouse,
  killedEdit,
  killedSync,
  loseDisk,
  previewed,
  racedSync,
} from './trouble.js'
import { beginStep, DOCS, headThere, MAIN, type Project, type Ref, type World } from './world.js'

type Step = (world: World, next: Random, project: Project) => Promise<string | null>

const anyRef = (next: Random): Ref => (next(3) === 0 ? DOCS : MAIN)

/** The possible steps, their frequency, and the name by which each can be left out. */
const steps: readonly (readonly [number, string, Step])[] = [
  [22, 'edit', (world, next, project) => editHere(world, next, mainOf(project))],
  [
    8,
    'request-edit',
    (world, next, project) => {
      const branch = pick(next, project.branches)
      return branch ? editHere(world, next, targetOf(project, branch)) : openRequest(world, project)
    },
  ],
  [2, 'request-open', (world, _next, project) => openRequest(world, project)],
  [2, 'request-update', updateRequest],
  [3, 'request-merge', mergeRequest],
  [1, 'request-revert', revertRequest],
  [2, 'rollback', rollback],
  [22, 'people', (world, next, project) => commitThere(world, next, project, anyRef(next))],
  [1, 'people-beside', (world, next) => commitBeside(world, anyRef(next))],
  [2, 'docs', (world) => makeDocs(world)],
  [4, 'docs-merge', (world, next) => mergeThere(world, next)],
  [2, 'force', (world, next) => forceThere(world, next, next(4) === 0 ? DOCS : MAIN)],
  [2, 'revert', (world, next) => revertThere(world, next, anyRef(next))],
  [8, 'import', (world, _next, project) => sync(world, project, 'import', MAIN)],
  [7, 'export', (world, _next, project) => sync(world, project, 'export', MAIN)],
  [
    2,
    'docs-import',
    async (world, _next, project) => (headThere(world, DOCS) ? sync(world, project, 'import', DOCS) : null),
  ],
  [5, 'docs-export', (world, _next, project) => sync(world, project, 'export', DOCS)],
  [
    4,
    'resolve',
    (world, next, project) => resolveHeld(world, next, project, pick(next, [...project.held.keys()].sort()) ?? MAIN),
  ],
  [2, 'preview', previewed],
  [3, 'broken', brokenSync],
  [1, 'race', racedSync],
  [2, 'kill', killedSync],
  [1, 'kill-edit', killedEdit],
  [2, 'admin', adminCommit],
  [1, 'house', keepHouse],
  [
    1,
    'forced-import',
    async (world, next, project) =>
      next(2) === 0 && project.held.size === 0 ? sync(world, project, 'import', MAIN, { force: true }) : null,
  ],
  [
    1,
    'forced-export',
    async (world, next, project) =>
      next(2) === 0 && project.held.size === 0 ? sync(world, project, 'export', MAIN, { force: true }) : null,
  ],
  [1, 'converge', (world, next) => converge(world, next)],
]

/** Additional steps on nodes. */
const onNodes: typeof steps = [
  [2, 'kill', killedSync],
  [2, 'kill-edit', killedEdit],
  [1, 'lose-disk', loseDisk],
]

/** `single`: one commit per export. Without it, all exports are commit by commit. */
export const stepNames = [...steps.map(([, name]) => name), 'lose-disk', ...editNames, ...planNames, 'single']

export interface Options {
  seed: number
  steps: number
  /** Names of the steps to leave out. */
  without?: readonly string[]
  /** The number of nodes. If absent, one server without a database. */
  nodes?: number
  /** The numbers of the steps to play. All others are skipped. */
  only?: ReadonlySet<number>
  /** Called with the account of every step. */
  tell?: (line: string) => void
  /** A folder with a saved world from which the story continues. */
  from?: string
  /** A folder for saved worlds, which are named after the next step, and the number of steps between two of them. */
  save?: { folder: string; every: number }
}

export interface Told {
  log: string[]
  /** Steps with an effect. */
  acted: number[]
  fault: Error | null
  /** The step that failed. `steps` means at the end. */
  at: number
  /** The number of pages in conflict, and the number of these conflicts that may have been needless. */
  conflicts: { all: number; unclear: number }
}

async function play(world: World, options: Options, told: Told, begin: number): Promise<void> {
  const { save } = options
  const all = world.host.kind === 'nodes' ? [...steps, ...onNodes] : steps
  const possible = all
    .filter(([, name]) => !options.without?.includes(name))
    .map(([weight, name, step]) => [weight, [name, step] as const] as const)
  for (let number = begin; number < options.steps; number++) {
    if (save && number > begin && number % save.every === 0)
      await saveWorld(world, number, join(save.folder, String(number)))
    if (options.only && !options.only.has(number)) continue
    told.at = number
    beginStep(world, number)
    const next = randomOfStep(options.seed, number)
    const [name, step] = pickWeighted(next, possible)
    const project = pick(next, world.projects) as Project
    told.log.push(`${number}: ${name} …`)
    const said = await step(world, next, project)
    told.log[told.log.length - 1] = `${number}: ${name}: ${said ?? 'nothing'}`
    options.tell?.(told.log.at(-1) as string)
    if (said === null) continue
    told.acted.push(number)
    await judgeRemote(world)
    for (const { space } of world.projects) await world.host.agree(space)
  }
  told.at = options.steps
  beginStep(world, options.steps)
  told.log.push(`end: ${await converge(world, randomOfStep(options.seed, -2))}`)
  await checkRepositories(world)
}

/** Plays a story and reports it up to its end or its first fault. */
export async function playStory(options: Options): Promise<Told> {
  const told: Told = { log: [], acted: [], fault: null, at: -1, conflicts: { all: 0, unclear: 0 } }
  const killed = !options.without?.includes('kill')
  const without = new Set(options.without)
  const kind = options.nodes
    ? { nodes: options.nodes, seed: options.seed }
    : killed && isApart(options.seed)
      ? 'apart'
      : 'here'
  const { world, step } = options.from
    ? await openSaved(options.from, without)
    : { world: await begin(options.seed, randomOfStep(options.seed, -1), kind, without), step: 0 }
  try {
    await play(world, options, told, step)
  } catch (error) {
    told.fault = error as Error
    told.log.push(...world.said.map((line) => `    ${line}`))
    if (options.save) await saveWorld(world, told.at + 1, join(options.save.folder, 'failed'))
  } finally {
    told.conflicts = { all: world.conflicts.all.size, unclear: world.conflicts.unclear.size }
    await world.close()
  }
  return told
}

/** Leaves out everything that a story does not need to fail in the same way. Returns the remaining steps. */
export async function shrink(options: Options, failed: Told, tell: (line: string) => void): Promise<Told> {
  const kind = (told: Told): string =>
    told.fault instanceof Fault ? told.fault.kind : String(told.fault?.message).slice(0, 40)
  let best = failed
  let left = failed.acted.concat(failed.at < options.steps && !failed.acted.includes(failed.at) ? [failed.at] : [])
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = left.length - size; from > -size; from -= size) {
      const fewer = left.filter((_step, at) => at < from || at >= from + size)
      if (fewer.length === left.length) continue
      const told = await playStory({ ...options, only: new Set(fewer) })
      if (!told.fault || kind(told) !== kind(failed)) continue
      best = told
      left = fewer.filter((step) => step <= told.at)
      tell(`${left.length} steps left: ${left.join(',')}`)
    }
  }
  return best
}
