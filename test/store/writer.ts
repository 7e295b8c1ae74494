import { openStore } from '../../src/store/index.js'
import { marks } from './marks.js'

// A process that writes until it is killed and prints the acknowledged pairs, one per line.
const [, , dir, round] = process.argv
const store = await openStore({ dir: dir!, tables: [marks], checkpointAfterBytes: 3000 })
async function write(lane: number): Promise<void> {
  for (let n = 0; ; n++) {
    const pair = `${round}-${lane}-${n}`
    await store.transact(async (tx) => {
      await tx.insert(marks, { id: `${pair}-a`, n, pair })
      await tx.insert(marks, { id: `${pair}-b`, n: n + 1, pair })
    })
    process.stdout.write(`${pair}\n`)
  }
}
await Promise.all([0, 1, 2].map(write))
