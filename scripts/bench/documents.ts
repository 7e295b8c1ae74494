import { join } from 'node:path'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, newSpace, type Running, startProcess } from './processes.js'

/** A change of one document over HTTP, with few documents in the store and with many. */
export async function documents(dir: string): Promise<Line[]> {
  const servers: Running[] = []
  const prepared = async (count: number) => {
    const service = await startProcess({ kind: 'service', dir: join(dir, `documents-${count}`) })
    servers.push(service)
    const space = await newSpace(service)
    await service.fill(space, count)
    return (round: number) => timed(() => call(service, 'PATCH', `/v1/spaces/${space}`, { title: `Title ${round}` }))
  }
  try {
    const [few, many] = [await prepared(10), await prepared(10_000)]
    await interleaved(400, { few, many })
    const found = await interleaved(400, { few, many })
    const batches = (values: number[]): number[] => Array.from({ length: 5 }, (_, i) => median(values.slice(i * 80, (i + 1) * 80)))
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
