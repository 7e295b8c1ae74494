/** The history of a page: its last change, with date, author and commit, and the changes of its blocks. */
import { remoteCommits, remoteLogOf } from '../domain/git-sync/remote-commits.js'
import { lastChangeOf } from '../domain/revisions/last-change.js'
import { hasVersions } from '../domain/sites/page-versions.js'
import { blockChanges } from '../domain/sites/visitor-history.js'
import type { PageText } from '../domain/sites/visitor-page.js'
import { hasProvenance, shownSignature } from '../domain/sites/provenance.js'
import { pathOfSiteSpace, type ReadPage } from '../domain/sites/visitor-paths.js'
import type { SignatureState } from '../model/index.js'
import { defined } from '../kernel/defined.js'
import type { LastChange } from '../domain/context/content-cache.js'
import type { CommitId } from '../kernel/ids.js'
import type { PageHistory, ShownChange } from '../render/index.js'
import type { Frame } from './frame.js'
import type { Visit } from './visit.js'
import type { MarginKey } from './layout/outline.js'
import { formatDay, formatShortDay } from './words/index.js'

/** Seconds before the last change of a page after which an earlier change counts as old. */
const RECENT = 30 * 24 * 60 * 60

/** The last change of a page. */
export interface PageRecord {
  /** The day as ISO 8601, and as displayed. */
  date: string
  day: string
  /** The name of the author; '' if Git has none. */
  author: string
  /** The start of the commit's ID. */
  commit: string
  /** The address of the commit at the host of the repository. */
  address?: string
  /** The address of the list of the page's versions, if readers may open earlier ones. */
  versions?: string
  /** The signature of the commit, and the address of the signed statement about the file. */
  provenance?: { signature: 'verified' | 'signed' | 'unsigned' | 'invalid'; href: string }
}

/** Returns the history of a page. Null if it has none or hides it. In that case, no dates and authors are shown. */
export async function recordOf(
  visit: Visit,
  page: ReadPage,
  text: PageText,
  locale: string,
): Promise<PageRecord | null> {
  const { gitPath, attributes } = text
  if (gitPath === undefined || attributes.layout?.metadata === false) return null
  const { space, snapshot } = page.pages.revision
  const change = await lastChangeOf(visit.app, space, snapshot.commit, gitPath)
  if (!change) return null
  const hasList = showsPast(visit) && (await hasVersions(visit.app, page))
  const record: PageRecord = {
    ...(await present(visit.app, space, change, locale)),
    ...(hasList ? { versions: `${visit.base}${VERSIONS}${page.path}` } : {}),
  }
  if (!servesProvenance(visit) || !hasProvenance(text)) return record
  const { state } = (await shownSignature(visit.app, space, change)) ?? { state: 'not-checked' }
  const href = `${visit.base}${pathOfSiteSpace(page.siteSpace)}/~/provenance/${page.entry.id}.json`
  return { ...record, provenance: { signature: SHOWN[state], href } }
}

/** The paths of the versions of a page, before the path of the page: as a page, and as a TimeMap. */
export const VERSIONS = '/~/versions'
export const TIME_MAP = '/~/timemap'

/** Whether the readers of a site may open pages as they were. */
export const showsPast = ({ visitor, preview, offline }: Visit): boolean =>
  visitor.site.doc.pastVersions === true && !preview && !offline

/** Whether the pages of a site show their provenance. Previews and bundles do not. */
export const servesProvenance = ({ visitor, preview, offline }: Visit): boolean =>
  visitor.site.doc.provenance?.enabled === true && !preview && !offline

const SHOWN: Record<SignatureState, NonNullable<PageRecord['provenance']>['signature']> = {
  valid: 'verified',
  'other-signer': 'signed',
  'unknown-key': 'signed',
  'not-checked': 'signed',
  unsigned: 'unsigned',
  invalid: 'invalid',
}

async function present(app: Visit['app'], space: Space, change: LastChange, locale: string): Promise<PageRecord> {
  const { commit, seconds, author } = change
  return {
    date: new Date(seconds * 1000).toISOString().slice(0, 10),
    day: formatDay(seconds, locale),
    author,
    commit: commit.slice(0, 7),
    ...defined({ address: (await addressOfCommit(app, space, commit)) ?? undefined }),
  }
}

/** The margin of a page: its changes, and the legend for the bars. */
interface Margin {
  history: PageHistory
  key: MarginKey
}

/**
 * Returns the changes of blocks that the margin shows: the last change, and earlier ones. Null if there are none.
 */
export async function marginOf(
  { app, visitor }: Visit,
  page: ReadPage,
  text: PageText,
  { locale, words }: Frame,
): Promise<Margin | null> {
  const found = await blockChanges(app, visitor, page, text)
  const all = Object.entries(found?.changes ?? {})
  if (!found || all.length === 0) return null
  const newest = Math.max(...all.map(([, { seconds }]) => seconds))
  const changes: Record<string, ShownChange> = {}
  for (const [number, change] of all) {
    const { day: fullDay, ...record } = await present(app, page.pages.revision.space, change, locale)
    changes[number] = {
      ...record,
      day: formatShortDay(change.seconds, locale),
      fullDay,
      around: words.changed(change.author),
      commitLabel: words.commit,
      isOld: change.seconds < newest - RECENT,
    }
  }
  const key = {
    since: formatShortDay(newest - RECENT, locale),
    hasOld: Object.values(changes).some(({ isOld }) => isOld),
  }
  return { history: { blocks: found.blocks, changes }, key }
}

type Space = ReadPage['pages']['revision']['space']

/** Returns the address at the host of the commit from which a revision was imported, or as which it was exported. */
async function addressOfCommit(app: Visit['app'], space: Space, commit: CommitId): Promise<string | null> {
  const prefix = space.doc.git?.repoCommitURL
  if (prefix === undefined) return null
  const remote = await connectedCommit(app, space, commit)
  return remote === null ? null : `${prefix.replace(/\/+$/, '')}/${remote}`
}

/** Returns the commit of the connected repository from which a revision was imported, or as which it was exported. */
export async function connectedCommit(app: Visit['app'], space: Space, commit: CommitId): Promise<CommitId | null> {
  const key = `${space.doc.id}:${remoteLogOf(space)}:${commit}`
  const known = app.content.remoteCommits.get(key)
  const remote = known ?? (await (await remoteCommits(space))(commit)) ?? 'none'
  app.content.remoteCommits.set(key, remote)
  return remote === 'none' ? null : remote
}
