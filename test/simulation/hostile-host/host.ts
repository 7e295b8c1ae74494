/** Changes of the host to the repository, and faults of the server during them. */
import { Fault } from '../pull-requests/fault.js'
import { DOCS, MAIN, MINUTE } from '../pull-requests/world.js'
import { pick, type Random } from '../two-sided/random.js'
import { edit, pushToDoor } from './people.js'
import { judge, pass, type Place, tokensOf, tokensThere } from './world.js'

const TRUNK = 'trunk'

/** Forgets lines that people wrote on the remote and that the host has dropped. */
function forget(place: Place, before: ReadonlySet<string>, kept: ReadonlySet<string>): void {
  for (const [token, { from }] of place.lines)
    if (from === 'there' && before.has(token) && !kept.has(token)) place.lines.delete(token)
}

/** Runs a change of the host. What main there had before and lacks now is dropped. */
async function asHost(place: Place, before: ReadonlySet<string>, change: () => Promise<unknown>): Promise<void> {
  await change()
  const main = await tokensThere(place, MAIN)
  forget(place, before, main)
}

async function setMain(place: Place, to: string, before?: ReadonlySet<string>): Promise<void> {
  await asHost(place, before ?? (await tokensThere(place)), () =>
    place.world.remote.git('update-ref', `refs/heads/${MAIN}`, to),
  )
  place.past.push(to)
}

/** Deletes branches of the remote. Lines that main here has stay. Returns the lines that were there. */
async function deleteThere(place: Place, branches: Iterable<string>): Promise<ReadonlySet<string>> {
  const before = await tokensThere(place)
  for (const branch of branches) await place.world.remote.git('update-ref', '-d', `refs/heads/${branch}`)
  const kept = await tokensThere(place)
  for (const token of tokensOf(await place.world.spaceMain())) kept.add(token)
  forget(place, before, kept)
  return before
}

const mainThere = async ({ world }: Place): Promise<string | undefined> => (await world.remote.heads()).get(MAIN)

/** Forces main to an earlier head, or rewrites its newest commits. */
export async function forcePush(place: Place, next: Random): Promise<string | null> {
  const { world } = place
  const head = await mainThere(place)
  if (!head) return null
  if (next(3) === 0) {
    const parent = await world.remote.git('rev-parse', '--verify', '--quiet', `${head}^`).catch(() => '')
    const to = await world.remote.git(
      ...['-c', 'user.name=Host', '-c', 'user.email=host@example.com', 'commit-tree', `${head}^{tree}`],
      ...(parent === '' ? [] : ['-p', parent]),
      ...['-m', `Reworded in step ${place.step}`],
    )
    await setMain(place, to)
    return `${head.slice(0, 7)} rewritten as ${to.slice(0, 7)}`
  }
  const to = pick(
    next,
    [...new Set(place.past.slice(-6))].filter((one) => one !== head),
  )
  if (to === null) return null
  await setMain(place, to)
  return `main from ${head.slice(0, 7)} to ${to.slice(0, 7)}`
}

/** Deletes main, or renames it. After some time, it is there again, perhaps at an earlier commit. */
export async function loseMain(place: Place, next: Random): Promise<string | null> {
  const { world } = place
  const head = await mainThere(place)
  if (!head) return null
  const renamed = next(2) === 0
  if (renamed) {
    await world.remote.git('update-ref', `refs/heads/${TRUNK}`, head)
    await world.remote.git('symbolic-ref', 'HEAD', `refs/heads/${TRUNK}`)
  }
  const before = await deleteThere(place, [MAIN])
  const said: (string | null)[] = []
  for (let times = next(3); times >= 0; times--) {
    said.push(await pick(next, [edit, pushToDoor])!(place, next))
    await pass(place, 6 * MINUTE)
    await judge(place)
  }
  if (await mainThere(place))
    throw new Fault('created', `main was ${renamed ? 'renamed' : 'deleted'}, and is there again`)
  const to = next(3) === 0 ? (pick(next, place.past.slice(-4)) ?? head) : head
  await setMain(place, to, before)
  if (renamed) {
    await world.remote.git('symbolic-ref', 'HEAD', `refs/heads/${MAIN}`)
    await world.remote.git('update-ref', '-d', `refs/heads/${TRUNK}`)
  }
  return `main ${renamed ? 'renamed' : 'deleted'}, ${said.join(', ')}, and there again at ${to.slice(0, 7)}`
}

