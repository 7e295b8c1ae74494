import { join } from 'node:path'
import { migrations } from '../../src/domain/upkeep/migrations.js'
import { documentTables, users } from '../../src/model/index.js'
import { openStore } from '../../src/store/index.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, newSpace, type Server, startService } from './processes.js'

/** Changes one document over HTTP, with few and with many documents in the store. */
export async function documents(dir: string): Promise<Line[]> {
  const servers: Server[] = []
  const prepared = async (count: number) => {
    const home = join(dir, `documents-${count}`)
    const before = await startService(home)
    const space = await newSpace(before)
    await before.stop()
    await fill(join(home, 'data', 'store'), count)
    const service = await startService(home)
    servers.push(service)
    return (round: number) => timed(() => call(service, 'PATCH', `/v1/spaces/${space}`, { title: `Title ${round}` }))
  }
  try {
    const [few, many] = [await prepared(10), await prepared(10_000)]
    await interleaved(400, { few, many })
    const found = await interleaved(400, { few, many })
    const batches = (values: number[]): number[] =>
      Array.from({ length: 5 }, (_, i) => median(values.slice(i * 80, (i + 1) * 80)))
    return [
      {
        name: 'document patch, 10,000 documents / 10 documents',
        sense: 'most',
        target: 1.5,
        ratios: ratiosOf(batches(found.many), batches(found.few)),
        detail: `${ms(median(found.many))} to ${ms(median(found.few))}`,
      },
    ]
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** Inserts documents into a store that no server has open. */
async function fill(dir: string, count: number): Promise<void> {
  const store = await openStore({ dir, tables: documentTables, migrations })
  for (let at = 0; at < count; at += 1000) {
    await store.transact(async (tx) => {
      for (let i = at; i < Math.min(count, at + 1000); i++) {
        await tx.insert(users, {
          id: `filler-${i}`,
          email: `filler-${i}@example.org`,
          displayName: `Filler ${i}`,
          createdAt: new Date(0).toISOString(),
          proof: 'operator',
        })
      }
    })
  }
  await store.close()
}
