// Merges of two sides that rename, swap, edit, delete and add pages at random, compared with a slow oracle that
// identifies each page by its name only.
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type IdOverrides, idOf, overrideKey, saltedId } from '../../src/content/identity.js'
import { makeCommit } from '../../src/domain/commits/make-commit.js'
import { mergeCommits } from '../../src/domain/commits/merge/merge.js'
import type { MergedTree } from '../../src/domain/commits/merge/merged-tree.js'
import { mergedOverrides } from '../../src/domain/revisions/identity.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'
import { byIds, conflictsByIds, type Page, play, type Side, steps, textOf } from './merge-oracle.js'

const [test, f] = await suiteWith('merges by ID, compared with an oracle', startFixture)
const CASES = Number(process.env.MERGE_CASES ?? 60)
const space = await f.space()
const { app } = f

const idAt = (page: Page): string => saltedId('page', page.name, 1)
const overridesOf = (side: Side): IdOverrides =>
  new Map([...side.values()].map((page) => [overrideKey('page', page.path), idAt(page)]))
const filesOf = (side: Side): Map<string, string> =>
  new Map([...side.values()].map((page) => [page.path, textOf(page)]))

async function commit(side: Side, parent?: { side: Side; commit: CommitId }): Promise<CommitId> {
  const files = filesOf(side)
  const gone = [...(parent?.side.values() ?? [])].filter(({ path }) => !files.has(path))
  return makeCommit(app, space, {
    parents: parent ? [parent.commit] : [],
    changes: [
      ...gone.map(({ path }) => ({ path, delete: true as const })),
      ...[...files].map(([path, text]) => ({ path, content: Buffer.from(text) })),
    ],
    message: 'A side\n',
    author: f.actor.user,
    overrides: overridesOf(side),
  })
}

async function filesIn(merged: MergedTree): Promise<Map<string, string>> {
  const tree = space.repo.objects.tree(merged.tree)
  const read = async ({ path, oid }: { path: string; oid: string }): Promise<[string, string]> => [
    path,
    (await tree.read(oid)).toString('utf8'),
  ]
  return new Map(await Promise.all((await tree.walk()).map(read)))
}

test('a merge has the result or the conflicts of the oracle', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (here, there) => {
      const base = play(new Map(), [])
      const [ours, theirs] = [play(base, here, 'here'), play(base, there, 'there')]
      const root = await commit(base)
      const parent = { side: base, commit: root }
      const sides = { ours: await commit(ours, parent), theirs: await commit(theirs, parent) }
      const merged = await mergeCommits(app, space, sides)
      const expected = byIds(base, ours, theirs)
      const conflicts = conflictsByIds(base, ours, theirs, expected)
      const told = JSON.stringify({
        here,
        there,
        merged: merged.clean ? 'clean' : merged.conflicts.map(({ path, kind }) => `${path} ${kind}`),
      })
      if (merged.clean) {
        assert.equal(conflicts, [], told)
        assert.equal(
          await filesIn(merged),
          filesOf(new Map([...expected].flatMap(([name, page]) => (page === 'conflict' ? [] : [[name, page]])))),
          told,
        )
        const identify = idOf(await mergedOverrides(app, space, { bases: [root], ...sides, tree: merged.tree }))
        for (const page of expected.values())
          if (page !== 'conflict') assert.is(identify('page', page.path), idAt(page), `${page.name}: ${told}`)
        return
      }
      assert.ok(conflicts.length > 0, `needless: ${told}`)
      const named = new Set(
        merged.conflicts.flatMap(({ path, base, ours, theirs }) => [path, base?.path, ours?.path, theirs?.path]),
      )
      for (const { name, paths } of conflicts)
        assert.ok(
          paths.some((path) => named.has(path)),
          `${name} is not told: ${told}`,
        )
      const inConflict = new Set(conflicts.flatMap(({ paths }) => paths))
      for (const one of merged.conflicts) assert.ok(inConflict.has(one.path), `${one.path} is needless: ${told}`)
    }),
    { numRuns: CASES },
  )
})

test.run()
