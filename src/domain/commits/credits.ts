// Finds the people who wrote the content that a commit adds. One is its author, the others are co-authors.
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { UserDoc } from '../../model/index.js'
import { PAGE_IDS } from '../revisions/identity.js'
import { isComputed, trailer } from '../revisions/revision-type.js'

/** Maximum number of co-authors of one commit. */
const MAX_CO_AUTHORS = 50
/** Maximum number of commits whose authors are read, newest first. */
const MAX_COMMITS = 10_000

/** Trailer of an update from main with the number of conflicts that its author resolved. */
export const RESOLVED = 'Conflicts-Resolved'

type Person = Pick<UserDoc, 'displayName' | 'email'>

/** The author of a commit, and the values of its `Co-authored-by` trailers. */
export interface Credits {
  author: Person
  others: string[]
}

/**
 * Credits the people who wrote the commits of `from` that `not` does not contain. The author is `preferred` if that
 * person wrote one of them, or if no one did. Otherwise it is the author of the newest commit that counts.
 */
export async function creditsOf(
  repo: Repository,
  from: CommitId,
  not: readonly CommitId[],
  preferred: Person,
): Promise<Credits> {
  const writers = await writersOf(repo, from, not)
  const author = writers.find((one) => isSame(one, preferred)) ?? writers[0] ?? preferred
  return { author: isSame(author, preferred) ? preferred : author, others: coAuthors(writers, author) }
}

/** The values of the `Co-authored-by` trailers for all writers except the author. */
export const coAuthors = (writers: readonly Person[], author: Pick<Person, 'email'>): string[] =>
  writers
    .filter((one) => !isSame(one, author))
    .slice(0, MAX_CO_AUTHORS)
    .map(({ displayName, email }) => `${displayName} <${email}>`)

const isSame = (one: Pick<Person, 'email'>, other: Pick<Person, 'email'>): boolean =>
  one.email.toLowerCase() === other.email.toLowerCase()

/** Returns the people who wrote the commits of `from` that `not` does not contain, newest first. */
export async function writersOf(repo: Repository, from: CommitId, not: readonly CommitId[]): Promise<Person[]> {
  const commits = await repo.history.log({ from, not, limit: MAX_COMMITS })
  const known = new Map(commits.map((commit) => [commit.id, commit]))
  const infoOf = async (id: CommitId): Promise<CommitInfo> => known.get(id) ?? repo.objects.commit(id)
  const idle = await withoutEffect(repo, from, not, known)
  const writers = new Map<string, Person>()
  for (const commit of commits) {
    const email = commit.author.email.toLowerCase()
    if (writers.has(email) || idle.has(commit.id) || !(await isWriting(commit, infoOf))) continue
    writers.set(email, { displayName: commit.author.name, email: commit.author.email })
  }
  return [...writers.values()]
}

/**
 * Whether a commit counts as its author's own work. A space's starter files, a new specification version and a commit
 * without changes do not count. A merge counts only if its author resolved conflicts on this server.
 */
async function isWriting(commit: CommitInfo, infoOf: (id: CommitId) => Promise<CommitInfo>): Promise<boolean> {
  const { parents, headers, message, tree } = commit
  const [first, ...more] = parents
  if (first === undefined) return headers[PAGE_IDS] === undefined
  if (more.length > 0) return trailer(message, RESOLVED) !== null
  return !isComputed(commit) && (await infoOf(first)).tree !== tree
}

/**
 * Returns the commits that were added by merges without changes. The branch already had their content: for example,
 * a squashed pull request was imported before its commits.
 */
async function withoutEffect(
  repo: Repository,
  from: CommitId,
  not: readonly CommitId[],
  known: ReadonlyMap<CommitId, CommitInfo>,
): Promise<ReadonlySet<CommitId>> {
  const idle = new Set<CommitId>()
  for (let at = known.get(from); at !== undefined; at = at.parents[0] && known.get(at.parents[0])) {
    const [first, ...others] = at.parents
    if (first === undefined || others.length === 0 || (await repo.objects.commit(first)).tree !== at.tree) continue
    for (const other of others)
      for (const id of await repo.history.ids({ from: other, not: [first, ...not], limit: MAX_COMMITS })) idle.add(id)
  }
  return idle
}

/**
 * If a single change request adds all commits of `from` that `not` does not contain, returns its subject; otherwise
 * null. Ignores merges that change nothing, and merges of commits that `not` contains.
 */
export async function subjectOfOnlyRequest(
  repo: Repository,
  from: CommitId,
  not: readonly CommitId[],
): Promise<string | null> {
  let found: string | null = null
  for (const { parents, tree, message, headers } of await repo.history.log({
    from,
    not,
    firstParent: true,
    limit: MAX_COMMITS,
  })) {
    const [first, second] = parents
    if (first !== undefined && (await repo.objects.commit(first)).tree === tree) continue
    if (
      second !== undefined &&
      (await Promise.all(not.map((commit) => repo.history.isAncestor(second, commit)))).includes(true)
    )
      continue
    const number = second === undefined || headers[PAGE_IDS] === undefined ? null : trailer(message, 'Change-Request')
    if (number === null || found !== null) return null
    found = /^Merge change request #\d+: (.*\S)/.exec(message)?.[1] ?? `Change request #${number}`
  }
  return found
}
