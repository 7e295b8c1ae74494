import * as assert from 'uvu/assert'
import { type CommitId, newId } from '../../../src/kernel/ids.js'
import { anyLease } from '../../support/lease.js'
import { startPostgres } from '../../support/postgres.js'
import { suite } from '../../support/suite.js'
import { admin, commit, MAIN, unprotected } from '../fixture.js'
import { fsck, openNode, refsOnDisk } from './fixture.js'
import { HARSH, visitedDisk } from '../objects/visited-disk.js'

const test = suite('an admin who repacks and prunes a copy of a node')
const postgres = await startPostgres()
test.after(() => postgres.close())

const url = await postgres.database()
const { visited, visit } = visitedDisk()
const [writer, reader] = [await openNode(url), await openNode(url, { disk: visited })]
test.after(() => Promise.all([writer, reader].map((node) => node.close())))

test('the refs of a copy stay complete if an admin repacks at any step', async () => {
  for (const commands of HARSH) {
    const name = newId()
    const repository = await writer.git.create(name)
    let head: CommitId | null = null
    const write = async (text: string): Promise<void> => {
      const to = await commit(repository, head === null ? [] : [head], { 'page.md': text, 'a/b.md': text })
      await repository.refs.move([{ ref: MAIN, from: head, to }], 'edit', anyLease)
      head = to
    }
    await write('first')
    await reader.git.refresh(name)
    const copy = { path: reader.path(name) }
    visit.comes = () => {
      for (const args of commands) admin(copy, args)
    }
    let came = true
    for (let at = 1; came; at++) {
      await unprotected(copy)
      await write(`${commands[0]?.[0]} ${at}`)
      await writer.git.refresh(name)
      Object.assign(visit, { at, steps: 0 })
      await reader.git.refresh(name)
      came = visit.steps >= at
      visit.at = Number.POSITIVE_INFINITY
      assert.equal(refsOnDisk(reader, name), { [MAIN]: head })
      admin(copy, ['rev-list', '--objects', '--all', '--quiet'])
    }
    assert.is(fsck(reader, name), '')
    assert.equal(reader.notices, [])
  }
})
test.run()
