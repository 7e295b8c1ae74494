/** Finds out when each block of a page changed last, for writers. Sites do the same for what a visitor sees. */
import { readBounded } from '../../content/read-file.js'
import { MAX_TEXT_BYTES } from '../../content/text.js'
import type { PageEntry } from '../../content/types.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { BlockChanges } from '../context/content-cache.js'
import { changeAt } from './last-change.js'
import { datesAt, datesOf } from './page-dates.js'
import { pageTextOf } from './rendered-blocks.js'
import type { OpenRevision } from './revisions.js'
import { SharedWork } from './shared-work.js'

/** Maximum number of changes of a page that are compared. */
const MAX_CHANGES = 40
/** Maximum number of moves of a page that are followed. */
const MAX_MOVES = 3
/** Maximum size of all versions together, in bytes. Older versions are not compared. */
const MAX_BYTES = 2 * 1024 * 1024

/** A change of a page: its file then, and the file before it. Null if the page is new in it. */
interface Change {
  commit: CommitId
  path: string
  before: string | null
}

const NOTHING: BlockChanges = { blocks: [], changes: {} }
const working = new SharedWork<BlockChanges>()

/**
 * Returns the last change of each block of a page, in the order of its file. -1 = it is older than the changes that are
 * compared. Empty if the page has no file, or takes too long.
 */
export async function blockChangesOf(app: App, revision: OpenRevision, entry: PageEntry): Promise<BlockChanges> {
  if (entry.type !== 'document') return NOTHING
  const { space, snapshot } = revision
  const { gitPath } = entry
  const commit = datesOf(await datesAt(app, space, snapshot.commit), gitPath)?.commit
  if (commit === undefined) return NOTHING
  const key = `${space.doc.id}:${commit}:${gitPath}:all`
  const known = app.content.blockChanges.get(key)
  if (known) return known
  return working.run(app, key, async () => {
    const { markdown, isPlain } = await pageTextOf(app, revision, entry)
    const found = isPlain ? NOTHING : await compare(app, revision, markdown, await changesOf(revision, commit, gitPath))
    app.content.blockChanges.set(key, found)
    return found
  })
}

/** Returns the newest changes of a page on the first-parent line of a commit. Follows moves of its file. */
async function changesOf({ repo }: OpenRevision, from: CommitId, path: string): Promise<Change[]> {
  const found: Change[] = []
  let next: { from: CommitId; path: string } | null = { from, path }
  for (let moves = 0; next && moves <= MAX_MOVES; moves++) {
    const at: { from: CommitId; path: string } = next
    const changes = await repo.history.fileChanges({ ...at, limit: MAX_CHANGES - found.length })
    found.push(...changes.map((one) => ({ ...one, path: at.path })))
    next = null
    const last = found.at(-1)
    if (!last || last.before !== null || found.length >= MAX_CHANGES) break
    const [parent] = (await repo.objects.commit(last.commit)).parents
    if (parent === undefined) break
    const moved = (await repo.trees.diff(parent, last.commit, { renames: true })).find(
      (one) => one.status === 'renamed' && one.path === last.path,
    )
    if (moved?.from === undefined || !moved.before) break
    last.before = moved.before.oid
    next = { from: parent, path: moved.from }
  }
  return found
}

/** Compares the text of a page with its earlier versions. */
async function compare(
  app: App,
  { space, snapshot }: OpenRevision,
  markdown: string,
  commits: readonly Change[],
): Promise<BlockChanges> {
  const earlier: Uint8Array[] = []
  let bytes = markdown.length
  for (const { before } of commits) {
    if (before === null) break
    const was = (await readBounded(snapshot, before, MAX_TEXT_BYTES)) ?? new Uint8Array()
    bytes += was.length
    if (bytes > MAX_BYTES) break
    earlier.push(was)
  }
  // A block that all compared versions have is as old as the page, if its first version is one of them.
  const first = commits[earlier.length]?.before === null ? earlier.length : -1
  try {
    const json = await app.texts.bytes(space.doc.id, 'lastChanges', [markdown, 'null', ...earlier])
    const numbers: number[] = JSON.parse(Buffer.from(json).toString())
    const blocks = numbers.map((number) => (number === -1 ? first : number))
    const changes: BlockChanges['changes'] = {}
    for (const number of new Set(blocks)) {
      const change = commits[number]
      if (change) changes[number] = await changeAt(app, space, change.commit, change.path)
    }
    return { blocks, changes }
  } catch (error) {
    if (error instanceof TextTooCostly) return NOTHING
    throw error
  }
}
