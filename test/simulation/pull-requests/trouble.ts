/** Troubles: resets, an emptied repository, a renamed branch, lost responses, kills, an admin with plain Git. */
import { git } from '../../support/hermetic-git.js'
import { pick, type Random } from '../two-sided/random.js'
import { Fault } from './fault.js'
import { mainOf, update, write } from './here.js'
import { judgeHere, recordDifference } from './judge.js'
import { commitFiles } from './people.js'
import { settingIn, spotOf, withNote, withSetting } from './pages.js'
import { absorb, exportTo, importFrom, isInStep, pass, settle } from './sync.js'
import { DOCS, MAIN, MINUTE, type SeenHead, type World } from './world.js'

/** Whether only people on the remote added a line there since a commit: for example by reverting its removal. */
function isOnlyBackThere(world: World, key: string, branch: string, since: SeenHead): boolean {
  const dropped = world.account.known(world.sideOf(branch), key).filter((act) => !since.side.has(act))
  const written = dropped.map((act) => world.account.acts[act]).filter((act) => act?.present)
  return written.length > 0 && written.every((act) => act?.from === 'there')
}

/**
 * Resets a branch to an earlier commit. Lines that people wrote there may disappear, and removed ones may return. Lines
 * written here stay.
 */
async function setBack(world: World, branch: string, to: SeenHead): Promise<void> {
  const [before, after] = await Promise.all([
    world.remote.at((await world.remote.heads()).get(branch) as string),
    world.remote.at(to.commit),
  ])
  await world.remote.git('update-ref', `refs/heads/${branch}`, to.commit)
  const side = to.side.copy()
  const isTheirs = (key: string): boolean =>
    world.account.acts.find((act) => act.key === key)?.from === 'there' || isOnlyBackThere(world, key, branch, to)
  const open = new Map([...before.lines].filter(([key]) => after.lines.has(key) || isTheirs(key)))
  recordDifference(world, side, 'there', [{ lines: open }, after], { over: () => [] })
  world.there.set(branch, side)
  world.seen.push({ branch, commit: to.commit, side: side.copy() })
}

/** Resets main on the remote by some commits. */
export async function reset(world: World, next: Random): Promise<string | null> {
  const now = (await world.remote.heads()).get(MAIN) as string
  const commits = (await world.remote.git('rev-list', '--first-parent', '--max-count=6', now)).split('\n').slice(1)
  const to = world.seen.findLast(
    ({ branch, commit }) => branch === MAIN && commit === commits[Math.min(next(4), commits.length - 1)],
  )
  if (!to) return null
  await setBack(world, MAIN, to)
  return `set back to ${to.commit.slice(0, 7)}`
}

/** Copies the content of the repository. */
export async function backUp(world: World): Promise<void> {
  world.backup = new Map([...(await world.remote.heads())].filter(([branch]) => branch === MAIN || branch === DOCS))
}

/** The repository is restored from the last backup. */
export async function restoreBackup(world: World): Promise<string | null> {
  const { backup } = world
  if (!backup) return null
  world.backup = undefined
  const heads = await world.remote.heads()
  for (const [branch, commit] of backup) {
    const to = world.seen.findLast((one) => one.branch === branch && one.commit === commit)
    if (to && heads.has(branch) && heads.get(branch) !== commit) await setBack(world, branch, to)
  }
  return 'restored'
}

async function demandFailure(world: World, what: string): Promise<void> {
  const failure = await world.failure()
  if (!failure) throw new Fault('silent', `${what}, and the connection reports no failure`)
}

/**
 * The repository is empty for a while, people write here, and it is restored. Nothing may be pushed into the empty one.
 */
export async function empty(world: World, next: Random): Promise<string | null> {
  if (!(await isInStep(world)) || (await world.failure())) return null
  const refs = await world.remote.git('for-each-ref', '--format=%(refname) %(objectname)')
  for (const line of refs.split('\n')) await world.remote.git('update-ref', '-d', line.split(' ')[0] as string)
  const said: (string | null)[] = []
  for (let times = next(2); times >= 0; times--) {
    said.push(await write(world, next, mainOf(world)))
    await world.spaces.forward(6 * MINUTE)
  }
  const filled = await world.remote.heads()
  if (filled.size > 0) throw new Fault('filled', `the emptied repository has ${[...filled.keys()]}`)
  await demandFailure(world, 'the repository was emptied')
  for (const line of refs.split('\n')) await world.remote.git('update-ref', ...line.split(' '))
  await pass(world, 61 * MINUTE)
  return `emptied, ${said}, restored`
}

/**
 * The branch is renamed on the remote, people write here, and the name is restored. Nothing may create the branch in
 * between.
 */
export async function rename(world: World, next: Random): Promise<string | null> {
  if (await world.failure()) return null
  const head = (await world.remote.heads()).get(MAIN) as string
  const renamed = next(2) === 0
  if (renamed) await world.remote.git('update-ref', 'refs/heads/trunk', head)
  await world.remote.git('update-ref', '-d', 'refs/heads/main')
  const said: (string | null)[] = []
  for (let times = next(2); times >= 0; times--) {
    said.push(await write(world, next, mainOf(world)))
    await world.spaces.forward(6 * MINUTE)
  }
  const created = (await world.remote.heads()).get(MAIN)
  if (created !== undefined)
    throw new Fault('created', `main was ${renamed ? 'renamed' : 'deleted'} there, and is there again as ${created}`)
  await demandFailure(world, `main was ${renamed ? 'renamed' : 'deleted'} there`)
  await world.remote.git('update-ref', 'refs/heads/main', head)
  if (renamed) await world.remote.git('update-ref', '-d', 'refs/heads/trunk')
  await pass(world, 61 * MINUTE)
  return `main ${renamed ? 'renamed' : 'deleted'}, ${said}, and there again`
}

