/** Measures many durable edits of pages over HTTP, against durable appends of the same texts to one file. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pageText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, type Server, startService } from './processes.js'
import { edit, prepared } from './writes.js'

export const manyEditsLines = [
  'edits per second, 8 change requests, 8 clients / 1 client',
  'edits per second, main, 8 clients / 1 client',
  'edits per second, main, 8 clients / grouped appends',
  'edits per second, 8 spaces, 8 clients / grouped appends',
  '99th percentile of 100 edits per second / appends',
] as const

const CLIENTS = 8
/** Number of edits of each client in a round. */
const EACH = 75
const ROUNDS = 4
const PACE_MS = 10
/** Number of paced edits in a round: two seconds. */
const PACED = 200

/** A file to which clients append pages. All waiting clients share one append and one fdatasync. */
async function appendLog(file: string): Promise<{ append(text: string): Promise<void>; close(): Promise<void> }> {
  const log = await open(file, 'a')
  const waiting: { bytes: Buffer; done: () => void }[] = []
  let writing = false
  const write = async (): Promise<void> => {
    if (writing) return
    writing = true
    for (let group = waiting.splice(0); group.length > 0; group = waiting.splice(0)) {
      await log.appendFile(Buffer.concat(group.map(({ bytes }) => bytes)))
      await log.datasync()
      for (const { done } of group) done()
    }
    writing = false
  }
  return {
    append: (text) =>
      new Promise((done) => {
        waiting.push({ bytes: Buffer.from(text), done })
        void write()
      }),
    close: () => log.close(),
  }
}

/** Writes one page: client `client` writes its `index`-th one. */
type Write = (client: number, index: number) => Promise<unknown>

/** Returns the writes per second of clients that each write one page after the other. */
async function perSecond(clients: number, write: Write): Promise<number> {
  const one = async (client: number): Promise<void> => {
    for (let i = 0; i < EACH; i++) await write(client, i)
  }
  const took = await timed(() => Promise.all(Array.from({ length: clients }, (_, i) => one(i + 1))))
  return (clients * EACH * 1000) / took
}

/** Starts a write every 10 ms, and returns the 99th percentile of their durations, each from the time it was due. */
async function pacedP99(write: Write): Promise<number> {
  const started = performance.now()
  const took = await Promise.all(
    Array.from({ length: PACED }, async (_, i) => {
      await setTimeout(i * PACE_MS)
      await write((i % CLIENTS) + 1, i)
      return performance.now() - started - i * PACE_MS
    }),
  )
  return took.sort((a, b) => a - b)[Math.floor(PACED * 0.99)] ?? 0
}

/** Adds the processor time per write to `into`, in milliseconds. */
const costed = (service: Server, into: number[], work: () => Promise<number>) => async (): Promise<number> => {
  const before = await service.cpu()
  const result = await work()
  into.push(((await service.cpu()) - before) / 1000 / (CLIENTS * EACH))
  return result
}

/** Creates the change requests and copies of a space that has 1,000 pages. */
async function places(service: Server, dir: string): Promise<{ space: string; ids: string[]; copies: string[] }> {
  const { space, ids } = await prepared(service, dir, 1000)
  const copies: string[] = []
  for (let i = 0; i < CLIENTS; i++) {
    await call(service, 'POST', `/v1/spaces/${space}/change-requests`, { subject: `Edits ${i}` })
    copies.push((await call(service, 'POST', `/v1/spaces/${space}/duplicate`)).json.id)
  }
  return { space, ids, copies }
}

/** Measures clients that edit pages: of one space, each in a separate change request or all on main, and of eight spaces. */
export async function manyEdits(dir: string): Promise<Line[]> {
  const service = await startService(join(dir, 'many-edits'))
  const log = await appendLog(join(dir, 'appends.log'))
  try {
    const { space, ids, copies } = await places(service, dir)
    const pageOf = (client: number, i: number): string => ids[(client * 97 + i * 31) % ids.length] as string
    const onBranch: Write = (client, i) => edit(service, space, client, pageOf(client, i), i)
    const onMain: Write = (client, i) => edit(service, space, null, pageOf(client, i), i)
    const onCopy: Write = (client, i) => edit(service, copies[client - 1] as string, null, pageOf(client, i), i)
    const append: Write = (client, i) => log.append(pageText(client * 97 + i * 31, i))
    // Warm up: in a running service, all functions have been optimized.
    for (const write of [onMain, onBranch, onCopy]) await perSecond(CLIENTS, write)
    const costs = { branches: [] as number[], main: [] as number[], copies: [] as number[] }
    const found = await interleaved(ROUNDS, {
      branches: costed(service, costs.branches, () => perSecond(CLIENTS, onBranch)),
      branch: () => perSecond(1, onBranch),
      main: costed(service, costs.main, () => perSecond(CLIENTS, onMain)),
      alone: () => perSecond(1, onMain),
      copies: costed(service, costs.copies, () => perSecond(CLIENTS, onCopy)),
      appends: () => perSecond(CLIENTS, append),
      paced: () => pacedP99(onMain),
      pacedAppends: () => pacedP99(append),
    })
    const rate = (at: 0 | 1 | 2 | 3, ours: readonly number[], baseline: readonly number[], cost: number[]): Line => ({
      name: manyEditsLines[at],
      sense: 'none',
      target: 0,
      ratios: ratiosOf(ours, baseline),
      detail: `${median(ours).toFixed(0)}/s to ${median(baseline).toFixed(0)}/s; processor time of an edit: ${ms(median(cost))}`,
    })
    return [
      rate(0, found.branches, found.branch, costs.branches),
      rate(1, found.main, found.alone, costs.main),
      rate(2, found.main, found.appends, costs.main),
      rate(3, found.copies, found.appends, costs.copies),
      {
        name: manyEditsLines[4],
        sense: 'none',
        target: 0,
        ratios: ratiosOf(found.paced, found.pacedAppends),
        detail: `${ms(median(found.paced))} to ${ms(median(found.pacedAppends))}`,
      },
    ]
  } finally {
    await log.close()
    await service.stop()
  }
}
