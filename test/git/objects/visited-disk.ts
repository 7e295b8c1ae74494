/** A disk whose writes an admin interrupts. */
import { type Disk, disk } from '../../../src/git/objects/disk.js'

/** The admin's commands, which always run completely. */
export const TIDIED = [
  [
    ['repack', '-q', '-a', '-d'],
    ['prune-packed', '-q'],
  ],
  [['gc', '--quiet', '--prune=now']],
]

/** The same without Git's other work, in one step. */
export const HARSH = [
  [
    ['repack', '-q', '-a', '-d'],
    ['prune', '--expire=now'],
    ['prune-packed', '-q'],
  ],
]

/** The real disk. An admin runs before the given step. Writes of `.keep` files count as steps, too. */
export function visitedDisk() {
  const visit = { at: Number.POSITIVE_INFINITY, steps: 0, comes: () => {} }
  const step = (): void => {
    if (++visit.steps === visit.at) visit.comes()
  }
  const visited: Disk = Object.fromEntries(
    Object.entries(disk).map(([name, work]) => [
      name,
      (...args: unknown[]) => {
        step()
        return (work as (...all: unknown[]) => unknown)(...args)
      },
    ]),
  ) as unknown as Disk
  return { visited, visit }
}
