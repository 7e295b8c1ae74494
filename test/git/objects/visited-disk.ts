/** A disk whose writes an admin interrupts. */
import { type Disk, disk } from '../../../src/git/objects/disk.js'

/** What an admin does, each time the whole of it. */
export const TIDIED = [
  [
    ['repack', '-q', '-a', '-d'],
    ['prune-packed', '-q'],
  ],
  [['gc', '--quiet', '--prune=now']],
]

/** The same without what Git does besides, in one go. */
export const HARSH = [
  [
    ['repack', '-q', '-a', '-d'],
    ['prune', '--expire=now'],
    ['prune-packed', '-q'],
  ],
]

/** The real disk; before the step that is asked for, an admin comes. Writes of `.keep` files count as steps, too. */
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
