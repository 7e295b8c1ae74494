import { git } from '../../support/hermetic-git.js'
import { Gone } from './api.js'
import { Fault } from './fault.js'
import { judgeTarget, mainOf } from './here.js'
import { record } from './judge.js'
import { planOf } from './plans.js'
import { recordThere } from './people.js'
import { pick, type Random } from './random.js'
import { absorb, before, idle, inputOf, startSync, sync } from './sync.js'
import { PARTS, withLine } from './text.js'
import { DOCS, headHere, headThere, MAIN, type Project, type Ref, seeHere, seeThere, why, type World } from './world.js'

const directions = ['import', 'export', 'export'] as const
const refsOf = ({ without }: World): readonly Ref[] => [MAIN, MAIN, without.has('docs-export') ? MAIN : DOCS]

const isPush = (url: string): boolean => url.includes('git-receive-pack')

type Break = (world: World, next: Random, project: Project) => Promise<() => Promise<unknown> | unknown>

/** The push is performed, but its response never arrives. */
const pushResponseLost: Break = async ({ remotes }) => {
  remotes.behaviour.losePushResponses = true
  return () => delete remotes.behaviour.losePushResponses
}

/** A fetch breaks off after some bytes. */
const fetchCut: Break = async ({ remotes }, next) => {
  const bytes = next(600)
  remotes.behaviour.onRequest = ({ method, url }) => {
    if (method === 'POST' && !isPush(url)) remotes.behaviour.cutAfter = bytes
    else delete remotes.behaviour.cutAfter
  }
  return () => {
    delete remotes.behaviour.onRequest
    delete remotes.behaviour.cutAfter
  }
}

const pushRefused: Break = async ({ remote, remotes }, next) => {
  if (next(2) === 0) {
    remotes.behaviour.pushStatus = 403
    return () => delete remotes.behaviour.pushStatus
  }
  await remote.rejectPushes('GH006: Protected branch update failed.')
  return () => remote.rejectPushes(null)
}

const remoteDown: Break = async ({ remotes }) => {
  remotes.behaviour.onRequest = () => {
    throw new Error('down')
  }
  return () => delete remotes.behaviour.onRequest
}

/** A sync with a remote that fails in one way during the run. */
export async function brokenSync(world: World, next: Random, project: Project): Promise<string> {
  const [name, breaks] = pick(next, [
    ['the response to the push lost', pushResponseLost],
    ['the response to the push lost', pushResponseLost],
    ['the fetch cut', fetchCut],
    ['the push refused', pushRefused],
    ['the remote down', remoteDown],
  ] as const) as readonly [string, Break]
  const [direction, ref] = [pick(next, directions), pick(next, refsOf(world))] as ['import' | 'export', Ref]
  const mend = await breaks(world, next, project)
  try {
    return `${await sync(world, project, direction, ref, { broken: true })} (${name})`
  } finally {
    await mend()
  }
}

/** A sync during which a person pushes to the remote, just before the service's own push. */
export async function racedSync(world: World, next: Random, project: Project): Promise<string> {
  const head = headThere(world, MAIN)
  const plan = head ? planOf(world, next, await seeThere(world, project, head)) : null
  if (!plan) return sync(world, project, 'export', MAIN)
  const files =
    project.folder === ''
      ? plan.files
      : Object.fromEntries(Object.entries(plan.files).map(([path, text]) => [`${project.folder}/${path}`, text]))
  let raced = false
  const then = await before(world, project)
  world.remotes.behaviour.onRequest = async ({ method, url }) => {
    if (raced || method !== 'POST' || !isPush(url)) return
    raced = true
    const commit = await world.remote.commit(files, { message: plan.what })
    world.past.set(MAIN, [...(world.past.get(MAIN) ?? []), commit])
    const known = project.there.get(MAIN)
    if (known) then.unraced = known.copy()
    // Recorded before the service can respond.
    await recordThere(world, MAIN, 'a person on the remote during a push')
    then.there.set(MAIN, commit)
  }
  try {
    await startSync(world, project, 'export', MAIN, false)
    const runs = await idle(world, project, then.last)
    return `${await absorb(world, project, then, runs, {})}${raced ? ` (meanwhile there: ${plan.what})` : ''}`
  } finally {
    delete world.remotes.behaviour.onRequest
  }
}

