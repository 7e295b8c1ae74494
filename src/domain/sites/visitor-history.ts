/** Finds the last change of each block of a page that its reader sees. */
import { hash } from 'node:crypto'
import { readBounded } from '../../content/read-file.js'
import { MAX_TEXT_BYTES } from '../../content/text.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import type { App } from '../context/app.js'
import type { BlockChanges, FileDates } from '../context/content-cache.js'
import { changeAt } from '../revisions/last-change.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import { parsePage } from '../revisions/page-source.js'
import { evaluate } from '../revisions/pages.js'
import { SharedWork } from '../revisions/shared-work.js'
import { noClaims } from './visitor-claims.js'
import { isConditional, type PageText } from './visitor-page.js'
import type { ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** Maximum number of changes of a page that are compared. */
const MAX_CHANGES = 12
/** Seconds before the last change of a page after which its blocks count as unchanged. */
const WINDOW = 365 * 24 * 60 * 60
/** Texts that are longer in total, in characters, are not compared. */
const MAX_TEXTS = 2 * 1024 * 1024

const working = new SharedWork<BlockChanges | null>()

/**
 * Returns the last change of each block of a page. Blocks of the first version count as unchanged. Null if
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
  const asked = { from: dates.commit, path: gitPath, limit: MAX_CHANGES, since: dates.updated - WINDOW }
  const commits = await repo.history.fileChanges(asked)
  const earlier: (string | Uint8Array)[] = []
  let length = markdown.length
  for (const { before } of commits) {
    // The page is new in this commit, so nothing in it has changed.
    if (before === null) break
    const was = await versionOf(app, page, text, before)
    length += was.length
    if (length > MAX_TEXTS) break
    earlier.push(was)
  }
  if (earlier.length === 0) return { blocks: [], changes: {} }
  try {
    const json = await app.texts.bytes(space.doc.id, 'lastChanges', [markdown, claims, ...earlier])
    const blocks: number[] = JSON.parse(Buffer.from(json).toString())
    const changes: BlockChanges['changes'] = {}
    for (const number of new Set(blocks)) {
      const change = commits[number]
      if (change) changes[number] = await changeAt(app, space, change.commit, gitPath)
    }
    return { blocks, changes }
  } catch (error) {
    if (error instanceof TextTooCostly) return null
    throw error
  }
}

/** Returns a version of a page: its file, or its text with the current includes and variables if the page has any. */
async function versionOf(
  app: App,
  { pages: { revision } }: ReadPage,
  { gitPath, attributes, isFilled }: PageText & { gitPath: string },
  oid: string,
): Promise<string | Uint8Array> {
  const { snapshot, space } = revision
  if (!isFilled) return (await readBounded(snapshot, oid, MAX_TEXT_BYTES)) ?? new Uint8Array()
  const { source } = await parsePage(app, space.doc.id, snapshot, oid, gitPath)
  return evaluate(app, revision, gitPath, source.markdown, attributes.variables)
}
