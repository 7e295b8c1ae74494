import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openGit, type Repository } from '../../src/git/index.js'
import { gitOptions } from '../../src/git/process/environment.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git, hermeticEnv } from '../support/hermetic-git.js'
import { LossyDisk } from '../support/lossy-disk.js'
import { suite } from '../support/suite.js'
import { anyLease } from '../support/lease.js'

const test = suite('a power cut')
const MAIN = 'refs/heads/main' as RefName
const who = { name: 'Ada Lovelace', email: 'ada@example.org', seconds: 1_700_000_000, offset: 0 }
const put = (path: string, text: string) => ({ path, content: Buffer.from(text) })

/** Git syncs the refs that it writes. The last test of this file checks that. */
const syncThemselves = (path: string): boolean => /\/(packed-refs|HEAD|logs\/.*)$/.test(path)

interface Place {
  dir: string
  disk: LossyDisk
  repository: Repository
  /**
   * A repository as a power cut at this moment would leave it. `refsLive`: refs have their present values because they
   * reached the disk early.
   */
  cut(refsLive?: boolean): string
}

async function within(work: (place: Place) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-power-'))
  mkdirSync(join(dir, 'live'))
  const disk = new LossyDisk(join(dir, 'live'), syncThemselves)
  const service = await openGit({ reposDir: join(dir, 'live/repos'), maxBlobBytes: 1 << 20, disk })
  let cuts = 0
  try {
    const repository = await service.create('space')
    const cut = (refsLive = false): string => {
      const to = join(dir, `cut-${++cuts}`)
      disk.afterPowerCut(to)
      const path = join(to, 'repos/space.git')
      if (refsLive) cpSync(join(repository.path, 'refs'), join(path, 'refs'), { recursive: true })
      return path
    }
    await work({ dir, disk, repository, cut })
  } finally {
    await service.close()
    disk.release()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Plain Git reads every object below the commit. */
async function readable(path: string, commit: string): Promise<void> {
  await git(path, ['rev-list', '--objects', commit])
  const listed = await git(path, ['ls-tree', '-r', commit])
  for (const line of listed.split('\n').filter(Boolean))
    await git(path, ['cat-file', 'blob', line.split(/[\t ]/)[2] as string])
  assert.is(await git(path, ['fsck', '--strict', '--full', '--no-dangling', commit]), '')
}

const first = (repository: Repository): Promise<CommitId> =>
  repository.objects.write({
    parents: [],
    changes: [put('README.md', '# One\n'), put('guides/a.md', 'A\n')],
    message: 'First\n',
    author: who,
    committer: who,
  })

test('a power cut leaves every object of a written commit and its ref', async () => {
  await within(async ({ repository, cut }) => {
    const commit = await first(repository)
    await readable(cut(), commit)
    await repository.refs.move([{ ref: MAIN, from: null, to: commit }], 'begin', anyLease)
    const path = cut()
    assert.is(await git(path, ['rev-parse', MAIN]), commit)
    await readable(path, MAIN)
    const blob = await repository.objects.writeBlob(Buffer.from('An upload'))
    assert.is(await git(cut(), ['cat-file', 'blob', blob]), 'An upload')
    const side = ['refs/heads/change-requests/1', 'refs/heads/change-requests/2'] as RefName[]
    await repository.refs.move(
      side.map((ref) => ({ ref, from: null, to: commit })),
      'branches',
      anyLease,
    )
    for (const ref of side) assert.is(await git(cut(), ['rev-parse', ref]), commit)
    await repository.refs.move([{ ref: side[0] as RefName, from: commit, to: null }], 'delete', anyLease)
    assert.is(
      await git(cut(), ['for-each-ref', '--format=%(refname)', 'refs/heads/change-requests/']),
      side[1] as string,
    )
  })
})

test('a power cut leaves the trees and blobs of a merge that Git wrote', async () => {
  await within(async ({ repository, cut }) => {
    const lines = (change: Record<number, string>) =>
      Array.from({ length: 9 }, (_, i) => change[i] ?? `line ${i}`).join('\n')
    const base = await repository.objects.write({
      parents: [],
      changes: [put('deep/page.md', lines({}))],
      message: 'Base\n',
      author: who,
      committer: who,
    })
    const [ours, theirs] = (await Promise.all(
      [{ 0: 'ours' }, { 8: 'theirs' }].map((change) =>
        repository.objects.write({
          parents: [base],
          changes: [put('deep/page.md', lines(change))],
          message: 'Side\n',
          author: who,
          committer: who,
        }),
      ),
    )) as [CommitId, CommitId]
    const merged = await repository.trees.merge({ ours, theirs })
    assert.ok(merged.clean)
    const commit = await repository.objects.write({
      parents: [ours, theirs],
      tree: merged.tree,
      changes: [],
      message: 'Merge\n',
      author: who,
      committer: who,
    })
    await readable(cut(), commit)
  })
})

test('a power cut never leaves a ref without its objects', async () => {
  await within(async ({ repository, disk, cut }) => {
    let head = await first(repository)
    await repository.refs.move([{ ref: MAIN, from: null, to: head }], 'begin', anyLease)
    const moments: string[] = []
    disk.before = (operation) => {
      const path = cut(true)
      assert.is(
        execFileSync('git', ['fsck', '--strict', '--full', '--no-dangling', '--connectivity-only'], {
          cwd: path,
          env: hermeticEnv,
          stdio: 'pipe',
        }).toString(),
        '',
        operation,
      )
      const now = execFileSync('git', ['rev-parse', MAIN], { cwd: path, env: hermeticEnv }).toString().trim()
      execFileSync('git', ['rev-list', '--objects', '--quiet', MAIN], { cwd: path, env: hermeticEnv, stdio: 'pipe' })
      moments.push(now)
    }
    const before = head
    const next = await repository.objects.write({
      parents: [head],
      changes: [put('guides/b/c.md', 'C\n')],
      message: 'Next\n',
      author: who,
      committer: who,
    })
    await repository.refs.move([{ ref: MAIN, from: head, to: next }], 'next', anyLease)
    head = next
    disk.before = () => {}
    assert.ok(moments.length >= 12, `${moments.length} moments`)
    assert.is(moments[0], before)
    assert.is(moments.at(-1), head)
    assert.is(await git(cut(), ['rev-parse', MAIN]), head)
  })
})

test('the check detects every omitted sync of packs, objects, folders and refs', async () => {
  for (const left of [
    /tmp_pack_/,
    /tmp_idx_/,
    /objects\/pack$/,
    /tmp_obj_/,
    /objects\/[0-9a-f]{2}$/,
    /objects$/,
    /refs\/heads$/,
  ]) {
    let seen = false
    await within(async ({ repository, disk, cut }) => {
      disk.forget = (path) => left.test(path)
      await repository.refs.move([{ ref: MAIN, from: null, to: await first(repository) }], 'begin', anyLease)
      const blob = await repository.objects.writeBlob(Buffer.from('An upload'))
      const path = cut()
      const all = readable(path, MAIN).then(() => git(path, ['cat-file', 'blob', blob]))
      seen = await all.then(
        () => false,
        () => true,
      )
    })
    assert.ok(seen, String(left))
  }
})

/** A `git` that comes first on the path. It records the arguments and lets strace or trace2 watch the real one. */
function watchedGit(dir: string, line: string): string {
  const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim()
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin/git'), `#!/bin/sh\n${line.replaceAll('GIT', real)}\n`)
  chmodSync(join(dir, 'bin/git'), 0o755)
  return join(dir, 'bin')
}

test('Git syncs a ref before it moves it into place, with the options of the service', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-power-'))
  try {
    execFileSync('git', ['init', '--quiet', '--bare', 'r.git'], { cwd: dir, env: hermeticEnv })
    const cwd = join(dir, 'r.git')
    const tree = execFileSync('git', ['mktree'], { cwd, env: hermeticEnv, input: '' }).toString().trim()
    const commit = execFileSync('git', ['commit-tree', tree, '-m', 'One'], { cwd, env: hermeticEnv }).toString().trim()
    const flushes = (options: readonly string[], ref: string): number => {
      const trace = join(dir, `trace-${ref.replaceAll('/', '-')}`)
      execFileSync('git', [...options, 'update-ref', '--stdin'], {
        cwd,
        env: { ...hermeticEnv, GIT_TRACE2_EVENT: trace },
        input: `start\ncreate ${ref} ${commit}\nprepare\ncommit\n`,
        stdio: 'pipe',
      })
      const events = readFileSync(trace, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { category?: string; key?: string; value?: string })
      return events.filter((event) => event.category === 'fsync').reduce((sum, event) => sum + Number(event.value), 0)
    }
    // Git counts its own syncs: one for the ref. Without our options it counts none, so the check can fail.
    assert.ok(flushes(gitOptions, 'refs/heads/ours') >= 1)
    assert.is(flushes(['-c', 'core.fsync=none'], 'refs/heads/none'), 0)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

const strace = ['/usr/bin/strace', '/bin/strace', '/usr/local/bin/strace'].find(existsSync)
const traced = strace ? test : test.skip
if (!strace)
  console.log(
    'races/durability: strace is not installed, so the order of system calls is not watched; the counts of syncs are',
  )

traced(
  'the system calls of a move by Git: the lock is synced, then renamed to the ref, then its folder synced',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-power-'))
    const path = process.env.PATH
    try {
      process.env.PATH = `${watchedGit(dir, `exec ${strace} -f -y -e trace=fsync,fdatasync,rename,renameat,renameat2 -o ${dir}/calls.$$ GIT "$@"`)}:${path}`
      const service = await openGit({ reposDir: join(dir, 'repos'), maxBlobBytes: 1 << 20 })
      const repository = await service.create('space')
      const commit = await first(repository)
      const other = 'refs/heads/other' as RefName
      await repository.refs.move([{ ref: other, from: null, to: commit }], 'begin', anyLease)
      // Git performs a move that deletes a ref.
      const moves = [
        { ref: MAIN, from: null, to: commit },
        { ref: other, from: commit, to: null },
      ]
      await repository.refs.move(moves, 'begin', anyLease)
      await service.close()
      const calls = readdirSync(dir)
        .filter((name) => name.startsWith('calls.'))
        .flatMap((name) => readFileSync(join(dir, name), 'utf8').split('\n'))
      const synced = calls.findIndex((line) => /f(data)?sync\(\d+<[^>]*refs\/heads\/main\.lock>/.test(line))
      const renamed = calls.findIndex((line) => /rename.*refs\/heads\/main\.lock.*refs\/heads\/main"/.test(line))
      assert.ok(synced >= 0, calls.join('\n'))
      assert.ok(renamed > synced, calls.join('\n'))
    } finally {
      process.env.PATH = path
      rmSync(dir, { recursive: true, force: true })
    }
  },
)

test.run()
