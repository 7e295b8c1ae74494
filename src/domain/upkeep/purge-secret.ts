/**
 * Removes files, texts or a person from the history of a space for good. Finds what is affected, writes the new
 * repository, and determines the changes of the documents; the command puts both in place.
 */
import { isRepositoryFault, type RemovedPerson, type RewriteOrder, type RewriteResult } from '../../git/index.js'
import { newId, type RefName } from '../../kernel/ids.js'
import {
  announcedHeads,
  auditLog,
  changeRequests,
  comments,
  connections,
  lfsObjects,
  OBJECTS_PER_DOCUMENT,
  openApiSpecs,
  openApiVersions,
  removedObjects,
  reviews,
  spaces,
  syncRuns,
} from '../../model/index.js'
import type { StoreChange } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { operatorEntry } from '../events/audit.js'
import { openRevision } from '../revisions/revisions.js'
import { ChangedDocuments } from './changed-documents.js'
import { keptIdentity } from './kept-identity.js'

/** Shorter texts are parts of other words. */
export const MIN_TEXT_LENGTH = 6
const MAX_NAMED = 20

/** The content to remove: files and folders by path, texts, and authors by address. */
export interface PurgeOrder {
  paths: readonly string[]
  texts: readonly string[]
  people: readonly RemovedPerson[]
}

/** The order cannot be carried out. The message contains the remedy. */
export class PurgeRefused extends Error {
  override name = 'PurgeRefused'
}

/** The affected content, apart from documents. */
export interface PurgePlan {
  space: string
  organization: string
  history: RewriteResult
  /** Pages of main whose file has something that is removed. */
  pages: { id: string; title: string; path: string }[]
  /** Git LFS objects that no other space has. */
  lfsFiles: string[]
  /** Where the content may still be. The command cannot reach it. */
  outside: string[]
}

/**
 * Finds what is affected. With `target`, also writes the new repository there. Throws `PurgeRefused`.
 * @param target path in the folder of the repositories; null = a preview
 */
export async function planPurge(
  app: App,
  space: LoadedSpace,
  order: PurgeOrder,
  target: string | null,
): Promise<PurgePlan> {
  checkOrder(order)
  const header = await keptIdentity(app, space, await pinnedCommits(app, space))
  const rewrite: RewriteOrder = { ...order, header }
  const history = await app.git.rewrite(repositoryName(space.doc.id), rewrite, target)
  if (history.named.length > 0)
    throw new PurgeRefused(
      `The text is in the names of files: ${listed(history.named)}. Remove these files with --path, or rename them first.`,
    )
  const pages = await affectedPages(app, space, history)
  const { id, organization } = space.doc
  const lfsFiles: string[] = []
  for (const oid of history.lfsObjects)
    if (!(await app.store.find(lfsObjects, 'oid', oid)).some((one) => one.space !== id)) lfsFiles.push(oid)
  return { space: id, organization, history, pages, lfsFiles, outside: await outsideOf(app, space, order, history) }
}

function checkOrder({ paths, texts, people }: PurgeOrder): void {
  if (paths.length + texts.length + people.length === 0)
    throw new PurgeRefused('Say what to remove: --path, --text or --person.')
  const short = texts.find((text) => text.length < MIN_TEXT_LENGTH)
  if (short !== undefined)
    throw new PurgeRefused(
      `The text has ${short.length} characters. It needs at least ${MIN_TEXT_LENGTH}, because a shorter one is part of other words.`,
    )
  const wrong = paths.find((path) => path.split('/').some((name) => ['', '.', '..'].includes(name)))
  if (wrong !== undefined)
    throw new PurgeRefused(
      `${JSON.stringify(wrong)} is not the path of a file or folder from the root of the repository, such as docs/keys.md.`,
    )
  const wrongPerson = people.find(({ email }) => !/^[^\s@<>]+@[^\s@<>]+$/.test(email))
  if (wrongPerson) throw new PurgeRefused(`${JSON.stringify(wrongPerson.email)} is not an email address.`)
}

/** Returns the commits that refs and documents name: their pages must keep their IDs. */
async function pinnedCommits(app: App, { doc, repo }: LoadedSpace): Promise<Set<string>> {
  const named: readonly object[][] = [
    await app.store.find(changeRequests, 'space', doc.id),
    await app.store.find(comments, 'space', doc.id),
    await app.store.find(reviews, 'space', doc.id),
    await app.store.find(syncRuns, 'space', doc.id),
    await app.store.find(announcedHeads, 'space', doc.id),
  ]
  const pinned = new Set<string>((await repo.refs.list('refs/')).values())
  for (const one of named.flat()) for (const [oid] of JSON.stringify(one).matchAll(/\b[0-9a-f]{40}\b/g)) pinned.add(oid)
  return pinned
}

