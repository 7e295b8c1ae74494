/** Reconciles documents with Git after a crash, and writes the events of moves in the meantime. */
import { announceAll, forgetLostHeads } from '../domain/commits/announce.js'
import type { App } from '../domain/context/app.js'
import { finishEntries } from '../domain/events/request-entry.js'
import { type Repair, reconcile } from '../domain/upkeep/reconcile.js'
import { orIfDamaged } from '../store/index.js'
import { type Node, otherNodes } from './open-node.js'

/** The lease for catching up. Nodes that start together catch up one after another. */
const LEASE = 'catch-up'

/**
 * Catches up at the start. A node does so only if others died, or if none is running, because running nodes have
 * already caught up.
 * `work` runs while no other node is in this phase of its start.
 */
export async function catchUp<T>(
  app: App,
  node: Node | null,
  work: () => Promise<T>,
): Promise<{ repairs: Repair[]; result: T }> {
  if (node === null) {
    // Another process that used the data folder has ended, so none of its requests is in progress.
    await finishEntries(app, null)
    return { repairs: await repairAll(app, { alone: true }), result: await work() }
  }
  return node.leases.run(LEASE, async () => {
    const { live, died } = await otherNodes(node)
    const isNeeded = !live || died.length > 0
    const repairs = isNeeded ? await repairAll(app, { alone: !live }) : []
    await node.leases.forget(died)
    return { repairs, result: await work() }
  })
}

/** Catches up while other nodes are running, after some of them died. */
export async function catchUpBeside(app: App, node: Node, died: readonly string[]): Promise<void> {
  await node.leases.run(LEASE, async () => {
    await repairAll(app, { alone: false })
    await node.leases.forget(died)
  })
}

async function repairAll(app: App, { alone }: { alone: boolean }): Promise<Repair[]> {
  const repairs = await reconcile(app)
  for (const { damage, ...repair } of repairs) {
    if (damage) app.log.error(repair, `Space ${repair.space}: ${repair.what}. All other spaces work.`)
    else app.log.warn(repair, 'reconciled')
  }
  // A space that another node is creating has an announced head before it has a document.
  if (alone) await forgetLostHeads(app).catch(orIfDamaged(undefined))
  await announceAll(app, { branches: true })
  return repairs
}
