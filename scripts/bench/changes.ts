import { join } from 'node:path'
import { git } from '../../test/support/hermetic-git.js'
import { generateRepository, pageText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, importInto, newSpace, pageIds, startService } from './processes.js'

const PAGES = 10_000
const EDITED = 5
const ROUNDS = 20

export const changesLine = 'changes of 5 of 10,000 pages / git diff-tree -M'

/**
 * Compares reading the changes of change requests over HTTP, once each, with Git's own process on the same repository.
 */
export async function changes(dir: string): Promise<Line[]> {
  const home = join(dir, 'changes')
  const service = await startService(home)
  try {
    const repository = join(dir, 'changes.git')
    await generateRepository(repository, PAGES, 10)
    const space = await newSpace(service)
    await importInto(service, space, `file://${repository}`)
    const ids = (await pageIds(service, space)).slice(1)
    const url = `/v1/spaces/${space}/change-requests`
    for (let round = 0; round <= ROUNDS; round++) {
      const edits = Array.from({ length: EDITED }, (_, i) => (round * 7919 + i * 1987) % ids.length)
      await call(service, 'POST', url, { subject: `Change ${round}` })
      await call(service, 'POST', `${url}/${round + 1}/content`, {
        changes: edits.map((page) => ({
          operation: 'update_page',
          page: ids[page],
          document: { markdown: pageText(page, round + 100) },
        })),
      })
    }
    const ours = async (number: number): Promise<void> => {
      const { json } = await call(service, 'GET', `${url}/${number}/changes`)
      if (json.changes.length !== EDITED) throw new Error(`${json.changes.length} changes`)
    }
    const native = async (number: number): Promise<void> => {
      const lines = await git(join(home, 'repos', `${space}.git`), [
        'diff-tree',
        '-r',
        '-M',
        'main',
        `refs/heads/change-requests/${number}`,
      ])
      if (lines.trim().split('\n').length !== EDITED) throw new Error(lines)
    }
    await ours(ROUNDS + 1)
    const found = await interleaved(ROUNDS, {
      ours: (round) => timed(() => ours(round + 1)),
      native: (round) => timed(() => native(round + 1)),
    })
    return [
      {
        name: changesLine,
        sense: 'most',
        target: 3,
        ratios: ratiosOf(found.ours, found.native),
        detail: `${ms(median(found.ours))} to ${ms(median(found.native))}`,
      },
    ]
  } finally {
    await service.stop()
  }
}
