import { cp, open } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from '../../test/support/hermetic-git.js'
import { generateRepository, pageText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, importInto, newSpace, pageIds, type Server, startService } from './processes.js'

/** Creates a space with `pages` pages. */
async function prepared(service: Server, dir: string, pages: number): Promise<{ space: string; ids: string[] }> {
  const repository = join(dir, `writes-${pages}.git`)
  await generateRepository(repository, pages, 10)
  const space = await newSpace(service)
  await importInto(service, space, `file://${repository}`)
  return { space, ids: (await pageIds(service, space)).slice(1) }
}

let edition = 1
const edit = (service: Server, space: string, changeRequest: number | null, page: string, index: number) =>
  call(
    service,
    'POST',
    `/v1/spaces/${space}${changeRequest === null ? '' : `/change-requests/${changeRequest}`}/content`,
    {
      changes: [{ operation: 'update_page', page, document: { markdown: pageText(index, edition++) } }],
    },
  )

/** Measures one durable edit of one page over HTTP, with few and with many pages. */
export async function edits(dir: string): Promise<Line[]> {
  const service = await startService(join(dir, 'edits'))
  try {
    const few = await prepared(service, dir, 100)
    const many = await prepared(service, dir, 10_000)
    for (const { space } of [few, many])
      await call(service, 'POST', `/v1/spaces/${space}/change-requests`, { subject: 'Edits' })
    const one =
      ({ space, ids }: typeof few) =>
      (round: number) => {
        const index = (round * 7919) % ids.length
        return timed(() => edit(service, space, 1, ids[index] as string, index))
      }
    await interleaved(10, { few: one(few), many: one(many) })
    const found = await interleaved(80, { few: one(few), many: one(many) })
    const batches = (values: number[]): number[] =>
      Array.from({ length: 4 }, (_, i) => median(values.slice(i * 20, (i + 1) * 20)))
    return [
      {
        name: 'one edit, 10,000 pages / 100 pages',
        sense: 'most',
        target: 1.5,
        ratios: ratiosOf(batches(found.many), batches(found.few)),
        detail: `${ms(median(found.many))} to ${ms(median(found.few))}`,
      },
    ]
  } finally {
    await service.stop()
  }
}

export const manyEditsLines = [
  'edits per second, 8 change requests',
  'edits per second, main',
  'edits per second, main, 8 clients / grouped appends',
] as const

/**
 * Returns the rate of `clients` that append the same pages to one file. All waiting clients share one append and one
 * fdatasync.
 */
async function appendsPerSecond(file: string, clients: number, each: number): Promise<number> {
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
  const append = (bytes: Buffer): Promise<void> =>
    new Promise((done) => {
      waiting.push({ bytes, done })
      void write()
    })
  const client = async (number: number): Promise<void> => {
    for (let i = 0; i < each; i++) await append(Buffer.from(pageText(number * 97 + i * 31, edition++)))
  }
  const took = await timed(() => Promise.all(Array.from({ length: clients }, (_, i) => client(i + 1))))
  await log.close()
  return (clients * each * 1000) / took
}

/** Measures eight clients that edit pages of one space: each in a separate change request, or all on main. */
export async function manyEdits(dir: string): Promise<Line[]> {
  const service = await startService(join(dir, 'many-edits'))
  const CLIENTS = 8
  const EACH = 75
  try {
    const { space, ids } = await prepared(service, dir, 1000)
    for (let i = 0; i < CLIENTS; i++)
      await call(service, 'POST', `/v1/spaces/${space}/change-requests`, { subject: `Edits ${i}` })
    const run = async (clients: number, onMain: boolean): Promise<number> => {
      const client = async (number: number): Promise<void> => {
        for (let i = 0; i < EACH; i++)
          await edit(service, space, onMain ? null : number, ids[(number * 97 + i * 31) % ids.length] as string, i)
      }
      const took = await timed(() => Promise.all(Array.from({ length: clients }, (_, i) => client(i + 1))))
      return (clients * EACH * 1000) / took
    }
    await run(1, true)
    await run(1, false)
    const found = await interleaved(4, {
      branches: () => run(CLIENTS, false),
      branch: () => run(1, false),
      main: () => run(CLIENTS, true),
      alone: () => run(1, true),
      appends: () => appendsPerSecond(join(dir, 'appends.log'), CLIENTS, EACH),
    })
    const line = (name: string, eight: readonly number[], one: readonly number[]): Line => ({
      name: `${name}, 8 clients / 1 client`,
      sense: 'none',
      target: 0,
      ratios: ratiosOf(eight, one),
      detail: `${median(eight).toFixed(0)}/s to ${median(one).toFixed(0)}/s`,
    })
    return [
      line(manyEditsLines[0], found.branches, found.branch),
      line(manyEditsLines[1], found.main, found.alone),
      {
        name: manyEditsLines[2],
        sense: 'none',
        target: 0,
        ratios: ratiosOf(found.main, found.appends),
        detail: `${median(found.main).toFixed(0)}/s to ${median(found.appends).toFixed(0)}/s`,
      },
    ]
  } finally {
    await service.stop()
  }
}

/**
 * Compares a clean merge over HTTP with Git's own three processes on a copy of the same repository with the same
 * settings.
 */
export async function merges(dir: string): Promise<Line[]> {
  const home = join(dir, 'merges')
  const service = await startService(home)
  const ROUNDS = 24
  try {
    const { space, ids } = await prepared(service, dir, 1000)
    const copy = join(dir, 'merges-copy.git')
    for (let round = 0; round <= ROUNDS; round++) {
      await call(service, 'POST', `/v1/spaces/${space}/change-requests`, { subject: `Change ${round}` })
      await edit(service, space, round + 1, ids[round * 17] as string, round)
    }
    await cp(join(home, 'repos', `${space}.git`), copy, { recursive: true })
    const merge = (number: number) => call(service, 'POST', `/v1/spaces/${space}/change-requests/${number}/merge`)
    await merge(ROUNDS + 1)
    const found = await interleaved(ROUNDS, {
      ours: (round) => timed(() => merge(round + 1)),
      native: (round) => timed(() => nativeMerge(copy, `refs/heads/change-requests/${round + 1}`)),
    })
    return [
      {
        name: 'clean merge / merge-tree, commit-tree and update-ref',
        sense: 'most',
        target: 2,
        ratios: ratiosOf(found.ours, found.native),
        detail: `${ms(median(found.ours))} to ${ms(median(found.native))}`,
      },
    ]
  } finally {
    await service.stop()
  }
}

async function nativeMerge(repository: string, branch: string): Promise<void> {
  const tree = await git(repository, ['merge-tree', '--write-tree', 'refs/heads/main', branch])
  const commit = await git(repository, ['commit-tree', tree, '-p', 'refs/heads/main', '-p', branch, '-m', 'Merge'])
  await git(repository, ['update-ref', 'refs/heads/main', commit])
}
