/** A person resolves a conflict here without loss: both texts, paragraph by paragraph. */
import { Side } from './acts.js'
import { Fault } from './fault.js'
import { judgeHere } from './judge.js'
import { isPage, linesOf, SUMMARY, summaryOf, union } from './pages.js'
import { credit } from './sync.js'
import { MAIN, type World } from './world.js'

interface Conflict {
  path: string
  kind: string
  base?: { text?: string }
  ours?: { text?: string }
  theirs?: { text?: string }
}

/** The pages of the merge: those of both sides, those that one side added, and those in conflict. */
async function pagesAfter(world: World, number: number, items: readonly Conflict[]): Promise<string[]> {
  const heads = await world.space.heads()
  const [branch, main] = await Promise.all(
    [heads.get(`change-requests/${number}`), heads.get(MAIN)].map((head) => world.space.at(head as string)),
  )
  const base = items.find(({ path }) => path === SUMMARY)?.base?.text ?? ''
  const kept = new Set(items.map(({ path }) => path))
  const all = [...new Set([...(branch?.files.keys() ?? []), ...(main?.files.keys() ?? [])])].filter(isPage)
  return all.filter(
    (path) => kept.has(path) || (branch?.files.has(path) && main?.files.has(path)) || !base.includes(`](${path})`),
  )
}

export interface Resolution {
  files: Map<string, string>
  /**
   * The lines of the other text, which the person added at the end of their sections. They may occur once more at their
   * old place.
   */
  typed: Set<string>
}

/** Merges main into a change request and resolves all conflicts. */
export async function updateFromMain(world: World, number: number): Promise<Resolution> {
  const at = `/change-requests/${number}`
  const items: Conflict[] = (await world.ask('get', `${at}/conflicts?limit=1000`)).items
  const files = new Map<string, string>()
  const typed = new Set<string>()
  for (const { path, ours, theirs } of items) {
    const [first, second] = [ours?.text ?? theirs?.text ?? '', theirs?.text ?? ours?.text ?? '']
    if (path === SUMMARY) files.set(path, summaryOf(first, await pagesAfter(world, number, items)))
    else {
      files.set(path, union(first, second))
      const [own, other] = [first, second].map((text) => linesOf(new Map([[path, text]])))
      for (const key of other?.keys() ?? []) if (!own?.has(key)) typed.add(key)
    }
  }
  await world.ask(
    'post',
    `${at}/update`,
    files.size === 0 ? {} : { resolve: [...files].map(([path, content]) => ({ path, content })) },
  )
  return { files, typed }
}

/** Records that a person wrote these texts: every line of them is intended. */
export function recordResolution(world: World, side: Side, { files, typed }: Resolution): void {
  for (const key of linesOf(files).keys())
    if (typed.has(key) || world.account.value(side, key) !== 'present')
      world.account.record(side, { key, present: true, from: 'here', why: `${world.why}: resolved conflict` })
}

/** Resolves and merges the change request that holds a conflict. */
export async function resolveHeld(world: World, number: number): Promise<void> {
  const resolution = await updateFromMain(world, number)
  const merged = await world.call('post', `/change-requests/${number}/merge`)
  if (merged.status !== 200)
    throw new Fault(
      'response',
      `merge of the conflict change request ${number}: ${merged.status} ${JSON.stringify(merged.body)}`,
    )
  await world.spaces.idle()
  world.here.take(world.held.get(number)?.side ?? new Side())
  recordResolution(world, world.here, resolution)
  await credit(world)
  world.held.delete(number)
  await judgeHere(world)
}
