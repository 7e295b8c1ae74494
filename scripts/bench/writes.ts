import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from '../../test/support/hermetic-git.js'
import { generateRepository, pageText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, importInto, newSpace, pageIds, type Server, startService } from './processes.js'

/** Creates a space with `pages` pages. */
export async function prepared(service: Server, dir: string, pages: number): Promise<{ space: string; ids: string[] }> {
  const repository = join(dir, `writes-${pages}.git`)
  await generateRepository(repository, pages, 10)
  const space = await newSpace(service)
  await importInto(service, space, `file://${repository}`)
  return { space, ids: (await pageIds(service, space)).slice(1) }
}

let edition = 1
/** Edits one page durably: on main, or in a change request. Each call writes another text. */
export const edit = (service: Server, space: string, changeRequest: number | null, page: string, index: number) =>
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
