// A folder of a repository is mapped commit by commit. The written data is synced to disk in batches, not for every
// commit.
import * as assert from 'uvu/assert'
import { localCommit } from '../../src/domain/git-sync/directory.js'
import type { SyncLog } from '../../src/domain/git-sync/log-entries.js'
import { type Disk, disk } from '../../src/git/objects/disk.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { admin, clear, makePlace } from '../git/fixture.js'
import { suite } from '../support/suite.js'

const test = suite('disk syncs during the mapping of a folder')
const emptyLog: SyncLog = {
  ref: 'refs/bindery/sync/x/log' as RefName,
  at: null,
  entries: [],
  counting: [],
  syncPoints: [],
  left: [],
  inferred: [],
  last: null,
  lastLeft: null,
}

/** A history in which every commit changes the folder `docs`, as a stream of git-fast-import(1). */
const history = (commits: number): string =>
  Array.from({ length: commits }, (_, n) => {
    const text = `# Page ${n}\n`
    return `commit refs/heads/there\ncommitter Ada <ada@example.org> ${1_700_000_000 + n} +0000\ndata 4\nEdit\nM 644 inline docs/page.md\ndata ${text.length}\n${text}\n`
  }).join('')

async function syncsFor(commits: number): Promise<number> {
  let syncs = 0
  const counting: Disk = {
    ...disk,
    fsync: (fd) => {
      syncs++
      return disk.fsync(fd)
    },
  }
  const place = await makePlace({ disk: counting })
  try {
    const repository = await place.git.create('folder')
    admin(repository, ['fast-import', '--quiet'], history(commits))
    const head = admin(repository, ['rev-parse', 'refs/heads/there']) as CommitId
    syncs = 0
    const mapped = await localCommit(repository, emptyLog, 'docs', head)
    const mapping = syncs
    assert.is(admin(repository, ['rev-list', '--count', mapped as string]), String(commits), 'every commit was mapped')
    return mapping
  } finally {
    await clear(place)
  }
}

test('800 commits of a folder need the syncs of 300 commits and of one more batch', async () => {
  const [one, two] = [await syncsFor(300), await syncsFor(800)]
  assert.ok(one < 30, `300 commits: ${one} syncs`)
  assert.ok(two <= 2 * one, `800 commits: ${two} syncs, 300: ${one}`)
})

test.run()
