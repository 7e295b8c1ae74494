/** Compares both sides with the account. */
import type { Side } from './acts.js'
import { Fault } from './fault.js'
import { isPage } from './pages.js'
import type { Snapshot } from './repository.js'
import { MAIN, type World } from './world.js'

const nameOf = (key: string): string => (isPage(key) ? `page ${key}` : `line "${key}"`)

/** The branches of open change requests. Their content counts as held. */
async function heldLines(world: World): Promise<Snapshot[]> {
  const heads = await world.space.heads()
  const { items } = await world.ask('get', '/change-requests?status=open&limit=1000')
  const branches = (items as { number: number }[]).map(({ number }) => heads.get(`change-requests/${number}`))
  return Promise.all(branches.filter((head) => head !== undefined).map((head) => world.space.at(head)))
}

/**
 * After each step: no line that main here must have is missing on both sides, unless an open change request holds it.
 */
export async function judgeHere(world: World): Promise<void> {
  const head = (await world.space.heads()).get(MAIN) as string
  if (head === world.judged) return
  const [here, remote] = await Promise.all([world.space.at(head), theirs(world)])
  const missing = [...world.account.keys()].filter(
    (key) => !here.lines.has(key) && !remote?.lines.has(key) && world.account.value(world.here, key) === 'present',
  )
  if (missing.length > 0) {
    const held = await heldLines(world)
    const lost = missing.filter((key) => !held.some(({ lines }) => lines.has(key)))
    if (lost.length > 0) throw missingFault(world, lost)
  }
  for (const [key, count] of here.lines)
    if (count > 1 && world.account.writers(world.here, key) <= 1 && !world.doubled.has(key))
      throw new Fault('line twice', `${nameOf(key)} is in main here ${count} times\n${world.account.story(key)}`)
  world.judged = head
}

async function theirs(world: World): Promise<Snapshot | null> {
  const head = (await world.remote.heads()).get(MAIN)
  return head === undefined ? null : world.remote.at(head)
}

function missingFault(world: World, lost: readonly string[]): Fault {
  const key = lost.find(isPage) ?? (lost[0] as string)
  return new Fault(
    isPage(key) ? 'page missing' : 'line missing',
    `${lost.map(nameOf).join(', ')}\n${world.account.story(key)}`,
  )
}

/** Once both sides are up to date: everything matches the account, and choices of the service become final. */
export function judgeInStep(world: World, both: Side, { lines }: Snapshot): void {
  const { account } = world
  const lost = [...account.keys()].filter((key) => !lines.has(key) && account.value(both, key) === 'present')
  if (lost.length > 0) throw missingFault(world, lost)
  for (const [key, count] of lines) {
    const value = account.value(both, key)
    if (value === 'absent')
      throw new Fault(
        isPage(key) ? 'page back' : 'line back',
        `${nameOf(key)} is back although a person removed it\n${account.story(key)}`,
      )
    if (count > 1 && account.writers(both, key) <= 1 && !world.doubled.has(key))
      throw new Fault('line twice', `${nameOf(key)} is on both sides ${count} times\n${account.story(key)}`)
  }
  for (const key of account.keys())
    if (account.value(both, key) === 'either')
      account.record(both, { key, present: lines.has(key), from: 'here', why: 'what both sides have in step' })
}

/** Records the acts of people on a branch as the difference of two trees. */
export function recordDifference(
  world: World,
  side: Side,
  from: 'here' | 'there',
  [before, after]: readonly [Pick<Snapshot, 'lines'>, Pick<Snapshot, 'lines'>],
  options: { over?: (key: string) => readonly number[]; why?: string; claimed?: (key: string) => boolean } = {},
): void {
  const act = (key: string, present: boolean): void =>
    world.account.record(side, {
      key,
      present,
      from,
      why: options.why ? `${world.why}: ${options.why}` : world.why,
      ...(options.over ? { over: options.over(key) } : {}),
      claimed: options.claimed?.(key) ?? false,
    })
  for (const key of after.lines.keys()) if (!before.lines.has(key)) act(key, true)
  for (const key of before.lines.keys()) if (!after.lines.has(key)) act(key, false)
}