/** The repository is deleted and created again, empty for a while. */
export async function recreate(place: Place, next: Random): Promise<string | null> {
  const { world } = place
  const heads = await world.remote.heads()
  if (!heads.has(MAIN)) return null
  const before = await deleteThere(place, heads.keys())
  const said = await edit(place, next)
  await pass(place, 6 * MINUTE)
  await judge(place)
  const filled = await world.remote.heads()
  if (filled.has(MAIN)) throw new Fault('filled', `the emptied repository has ${[...filled.keys()]}`)
  await setMain(place, pick(next, place.past.slice(-4)) as string, before)
  return `created again, ${said}`
}

export async function backUp(place: Place): Promise<string> {
  place.backup = await place.world.remote.heads()
  return `${place.backup.size} branches`
}

/** Restores all branches from the backup. Newer ones are gone. */
export async function restoreBackup(place: Place): Promise<string | null> {
  const { backup, world } = place
  if (!backup?.has(MAIN)) return null
  await asHost(place, await tokensThere(place), async () => {
    for (const branch of (await world.remote.heads()).keys())
      if (!backup.has(branch)) await world.remote.git('update-ref', '-d', `refs/heads/${branch}`)
    for (const [branch, commit] of backup) await world.remote.git('update-ref', `refs/heads/${branch}`, commit)
  })
  place.past.push(backup.get(MAIN) as string)
  return 'restored'
}

/** A manual import or export, also of a branch that does not exist. */
export async function sync(place: Place, next: Random): Promise<string> {
  const { world } = place
  const branch = next(4) === 0 ? DOCS : MAIN
  const body = { url: world.names.url, ref: `refs/heads/${branch}` }
  if (next(2) === 0) await world.ask('post', '/git/import', body)
  else await world.ask('post', '/git/export', { ...body, commitMessage: `Export ${place.step}` })
  await world.spaces.idle()
  const { direction, state, result } = (await world.ask('get', '/git/history?limit=1')).items[0]
  return `${direction} of ${branch}: ${state} ${result ?? ''}`
}

/** A preview moves no ref. */
export async function preview(place: Place, next: Random): Promise<string> {
  const { world } = place
  const refs = () => Promise.all([world.space.git('for-each-ref'), world.remote.git('for-each-ref')])
  const before = await refs()
  const direction = next(2) === 0 ? 'import' : 'export'
  const body = { direction, url: world.names.url, ref: `refs/heads/${MAIN}` }
  const { status, body: told } = await world.call('post', '/git/preview', body)
  const after = await refs()
  if (after.join() !== before.join()) throw new Fault('preview', `${direction} moved refs:\n${before}\n${after}`)
  return `${direction}: ${told?.result ?? status}`
}

/** The response to a push of the service is lost. */
export async function loseResponse(place: Place): Promise<string> {
  const { behaviour } = place.world.spaces.remotes
  behaviour.losePushResponses = true
  await pass(place, 6 * MINUTE).finally(() => delete behaviour.losePushResponses)
  return 'six minutes without responses to pushes'
}

/** The server is killed while it works and people write. Only what was acknowledged counts. */
export async function kill(place: Place, next: Random): Promise<string> {
  const { spaces } = place.world
  let killed: Promise<void> | null = null
  const die = (): Promise<void> => (killed ??= spaces.kill())
  const { behaviour } = spaces.remotes
  if (next(3) === 0) Object.assign(behaviour, { losePushResponses: true, onLostPush: die })
  else {
    let left = 1 + next(5)
    behaviour.onRequest = () => (--left === 0 ? die() : undefined)
  }
  const wrote = pick(next, [edit, pushToDoor, async () => null])!(place, next).catch(() => 'a write without a response')
  await Promise.all([spaces.forward(6 * MINUTE).catch(() => undefined), wrote])
  await die()
  for (const name of ['onRequest', 'losePushResponses', 'onLostPush'] as const) delete behaviour[name]
  await spaces.start()
  await spaces.idle()
  return `killed; ${await wrote}`
}
