/** Finds the pages that have changed since a time or a commit. */
import type { DocumentEntry, PageEntry } from '../../content/types.js'
import { iso } from '../../kernel/clock.js'
import { badRequest } from '../../kernel/errors.js'
import { type CommitId, isOid } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { FileDates } from '../context/content-cache.js'
import { lastChangeOf } from '../revisions/last-change.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import type { OpenRevision } from '../revisions/revisions.js'
import { pageTree } from '../revisions/page-tree.js'

/** Maximum number of commits after a commit. Older commits need a date. */
const MAX_COMMITS = 10_000
const MAX_SUBJECT = 200

/** The start of a list of changes. */
export type Since = { seconds: number } | { commit: CommitId }

/** Reads a date, a time or a commit ID. Throws 400. */
export function readSince(text: string): Since {
  if (isOid(text)) return { commit: text }
  const seconds = /^\d{4}-\d\d-\d\d(?:T[\d:.]{4,12}(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
    ? Date.parse(text) / 1000
    : Number.NaN
  if (Number.isNaN(seconds))
    throw badRequest('`since` must be a date (2026-05-01), a time (2026-05-01T12:00:00Z) or a commit ID of 40 digits.')
  return { seconds }
}

/** A page with the time and the commit of its last change. */
export interface ChangedPage {
  entry: DocumentEntry
  dates: FileDates
}

/** The last change of a page that a reader may see. */
export interface ShownChange {
  commit: CommitId
  at: string
  author: string
  subject: string
}

/**
 * Lists the given pages that have changed, newest change first. Null if `since` is a commit that is not in the history
 * of the revision.
 */
export async function changedPages(
  app: App,
  revision: OpenRevision,
  pages: readonly PageEntry[],
  since: Since,
): Promise<ChangedPage[] | null> {
  const { space, snapshot } = revision
  const isLater = await laterThan(revision, since)
  if (!isLater) return null
  const dates = await datesAt(app, space, snapshot.commit)
  const slices = new Slices()
  const found = new Map<string, ChangedPage>()
  for (const { entry } of (await pageTree(pages)).all) {
    if (slices.due) await slices.rest()
    const own = entry.type === 'document' ? datesOf(dates, entry.gitPath) : undefined
    if (entry.type === 'document' && own && isLater(own)) found.set(entry.id, { entry, dates: own })
  }
  return [...found.values()].sort((a, b) => b.dates.updated - a.dates.updated || (a.entry.id < b.entry.id ? -1 : 1))
}

async function laterThan(
  { space: { repo }, snapshot }: OpenRevision,
  since: Since,
): Promise<((dates: FileDates) => boolean) | null> {
  if ('seconds' in since) return ({ updated }) => updated >= since.seconds
  const { commit } = since
  if (!(await repo.objects.hasCommit(commit)) || !(await repo.history.isAncestor(commit, snapshot.commit))) return null
  const query = { from: snapshot.commit, not: [commit], firstParent: true, limit: MAX_COMMITS + 1 }
  const later = new Set(await repo.history.ids(query))
  if (later.size > MAX_COMMITS)
    throw badRequest(`There are more than ${MAX_COMMITS} commits after this one. Give a date as \`since\`.`)
  return (dates) => later.has(dates.commit)
}

/** Describes the last change of a page. */
export async function showChange(
  app: App,
  revision: OpenRevision,
  { entry, dates }: ChangedPage,
): Promise<ShownChange> {
  const { space, snapshot } = revision
  const change = await lastChangeOf(app, space, snapshot.commit, entry.gitPath)
  const commit = change?.commit ?? dates.commit
  const { message } = await space.repo.objects.commit(commit)
  const [subject = ''] = message.trim().split('\n')
  return { commit, at: iso(dates.updated), author: change?.author ?? '', subject: subject.slice(0, MAX_SUBJECT) }
}