async function affectedPages(app: App, space: LoadedSpace, { files }: RewriteResult): Promise<PurgePlan['pages']> {
  const head = space.repo.refs.head(MAIN)
  if (head === null) return []
  const { structure } = await openRevision(app, space, head)
  return [...structure.byId.values()].flatMap((entry) =>
    entry.type === 'document' && files.has(entry.gitPath)
      ? [{ id: entry.id, title: entry.title, path: entry.gitPath }]
      : [],
  )
}

const listed = (all: readonly string[]): string =>
  all.length <= MAX_NAMED ? all.join(', ') : `${all.slice(0, MAX_NAMED).join(', ')} and ${all.length - MAX_NAMED} more`

/** Returns the places that the command cannot reach, as sentences. */
async function outsideOf(
  app: App,
  space: LoadedSpace,
  order: PurgeOrder,
  { stillAt, unread, removed }: RewriteResult,
): Promise<string[]> {
  const found: string[] = []
  if (stillAt.length > 0)
    found.push(
      `The same bytes are also in ${listed(stillAt)}. Add --path for each of these files to remove them there.`,
    )
  if (unread.length > 0)
    found.push(`${listed(unread)}: too large to be searched. If the text is in them, remove them with --path.`)
  for (const id of await spacesWith(app, space, removed))
    found.push(`The space ${id} has the same objects. Run the command for this space as well.`)
  for (const { url, ref } of await app.store.find(connections, 'space', space.doc.id))
    found.push(
      `The remote ${url}, ${ref}. Until its history is replaced, syncs fail with a message and bring nothing back: clone the space, and push main with --force.`,
    )
  for (const slug of await specificationsWith(app, space, order.texts))
    found.push(`The OpenAPI specification ${slug} contains the text. Upload it without the text, or delete it.`)
  if (order.people.length > 0)
    found.push('Accounts and memberships of the person. Remove the member, and see "Tokens and users".')
  return [...found, ...ALWAYS]
}

const ALWAYS = [
  'Clones and forks of the space, and local branches of people. A push of the removed content is rejected.',
  'Backups, file system snapshots, and (on PostgreSQL) archived log files and replicas. Delete those from before today.',
  'Mails and webhook deliveries that were sent, downloads (PDFs, bundles, exports), and caches of browsers and proxies.',
  'Logs of this server and of proxies, and drafts in browsers.',
  'Blocks of deleted files, until the disk writes them again.',
]

/** Returns the other spaces whose repository has one of the objects, for example duplicates. */
async function spacesWith(app: App, { doc }: LoadedSpace, removed: readonly string[]): Promise<string[]> {
  const found: string[] = []
  if (removed.length === 0) return found
  for (const { id } of await app.store.all(spaces)) {
    const name = repositoryName(id)
    if (id === doc.id || !(await app.git.exists(name))) continue
    try {
      const absent = await (await app.git.open(name)).objects.absent(removed)
      if (absent.length < removed.length) found.push(id)
    } catch (error) {
      if (!isRepositoryFault(error)) throw error
    }
  }
  return found
}

async function specificationsWith(app: App, { doc }: LoadedSpace, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  if (texts.length === 0) return found
  for (const spec of await app.store.find(openApiSpecs, 'organization', doc.organization))
    for (const { content } of await app.store.find(openApiVersions, 'spec', spec.id)) {
      const bytes = await app.specFiles.read(content).catch(() => null)
      if (bytes && texts.some((text) => bytes.includes(text))) found.push(spec.slug)
    }
  return [...new Set(found)]
}

/** Returns the changes of documents and journals, and counts them in `changed` while they are made. */
export function changesOfPurge(
  plan: PurgePlan,
  { texts, people, paths }: PurgeOrder,
  now: Date,
): { change: StoreChange; changed: ChangedDocuments['changed'] } {
  const { space, organization, history } = plan
  const documents = new ChangedDocuments({ space, texts, people, names: history.names, lfs: history.lfsObjects })
  const at = now.toISOString()
  const removed: { table: string; document: { id: string; version: number } }[] = []
  for (let from = 0; from < history.removed.length; from += OBJECTS_PER_DOCUMENT) {
    const objects = history.removed.slice(from, from + OBJECTS_PER_DOCUMENT)
    removed.push({
      table: removedObjects.name,
      document: Object.assign({ id: newId(), version: 1 }, { space, at, objects }),
    })
  }
  const members = [paths.length > 0 && 'path', texts.length > 0 && 'text', people.length > 0 && 'person']
  const record = operatorEntry(
    organization,
    { operation: 'purge-secret', resources: { space }, members: members.filter((one) => one !== false), status: 200 },
    now,
  )
  const change: StoreChange = {
    document: (table, document) => documents.document(table, document),
    record: documents.record,
    documents: removed,
    records: [{ journal: auditLog.name, group: organization, at, record }],
  }
  return { change, changed: documents.changed }
}

/** Returns the commits and refs that a plan changes, for the preview. */
export const movedRefs = ({ history }: PurgePlan): RefName[] =>
  history.refs.flatMap(({ from, oldObject, newObject }) => (oldObject === newObject ? [] : [from]))
