import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Git, openGit, type Repository } from '../../src/git/index.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { LossyDisk } from '../support/lossy-disk.js'
import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { anyLease } from '../support/lease.js'

const test = suite('a story with power cuts')
const MAIN = 'refs/heads/main' as RefName
const BRANCHES = [
  'refs/heads/change-requests/1',
  'refs/heads/change-requests/2',
  'refs/heads/change-requests/3',
] as RefName[]
const STEPS = size(40, 200)
const who = { name: 'Ada Lovelace', email: 'ada@example.org', seconds: 1_700_000_000, offset: 0 }

/** The writes of a Git process are lost, except for packed refs, which it syncs (races/durability checks that). */
const syncThemselves = (path: string): boolean => /\/(packed-refs|HEAD|logs\/.*)$/.test(path)

function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

/** The acknowledged state: the target of each ref, and the texts of its pages. */
type Told = Map<RefName, { head: CommitId; pages: Map<string, string> }>

class Story {
  disk!: LossyDisk
  service!: Git
  repository!: Repository
  readonly told: Told = new Map()
  #opened = 0
  #edition = 0

  constructor(
    readonly dir: string,
    readonly random: (below: number) => number,
  ) {}

  async open(at: string): Promise<void> {
    mkdirSync(at, { recursive: true })
    this.disk = new LossyDisk(at, syncThemselves)
    this.service = await openGit({ reposDir: join(at, 'repos'), maxBlobBytes: 1 << 20, disk: this.disk })
    this.repository = (await this.service.exists('space'))
      ? await this.service.open('space')
      : await this.service.create('space')
  }

  async close(): Promise<void> {
    await this.service.close()
    this.disk.release()
  }

  /** Checks the result of a power cut at this moment: sound, with everything that was acknowledged. */
  async cut(): Promise<string> {
    const to = join(this.dir, `cut-${++this.#opened}`)
    this.disk.afterPowerCut(to)
    const path = join(to, 'repos/space.git')
    assert.is(await git(path, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress']), '')
    for (const [ref, { head, pages }] of this.told) {
      assert.is(await git(path, ['rev-parse', ref]), head)
      for (const [page, text] of pages)
        assert.is(await git(path, ['cat-file', 'blob', `${head}:${page}`]), text.trimEnd(), page)
    }
    return to
  }

  async step(): Promise<void> {
    const branch = BRANCHES[this.random(BRANCHES.length)] as RefName
    const kind = this.random(10)
    if (!this.told.has(MAIN)) return this.#begin()
    if (!this.told.has(branch)) return this.#tell(branch, this.#headOf(MAIN), null)
    if (kind < 3) return this.#edit(branch)
    if (kind < 5) return this.#edit(MAIN)
    if (kind < 7)
      return void (await this.repository.trees.merge({ ours: this.#headOf(MAIN), theirs: this.#headOf(branch) }))
    return kind < 9 ? this.#merge(MAIN, branch) : this.#merge(branch, MAIN)
  }

  #headOf(ref: RefName): CommitId {
    return this.told.get(ref)?.head as CommitId
  }

  async #begin(): Promise<void> {
    const changes = Array.from({ length: 6 }, (_, n) => ({
      path: `guides/${n}.md`,
      content: Buffer.from(this.#lines(n)),
    }))
    await this.#tell(
      MAIN,
      await this.repository.objects.write({ parents: [], changes, message: 'Begin\n', author: who, committer: who }),
      null,
    )
  }

  #lines = (n: number): string => `${Array.from({ length: 20 }, (_, line) => `page ${n} line ${line}`).join('\n')}\n`

  async #edit(ref: RefName): Promise<void> {
    const from = this.#headOf(ref)
    const path = `guides/${this.random(6)}.md`
    const lines = this.told.get(ref)?.pages.get(path)?.split('\n') ?? []
    lines[this.random(20)] = `edition ${++this.#edition}`
    const changes = [{ path, content: Buffer.from(lines.join('\n')) }]
    await this.#tell(
      ref,
      await this.repository.objects.write({ parents: [from], changes, message: 'Edit\n', author: who, committer: who }),
      from,
    )
  }

  async #merge(into: RefName, other: RefName): Promise<void> {
    const [ours, theirs] = [this.#headOf(into), this.#headOf(other)]
    const merged = await this.repository.trees.merge({ ours, theirs })
    // If the sides conflict, ours wins, path by path, as in a service.
    const changes = merged.clean
      ? []
      : merged.conflicts.flatMap(({ path, ours: side }) => (side ? [{ path, oid: side.oid, mode: side.mode }] : []))
    const commit = await this.repository.objects.write({
      parents: [ours, theirs],
      tree: merged.tree,
      changes,
      message: 'Merge\n',
      author: who,
      committer: who,
    })
    await this.#tell(into, commit, ours)
  }

  async #tell(ref: RefName, to: CommitId, from: CommitId | null): Promise<void> {
    await this.repository.refs.move([{ ref, from, to }], 'edit', anyLease)
    const snapshot = await this.repository.objects.snapshot(to)
    const pages = new Map<string, string>()
    for (const { path, oid } of await snapshot.walk()) pages.set(path, String(await snapshot.read(oid)))
    this.told.set(ref, { head: to, pages })
  }
}

for (const seed of seeds(2, 20)) {
  test(`merges, updates and edits survive power cuts and stay sound (seed ${seed})`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-cuts-'))
    const random = generator(seed)
    const story = new Story(dir, random)
    try {
      await story.open(join(dir, 'live'))
      for (let step = 1; step <= STEPS; step++) {
        await story.step()
        if (random(4) > 0) continue
        const left = await story.cut()
        await story.close()
        await story.open(left)
      }
      await story.cut()
    } finally {
      await story.close()
      rmSync(dir, { recursive: true, force: true })
    }
  })
}
test.run()