/** The server is killed during a sync and restarts. */
export async function killedSync(world: World, next: Random, project: Project): Promise<string> {
  const { host } = world
  const [direction, ref] = [pick(next, directions), pick(next, refsOf(world))] as ['import' | 'export', Ref]
  const [reach, delay] = [pick(next, ['server', 'group', 'tree'] as const) ?? 'tree', next(250)]
  if (!host.kill) {
    await host.restart()
    return 'restart'
  }
  const then = await before(world, project)
  await startSync(world, project, direction, ref, false)
  await new Promise((done) => setTimeout(done, delay))
  await host.kill(reach)
  // The other nodes take over the work of the killed node.
  const late = host.kind === 'nodes' && next(2) === 0
  if (!late) await host.restart()
  const runs = await idle(world, project, then.last)
  if (late) await host.restart()
  const told = await absorb(world, project, then, runs, { broken: true })
  return `${told} (${reach} killed after ${delay} ms${late ? ', and back when others had done it' : ''})`
}

/** The server is killed during an edit, which is applied completely or not at all. */
export async function killedEdit(world: World, next: Random, project: Project): Promise<string | null> {
  const { host } = world
  if (!host.kill) return null
  const seen = await seeHere(project)
  const page = pick(
    next,
    [...seen.pages.values()].filter((one) => project.ids.has(one.page) && one.title !== null),
  )
  if (!page) return null
  // At the end, with the line ends of the page: an edit keeps them.
  const text = withLine(page.text, page.page, PARTS, `${page.page}-${++world.count} says it before the end.`)
  const changes = [{ operation: 'update_page', page: project.ids.get(page.page)?.id, document: { markdown: text } }]
  const asked = host.api.call('POST', `${project.url}/content`, { changes }).catch((error: unknown) => error)
  await new Promise((done) => setTimeout(done, next(25)))
  await host.kill('group')
  const outcome = await asked
  await host.restart()
  const after = await seeHere(project)
  const made = after.pages.get(page.page)?.text === text
  if (!made && !(outcome instanceof Gone))
    throw new Fault(
      'line missing',
      `${project.name}: an edit of ${page.path} was acknowledged (${JSON.stringify(outcome)}), and is lost after a kill`,
    )
  record(project.main, after, why(world, 'an edit here, before a kill'))
  await judgeTarget(world, mainOf(project))
  return `${project.name}: edit ${page.path}, killed: ${made ? 'made' : 'not made'}`
}

/** A preview changes nothing, and its prediction matches the import. */
export async function previewed(world: World, next: Random, project: Project): Promise<string> {
  const direction = next(2) === 0 ? 'import' : 'export'
  const ref = pick(next, refsOf(world)) as Ref
  const allRefs = () => Promise.all([project.objects.refs(), git(world.remote.path, ['for-each-ref'])])
  const was = await allRefs()
  const { status, body, text } = await world.host.api.call('POST', `${project.url}/git/preview`, {
    direction,
    ...inputOf(world, project, ref),
  })
  const is = await allRefs()
  if (JSON.stringify(was) !== JSON.stringify(is))
    throw new Fault(
      'preview',
      `${project.name}: the preview of an ${direction} of ${ref} moved refs: ${was} became ${is}`,
    )
  if (status !== 200 && !(status === 400 && !headThere(world, ref)))
    throw new Fault('preview', `${project.name}: ${direction} of ${ref}: ${status} ${text}`)
  const said = `${project.name}: preview of ${direction} ${ref.slice(11)}: ${body?.result ?? status}`
  if (direction === 'export' || status !== 200 || next(2) === 0) return said
  const here = await headHere(project)
  const told = await sync(world, project, 'import', ref)
  const came = project.held.has(ref) ? 'conflict' : (await headHere(project)) === here ? 'none' : 'clean'
  if (came !== body.result && body.result !== 'adopt')
    throw new Fault(
      'preview',
      `${project.name}: the preview of an import of ${ref} said ${body.result}, and the import came to ${came}`,
    )
  return `${said}, then ${told}`
}

/** An admin commits on main here with plain Git. */
export async function adminCommit(world: World, next: Random, project: Project): Promise<string | null> {
  const plan = planOf(world, next, await seeHere(project))
  if (!plan) return null
  await project.objects.commit(MAIN, plan.files, plan.what, world.clock.seconds)
  record(project.main, await seeHere(project), why(world, 'an administrator with plain Git'))
  await judgeTarget(world, mainOf(project))
  return `${project.name}, by hand here: ${plan.what}`
}

export async function keepHouse(world: World, next: Random, project: Project): Promise<string> {
  const args = pick(next, [
    ['pack-refs', '--all'],
    ['gc', '--quiet'],
    ['gc', '--quiet', '--prune=now'],
  ]) as string[]
  await project.objects.keepHouse(args)
  await judgeTarget(world, mainOf(project))
  return `${project.name}: git ${args.join(' ')}`
}

/** A node is killed and returns with an empty disk. */
export async function loseDisk(world: World, _next: Random, project: Project): Promise<string | null> {
  const said = await world.host.loseDisk?.()
  if (said === undefined) return null
  await judgeTarget(world, mainOf(project))
  return said
}
