import { overlay } from '../../src/kernel/overlay.js'
import * as assert from 'uvu/assert'
import type { SpaceRepository } from '../../src/domain/context/loaded.js'
import { MAIN } from '../../src/domain/context/refs.js'
import { overridesAt } from '../../src/domain/revisions/identity.js'
import { datesAt } from '../../src/domain/revisions/page-dates.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('revisions: work that several requests share', startService)

/** A history in which people merged main into their own branch. Its results are costly to compute. */
async function mergedSpace(): Promise<string> {
  const desk = await openDesk(here)
  await desk.git('branch', 'mine', 'main')
  for (let n = 0; n < 5; n++) {
    await desk.write([
      { operation: 'insert_page', title: `Page ${n}`, slug: `page-${n}`, document: { markdown: `# Page ${n}\n` } },
    ])
    await desk.human({ [`mine/${n}.txt`]: `${n}\n` }, { ref: 'refs/heads/mine' })
    const tree = (await desk.git('merge-tree', '--write-tree', 'mine', 'main')).split('\n')[0] as string
    const merge = await desk.git('commit-tree', tree, '-p', 'mine', '-p', 'main', '-m', 'Take in main')
    for (const ref of ['main', 'mine']) await desk.git('update-ref', `refs/heads/${ref}`, merge)
  }
  return desk.space
}

/** The space, with a repository that counts its reads. */
async function counted(space: string): Promise<{ space: SpaceRepository; heads: CommitId[]; asked: () => number }> {
  const { app } = here.service
  const repo = await app.git.open(space)
  let asked = 0
  const counting = <G extends object>(group: G): G => overlay<G>(() => group, {}, { asked: () => void asked++ })
  const counted = {
    ...{ path: repo.path, signs: repo.signs, remote: repo.remote, door: repo.door, upkeep: repo.upkeep },
    ...{ refs: counting(repo.refs), objects: counting(repo.objects) },
    ...{ trees: counting(repo.trees), history: counting(repo.history) },
  }
  const head = repo.refs.head(MAIN) as CommitId
  const below = (await repo.objects.commit(head)).parents[0] as CommitId
  return { space: { doc: { id: space }, repo: counted }, heads: [head, below], asked: () => asked }
}

for (const [what, ask] of Object.entries({ 'IDs of pages': overridesAt, 'dates of pages': datesAt }))
  test(`${what}: six concurrent requests for two revisions cost as much as one`, async () => {
    const { app } = here.service
    const id = await mergedSpace()
    const alone = await counted(id)
    app.content.clear()
    await ask(app, alone.space, alone.heads[0] as CommitId)
    const together = await counted(id)
    app.content.clear()
    const [head, below] = together.heads as [CommitId, CommitId]
    const results = await Promise.all(
      [below, head, head, head, below, head].map((commit) => ask(app, together.space, commit)),
    )
    // Each request looks up its own position.
    assert.ok(
      together.asked() < alone.asked() * 1.5,
      `one asked the repository ${alone.asked()} times, six together ${together.asked()} times`,
    )
    assert.equal(results[1], await ask(app, alone.space, head))
  })

test.run()
