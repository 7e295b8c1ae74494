/** Finds out when each block of a page changed last, as far as its reader sees the page. */
import { hash } from 'node:crypto'
import { TextTooCostly } from '../../content/work/text-work.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { BlockChanges, FileDates } from '../context/content-cache.js'
import { changeAt } from '../revisions/last-change.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import { SharedWork } from '../revisions/shared-work.js'
import { textAt } from './visitor-changes.js'
import { noClaims } from './visitor-claims.js'
import { isConditional, type PageText } from './visitor-page.js'
import type { ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** Maximum number of changes of a page that are told apart. */
const MAX_CHANGES = 12
/** Seconds before the last change of a page after which its blocks count as unchanged. */
const WINDOW = 365 * 24 * 60 * 60
/** Texts that are longer in total, in characters, are not compared. */
const MAX_TEXTS = 2 * 1024 * 1024

const working = new SharedWork<BlockChanges | null>()

/**
 * Returns the last change of each block of a page. What the page had in its first version counts as unchanged. Null if
 * nothing is known to have changed.
 */
export async function blockChanges(
  app: App,
  visitor: Visitor,
  page: ReadPage,
  text: PageText,
): Promise<BlockChanges | null> {
  const { space, snapshot } = page.pages.revision
  const { gitPath, markdown } = text
  if (gitPath === undefined) return null
  const dates = datesOf(await datesAt(app, space, snapshot.commit), gitPath)
  if (!dates || dates.created === dates.updated) return null
  const claims = JSON.stringify(isConditional(markdown) ? visitor.claims : noClaims)
  const key = `${space.doc.id}:${dates.commit}:${gitPath}:${hash('sha256', markdown + claims, 'base64url')}`
  const known = app.content.blockChanges.get(key)
  if (known) return known
  return working.run(app, key, async () => {
    const found = await compare(app, page, { ...text, gitPath }, { dates, claims })
    if (found) app.content.blockChanges.set(key, found)
    return found
  })
}

/** Compares the text of a page with its earlier versions. */
async function compare(
  app: App,
  page: ReadPage,
  text: PageText & { gitPath: string },
  { dates, claims }: { dates: FileDates; claims: string },
): Promise<BlockChanges | null> {
  const { space, repo } = page.pages.revision
  const { gitPath, markdown } = text
  const since = dates.updated - WINDOW
  const commits = await repo.historyIds({
    from: dates.commit,
    path: gitPath,
    firstParent: true,
    limit: MAX_CHANGES,
    since,
  })
  const earlier: string[] = []
  let length = markdown.length
  for (const [index, commit] of commits.entries()) {
    const before = commits[index + 1] ?? (await firstParent(page, commit))
    const was = before === null ? null : await textAt(app, page, text, before)
    // The page is new in this commit, so nothing in it has changed.
    if (was === null) break
    length += was.length
    if (length > MAX_TEXTS) break
    earlier.push(was)
  }
  if (earlier.length === 0) return { blocks: [], changes: {} }
  try {
    const json = await app.texts.bytes(space.doc.id, 'lastChanges', [markdown, JSON.stringify(earlier), claims])
    const blocks = JSON.parse(Buffer.from(json).toString()) as number[]
    const changes: BlockChanges['changes'] = {}
    for (const number of new Set(blocks)) {
      const commit = commits[number]
      if (commit !== undefined) changes[number] = await changeAt(app, space, commit, gitPath)
    }
    return { blocks, changes }
  } catch (error) {
    if (error instanceof TextTooCostly) return null
    throw error
  }
}

const firstParent = async ({ pages }: ReadPage, commit: CommitId): Promise<CommitId | null> =>
  (await pages.revision.repo.commit(commit)).parents[0] ?? null
