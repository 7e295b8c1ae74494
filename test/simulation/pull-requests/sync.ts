/**
 * Runs of the service: the changes that they report and those in Git's history, and the way until both sides are up to
 * date.
 */
import type { Side } from './acts.js'
import { Fault } from './fault.js'
import { judgeHere, judgeInStep } from './judge.js'
import { resolveHeld } from './resolve.js'
import { DOCS, MAIN, MINUTE, type SeenHead, type World } from './world.js'

/** Number of newest heads of the remote that are searched in main here. */
const RECENT = 12
const HOUR = 61 * MINUTE

interface Run {
  id: string
  direction: 'import' | 'export'
  state: string
  remoteRevision?: string
  changeRequest?: string
}

/** Records the finished runs in the account. */
async function creditRuns(world: World): Promise<void> {
  const { items } = await world.ask('get', '/git/history?limit=30')
  for (const run of (items as Run[]).toReversed()) {
    if (world.runs.has(run.id) || ['queued', 'running'].includes(run.state)) continue
    world.runs.add(run.id)
    const side = world.seen.findLast(({ commit }) => commit === run.remoteRevision)?.side
    if (side && run.direction === 'import' && run.state === 'success') world.here.take(side)
    if (side && run.state === 'conflict' && run.changeRequest) {
      const { number } = await world.ask('get', `/change-requests/${run.changeRequest}`)
      world.held.set(number, { number, side: side.copy() })
    }
  }
}

/** Every push of the service has the content of main here and reverts nothing by force. */
async function creditPushes(world: World): Promise<void> {
  for (const [branch, commit] of await world.remote.heads()) {
    const last = world.seen.findLast((one) => one.branch === branch)
    if (last?.commit === commit) continue
    if (last && !(await world.remote.contains(commit, last.commit)))
      throw new Fault('forced', `${branch} was moved from ${last.commit} to ${commit}, which does not contain it`)
    if (branch === MAIN || branch === DOCS) await creditExport(world, branch, commit, last)
    else {
      const request = [...world.requests.values()].find((one) => one.branch === branch)
      world.there.set(branch, (request?.side ?? world.here).copy())
    }
    await world.see(branch, 'service')
  }
}

async function creditExport(world: World, branch: string, commit: string, last: SeenHead | undefined): Promise<void> {
  if (last) world.here.take(last.side)
  const head = (await world.space.heads()).get(MAIN) as string
  const [ours, theirs] = await Promise.all([world.space.at(head), world.remote.at(commit)])
  if (ours.tree === theirs.tree) return void world.there.set(branch, world.here.copy())
  if (!(await wasHere(world, theirs.tree)))
    throw new Fault('export', `${branch} there is not what main here is\n${ours.tree}\n-- there:\n${theirs.tree}`)
  // A person wrote during the export.
  const side = world.before.copy()
  if (last) side.take(last.side)
  world.there.set(branch, side)
}

/** Whether main here had a tree recently. */
async function wasHere(world: World, tree: string): Promise<boolean> {
  const commits = (await world.space.git('rev-list', '--first-parent', `--max-count=${RECENT}`, 'main')).split('\n')
  for (const commit of commits) if ((await world.space.at(commit)).tree === tree) return true
  return false
}

/** The commits that main here and the branches of change requests contain in Git's history. */
async function creditHistory(world: World): Promise<void> {
  const heads = await world.space.heads()
  const credit = async (side: Side, ref: string, branches: readonly string[]): Promise<void> => {
    const head = heads.get(ref)
    if (head === undefined) return
    for (const one of world.seen.filter(({ branch }) => branches.includes(branch)).slice(-RECENT))
      if (await world.space.contains(head, one.commit)) side.take(one.side)
  }
  await credit(world.here, MAIN, [MAIN, DOCS])
  for (const { number, side, branch } of world.requests.values())
    if (branch) await credit(side, `change-requests/${number}`, [branch])
}

/** Adds merged change requests to main, and forgets archived ones. */
async function creditRequests(world: World): Promise<void> {
  for (const { number, side } of [...world.requests.values()]) {
    const { status } = await world.ask('get', `/change-requests/${number}`)
    if (status === 'merged') world.here.take(side)
    if (status === 'merged' || status === 'archived') world.requests.delete(number)
  }
}

/** Records the actions of the service in the account without judging them. */
export async function credit(world: World): Promise<void> {
  await creditRuns(world)
  await creditHistory(world)
  await creditPushes(world)
  await creditRequests(world)
}

export async function absorb(world: World): Promise<void> {
  await credit(world)
  await judgeHere(world)
}

/** Advances the clock until all work that is due is done. */
export async function pass(world: World, ms: number): Promise<void> {
  await world.spaces.forward(ms)
  await absorb(world)
}

/** A manual import of a branch. */
export async function importFrom(world: World, branch: string): Promise<string> {
  await world.ask('post', '/git/import', { url: world.names.url, ref: `refs/heads/${branch}` })
  await world.spaces.idle()
  return outcome(world)
}

/** A manual export to a branch. */
export async function exportTo(world: World, branch: string): Promise<string> {
  await world.ask('post', '/git/export', {
    url: world.names.url,
    ref: `refs/heads/${branch}`,
    commitMessage: `Export ${world.step}`,
  })
  await world.spaces.idle()
  return outcome(world)
}

async function outcome(world: World): Promise<string> {
  await absorb(world)
  const [run] = (await world.ask('get', '/git/history?limit=1')).items
  return [run.state, run.result, run.error].filter((part) => part !== undefined).join(', ')
}

export async function isInStep(world: World): Promise<boolean> {
  if (!(await world.remote.heads()).has(MAIN)) return false
  return (await world.remoteMain()).tree === (await world.spaceMain()).tree && (await heldRequests(world)).length === 0
}

/** Lists the open change requests that the service opened. Each holds a conflict. */
export async function heldRequests(world: World): Promise<number[]> {
  const { items } = await world.ask('get', '/change-requests?status=open&limit=100')
  return (items as { number: number }[]).map(({ number }) => number).filter((number) => !world.requests.has(number))
}

/** Finishes running work and resolves conflicts until both sides are up to date. Then judges everything. */
export async function settle(world: World): Promise<string> {
  let resolved = 0
  let quiet = 0
  for (let times = 0; quiet < 2; times++) {
    if (times === 15) throw new Fault('not in step', await trouble(world))
    await pass(world, HOUR)
    const held = await heldRequests(world)
    for (const number of held) await resolveHeld(world, number)
    resolved += held.length
    if (held.length === 0 && world.direction === 'import') await exportTo(world, MAIN)
    quiet = held.length === 0 && (await isInStep(world)) && !(await world.failure()) ? quiet + 1 : 0
  }
  const both = world.here.copy()
  both.take(world.sideOf(MAIN))
  judgeInStep(world, both, await world.spaceMain())
  world.here.take(both)
  world.there.set(MAIN, both.copy())
  ;(world.seen.findLast(({ branch }) => branch === MAIN) as SeenHead).side = both.copy()
  world.account.inStep = both
  return resolved === 0 ? 'in step' : `in step after ${resolved} conflicts`
}

async function trouble(world: World): Promise<string> {
  const [ours, theirs] = await Promise.all([world.spaceMain(), world.remoteMain()])
  const { items } = await world.ask('get', '/git/history?limit=3')
  return `${JSON.stringify(await world.failure())}\nheld: ${await heldRequests(world)}\nruns: ${JSON.stringify(items)}\n${ours.tree === theirs.tree ? 'equal trees' : `${ours.tree}\n-- there:\n${theirs.tree}`}`
}
