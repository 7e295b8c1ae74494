/**
 * Run by shared-kill.test.ts in its own process: a node that commits on random branches until it is killed, and
 * reports what was acknowledged.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { StaleRef } from '../../../src/git/index.js'
import type { RefName } from '../../../src/kernel/ids.js'
import { anyLease } from '../../support/lease.js'
import { commit } from '../fixture.js'
import { openNode } from './fixture.js'

const [url, dir, name, ...refs] = process.argv.slice(2) as [string, string, string, ...RefName[]]
const node = await openNode(url, { dir, notice: (message) => process.send?.({ notice: message }) })
for (let n = 0; ; n++) {
  const ref = refs[Math.floor(Math.random() * refs.length)] as RefName
  const repository = await node.git.open(name)
  const from = repository.refs.head(ref)
  const to = await commit(repository, from ? [from] : [], { [`${process.pid}.md`]: `${n}\n` })
  try {
    await repository.refs.move([{ ref, from, to }], 'edit', anyLease)
    // A client that has just got a response reads it.
    const head = (await node.git.open(name)).refs.head(ref)
    process.send?.({ ref, to, seen: head === to || (head !== null && (await repository.history.isAncestor(to, head))) })
  } catch (error) {
    if (!(error instanceof StaleRef)) throw error
    await wait(Math.random() * 5)
  }
}
