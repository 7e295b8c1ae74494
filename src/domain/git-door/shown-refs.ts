/** Lists the refs that Git clients see: main, and the branches of open and draft change requests. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import { changeRequests } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { changeRequestRef, MAIN } from '../context/refs.js'

/** Maximum number of shown change requests, newest first. All of them can be fetched by the ID of their head. */
const MAX_SHOWN = 1000

/** Returns the advertised refs and their current commits, in order of name. */
export async function shownRefs(app: App, space: LoadedSpace): Promise<Map<RefName, CommitId>> {
  const numbers: number[] = []
  for (const status of ['open', 'draft'] as const) {
    const { documents } = await app.store.page(changeRequests, 'number', `${space.doc.id}/${status}`, {
      limit: MAX_SHOWN,
      direction: 'desc',
    })
    numbers.push(...documents.map(({ number }) => number))
  }
  const newest = numbers.sort((a, b) => b - a).slice(0, MAX_SHOWN)
  const shown = new Map<RefName, CommitId>()
  const refs: RefName[] = [MAIN, ...newest.map(changeRequestRef)]
  for (const ref of refs.sort()) {
    const head = space.repo.refs.head(ref)
    if (head !== null) shown.set(ref, head)
  }
  return shown
}
