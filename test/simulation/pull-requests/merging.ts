/** Merges a branch of the remote into its main as hosts do. */
import type { MergeMethod } from '../../support/hosts/real-repository.js'
import { recordDifference } from './judge.js'
import type { Clone, Snapshot } from './repository.js'
import { MAIN, type World } from './world.js'

/**
 * @param message starts with `Pull request`, so that reverts find it
 */
export function commandsOf(branch: string, method: MergeMethod, message: string, main: string) {
  return async (run: Clone['git']): Promise<void> => {
    if (method === 'merge') await run('merge', '--quiet', '--no-ff', '-m', message, `origin/${branch}`)
    if (method === 'squash') {
      await run('merge', '--quiet', '--squash', `origin/${branch}`)
      await run('commit', '--quiet', '-m', message)
    }
    if (method === 'rebase') {
      await run('checkout', '--quiet', '--detach', `origin/${branch}`)
      await run('rebase', '--quiet', '--force-rebase', main)
    }
  }
}

/**
 * Merges a branch. If the result differs from the account, Git caused that, and the service may choose. A squash or
 * rebase onto a newer main counts as the same work done again, unless the host reports its source.
 * @returns whether it could be merged without a conflict
 */
export async function mergeThere(world: World, branch: string, method: MergeMethod): Promise<boolean> {
  const heads = await world.remote.heads()
  const [main, head] = [heads.get(MAIN), heads.get(branch)]
  if (main === undefined || head === undefined || (await world.remote.contains(main, head))) return false
  const [before, merged] = await Promise.all([world.remote.at(main), world.remote.at(head)])
  if (
    !(await world.clone.on(
      MAIN,
      commandsOf(branch, method, `Pull request ${world.merged + 1} (${method} of ${branch})`, main),
    ))
  )
    return false
  world.merged++
  const after = await world.remoteMain()
  const own = world.sideOf(MAIN)
  const both = own.copy()
  both.take(world.sideOf(branch))
  if (method !== 'merge' && after.tree !== merged.tree) {
    const over = (key: string): number[] => world.account.known(own, key)
    recordDifference(world, both, 'there', [before, after], { over, why: method })
  }
  recordDifference(world, both, 'there', [expected(world, both, after), after], {
    over: () => [],
    why: `Git's ${method}`,
  })
  world.there.set(MAIN, both)
  await world.see(MAIN)
  return true
}

/** The lines that the account expects. For a line with several allowed values, the present one. */
function expected(world: World, side: ReturnType<World['sideOf']>, { lines }: Snapshot): Pick<Snapshot, 'lines'> {
  const keys = [...new Set([...world.account.keys(), ...lines.keys()])]
  const fits = (key: string): boolean => {
    const value = world.account.value(side, key)
    return value === 'present' || (value === 'either' && lines.has(key))
  }
  return { lines: new Map(keys.filter(fits).map((key) => [key, 1])) }
}
