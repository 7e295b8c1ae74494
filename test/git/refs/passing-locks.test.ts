import { rmSync, writeFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { GitError, RefLocked } from '../../../src/git/index.js'
import { type Disk, disk } from '../../../src/git/objects/disk.js'
import { anyLease } from '../../support/lease.js'
import { suite } from '../../support/suite.js'
import { clear, commit, MAIN, makePlace } from '../fixture.js'

const test = suite('git refs: transient locks')

/**
 * A disk on which other processes hold the locks of refs: `others` defines their action at each of our attempts,
 * counted from 1.
 */
function contested(others: (attempt: number, lock: string, attempted: () => Promise<number>) => Promise<number>): {
  disk: Disk
  attempts: () => number
} {
  let attempts = 0
  const open: Disk['open'] = (path, flags, mode) => {
    const attempted = (): Promise<number> => disk.open(path, flags, mode)
    return flags === 'wx' && path.endsWith(`${MAIN}.lock`) ? others(++attempts, path, attempted) : attempted()
  }
  return { disk: { ...disk, open }, attempts: () => attempts }
}

/** Their lock exists at our attempt, but no longer when we search for the obstacle. */
async function goneWhenLookedFor(lock: string, attempted: () => Promise<number>): Promise<number> {
  writeFileSync(lock, '')
  try {
    return await attempted()
  } finally {
    rmSync(lock)
  }
}

test('a lock that disappears between a failed attempt and the check causes no error', async () => {
  const { disk: theirs, attempts } = contested(async (attempt, lock, attempted) => {
    if (attempt === 1) writeFileSync(lock, '')
    if (attempt === 7) {
      rmSync(lock)
      return goneWhenLookedFor(lock, attempted)
    }
    return attempted()
  })
  const place = await makePlace({ disk: theirs })
  const repository = await place.git.create('passing')
  const a = await commit(repository, [], { x: '1' })
  await repository.refs.move([{ ref: MAIN, from: null, to: a }], 'start', anyLease)
  assert.is(repository.refs.head(MAIN), a)
  assert.is(attempts(), 8)
  await clear(place)
})

test('repeated failures without a visible lock end with an error', async () => {
  const { disk: theirs, attempts } = contested((_, lock, attempted) => goneWhenLookedFor(lock, attempted))
  const place = await makePlace({ disk: theirs })
  const repository = await place.git.create('odd')
  const a = await commit(repository, [], { x: '1' })
  const moving = (): Promise<unknown> =>
    repository.refs.move([{ ref: MAIN, from: null, to: a }], 'start', anyLease).then(
      () => null,
      (error: unknown) => error,
    )
  const failure = await moving()
  assert.instance(failure, GitError)
  assert.not.instance(failure, RefLocked)
  assert.is(attempts(), 4)
  assert.is(repository.refs.head(MAIN), null)
  await clear(place)
})

test.run()