/**
 * Two values in opposite order: here 1, then 2, on the remote 2, then 1. The last value of each side must not be lost.
 */
export async function cross(world: World, next: Random): Promise<string | null> {
  if (!(await isInStep(world))) return null
  const { files } = await world.spaceMain()
  const settings = [...world.account.keys()]
    .map(spotOf)
    .filter(({ path, section, token }) => settingIn(files.get(path) ?? '', section) === token)
  const spot = pick(next, settings)
  if (!spot) return null
  const { path, section } = spot
  const [first, second] = [world.token('here'), world.token('there')]
  const text = files.get(path) as string
  if (!(await update(world, mainOf(world), path, (now) => withSetting(now, section, first)))) return null
  await update(world, mainOf(world), path, (now) => withSetting(now, section, second), true)
  await commitFiles(world, MAIN, new Map([[path, withSetting(text, section, second)]]))
  await commitFiles(world, MAIN, new Map([[path, withSetting(text, section, first)]]), () => true)
  return `setting of ${path}, ${section}: here ${first}, ${second}; there ${second}, ${first}; ${await importFrom(world, MAIN)}`
}

/** The response to a push is lost. */
export async function loseResponse(world: World, next: Random): Promise<string | null> {
  const { behaviour } = world.spaces.remotes
  behaviour.losePushResponses = true
  const said = await exportTo(world, next(2) === 0 ? MAIN : DOCS).finally(() => delete behaviour.losePushResponses)
  return `export without a response: ${said}`
}

/** Git requests and arrived pushes: the places where the server can be killed. */
function killAt(world: World, next: Random, kill: () => Promise<void>): void {
  const { behaviour } = world.spaces.remotes
  if (next(3) === 0) Object.assign(behaviour, { losePushResponses: true, onLostPush: kill })
  else {
    let left = 1 + next(5)
    behaviour.onRequest = () => (--left === 0 ? kill() : undefined)
  }
}

/**
 * The server is killed while it imports, exports or polls the host, perhaps while a person writes. Only acknowledged
 * lines count.
 */
export async function kill(world: World, next: Random): Promise<string | null> {
  const { spaces } = world
  let killed: Promise<void> | null = null
  const die = (): Promise<void> => (killed ??= spaces.kill())
  killAt(world, next, die)
  const branch = next(2) === 0 ? MAIN : DOCS
  const body = { url: world.names.url, ref: `refs/heads/${branch}` }
  const how = next(3)
  const started =
    how === 0
      ? spaces.forward(6 * MINUTE)
      : world
          .ask(
            'post',
            how === 1 ? '/git/import' : '/git/export',
            how === 1 ? body : { ...body, commitMessage: 'Export' },
          )
          .then(() => spaces.idle())
  const wrote = next(2) === 0 ? writeMeanwhile(world, next) : null
  await started.catch(() => undefined)
  await die()
  for (const name of ['onRequest', 'losePushResponses', 'onLostPush'] as const) delete spaces.remotes.behaviour[name]
  const said = await wrote
  await spaces.start()
  await spaces.idle()
  await takeUnacknowledged(world)
  await absorb(world)
  return `killed at ${['a look', 'an import', 'an export'][how]} of ${branch}${said ? `; ${said}` : ''}`
}

async function writeMeanwhile(world: World, next: Random): Promise<string> {
  return (await write(world, next, mainOf(world)).catch(() => 'a write without a response')) ?? 'nothing written'
}

/** Adds lines that are in main here although their write got no response. */
async function takeUnacknowledged(world: World): Promise<void> {
  const { lines } = await world.spaceMain()
  const known = new Set(world.account.keys())
  recordDifference(
    world,
    world.here,
    'here',
    [{ lines: new Map() }, { lines: new Map([...lines].filter(([key]) => !known.has(key))) }],
    {
      why: 'not acknowledged',
    },
  )
}

/** An admin commits to main of the space's repository with plain Git, or runs Git maintenance. */
export async function admin(world: World, next: Random): Promise<string | null> {
  if (next(3) === 0) {
    await world.space.git('gc', '--quiet')
    return 'gc'
  }
  const before = await world.spaceMain()
  const key = pick(
    next,
    [...before.lines.keys()].filter((one) => !one.endsWith('.md')),
  )
  if (key === null) return null
  const { path, section } = spotOf(key)
  const text = withNote(before.files.get(path) as string, section, world.token('here'), next(6)) as string
  await commitHere(world, path, text)
  recordDifference(world, world.here, 'here', [before, await world.spaceMain()])
  await world.spaces.idle()
  await judgeHere(world)
  return `a note into ${path}, ${section}`
}

async function commitHere(world: World, path: string, text: string): Promise<void> {
  const data = `commit refs/heads/main\ncommitter Ada Author <ada@example.com> ${1_800_000_000 + world.step} +0000\ndata 5\nAdmin\nfrom refs/heads/main^0\nM 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
  await git(world.space.path, ['fast-import', '--quiet'], data)
}

/** Brings both sides up to date from time to time, and makes a backup then. */
export async function meet(world: World, next: Random): Promise<string> {
  const said = await settle(world)
  if (next(2) === 0) await backUp(world)
  return said
}
