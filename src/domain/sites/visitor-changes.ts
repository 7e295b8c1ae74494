/** Renders the blocks that a commit added to a page, if the page currently shows them to its reader. */
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import { evaluate } from '../revisions/pages.js'
import { parsePage } from '../revisions/page-source.js'
import { isConditional, type PageText, readPageText, renderPageText } from './visitor-page.js'
import type { ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** A commit of a page. */
export interface PageChange {
  commit: CommitId
  /** Seconds since 1970. */
  seconds: number
  author: string
}

/** Returns the newest commits of a page on main, newest first. */
async function changesOfPage(page: ReadPage, limit: number): Promise<PageChange[]> {
  const { entry, pages } = page
  if (entry.type !== 'document') return []
  const { repo, snapshot } = pages.revision
  const commits = await repo.history.log({ from: snapshot.commit, path: entry.gitPath, firstParent: true, limit })
  return commits.map(({ id, author, committer }) => ({ commit: id, seconds: committer.seconds, author: author.name }))
}

/**
 * Returns the newest commits of a page, newest first, for its feed. If the page had blocks with a condition before or after a
 * commit, the commit must have added, changed or removed something that the visitor sees.
 */
export async function shownChanges(app: App, visitor: Visitor, page: ReadPage, limit: number): Promise<PageChange[]> {
  const shown: PageChange[] = []
  const text = await readPageText(app, page)
  for (const change of await changesOfPage(page, limit)) {
    const { before, at } = await textsOf(app, page, text, change.commit)
    const hasConditions = isConditional(before) || isConditional(at)
    if (!hasConditions || (await adds(before, at)) || (await adds(at, before))) shown.push(change)
  }
  return shown

  /** Whether the visitor sees a block in one text that is not in the other. */
  async function adds(before: string, at: string): Promise<boolean> {
    const { html } = await renderPageText(app, visitor, page, { ...text, markdown: at }, '', {}, { before, at })
    return html !== ''
  }
}

/**
 * Renders the blocks of a page that a commit added or changed, without blocks that the page no longer has.
 * @param base the address of the site, without a trailing slash
 */
export async function renderChange(
  app: App,
  visitor: Visitor,
  page: ReadPage,
  commit: CommitId,
  base: string,
): Promise<string> {
  const text = await readPageText(app, page)
  const texts = await textsOf(app, page, text, commit)
  const { html } = await renderPageText(app, visitor, page, text, base, {}, texts)
  return html
}

/** Returns the texts of a page before and after a commit. */
async function textsOf(app: App, page: ReadPage, text: PageText, commit: CommitId) {
  const [parent] = (await page.pages.revision.repo.objects.commit(commit)).parents
  const at = await textAt(app, page, text, commit)
  return { before: parent === undefined ? '' : await textAt(app, page, text, parent), at }
}

/** Returns the text that a page had at a commit, with the current includes and variables; '' if it did not exist. */
async function textAt(app: App, { pages }: ReadPage, { gitPath, attributes }: PageText, commit: CommitId) {
  const { revision } = pages
  const snapshot = await revision.repo.objects.snapshot(commit)
  const entry = gitPath === undefined ? null : await snapshot.entry(gitPath)
  if (gitPath === undefined || !entry) return ''
  const { source } = await parsePage(app, revision.space.doc.id, snapshot, entry.oid, gitPath)
  return evaluate(app, revision, gitPath, source.markdown, attributes.variables)
}
