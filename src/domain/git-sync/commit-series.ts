/** Makes the commit series of an export: the commits of main's first-parent history, on top of the remote head. */
import type { CommitInfo, FileChange, Repository, Signature, Staging } from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import type { IdOverrides } from '../../content/identity.js'
import { creditsOf } from '../commits/credits.js'
import { commitMessage, serviceSignature, signatureOf } from '../commits/make-commit.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { checkMergedNames } from '../commits/merge/path-collisions.js'
import { mergedOverrides, overridesAt, pageIdsHeader, rememberOverrides } from '../revisions/identity.js'
import { folderCommit } from './directory.js'
import { defaultMessage, folderChanges } from './export-commit.js'
import { type SeriesPlan, planCommitSeries } from './plan-commit-series.js'
import type { SyncLog } from './log-entries.js'
import type { Sided } from './remote-side.js'
import type { Sync } from './sync.js'

/** Number of commits that become durable together. */
const BATCH = 200

/**
 * The last commit that was made: the remote commit, and the equal local commit. If only a folder is synced, the local
 * commit contains only that folder.
 */
interface Tip {
  head: CommitId
  local: CommitId
}

/** The commit series that an export pushes: its last commit, the equal local commit, and the number of commits. */
export interface CommitSeries {
  commit: CommitId
  theirs: CommitId
  length: number
}

/**
 * Makes the commit series on top of the remote head `tip`. Each commit has the tree, author, author date and message of
 * a commit of main. The committer is the service, with the committer date of main's commit. The result depends only on
 * main and the remote, so a retry makes the same commits. Commits without changes are left out. A merged change request
 * is one commit, with its other authors as co-authors. If the new commit would be identical to main's commit, that
 * commit is pushed.
 *
 * Commits made before main contained the remote head are merged onto it. If such a commit conflicts or came from the
 * remote, it gets no separate commit. Its changes go into the next commit whose tree is known. That commit has the
 * message of the request, and all authors as co-authors.
 */
export async function makeCommitSeries(
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  tip: Tip,
): Promise<CommitSeries> {
  return new SeriesMaker(
    sync,
    log,
    tip,
    await withoutRevertedPart(sync.space.repo, await planCommitSeries(sync.space.repo, log, main, tip.local), tip),
  ).make()
}

/**
 * Returns the series without its first part if main took over the remote head unchanged, because that part then has no
 * effect.
 */
async function withoutRevertedPart(repo: Repository, line: SeriesPlan, tip: Tip): Promise<SeriesPlan> {
  const at = line.commits[line.whole]
  if (
    at === undefined ||
    line.whole === 0 ||
    (await repo.objects.commit(at)).tree !== (await repo.objects.commit(tip.local)).tree
  )
    return line
  return { commits: line.commits.slice(line.whole + 1), before: at, whole: 0, replayed: 0 }
}

/** The content of one commit of the series, without its parent. */
interface SeriesCommit {
  tree: TreeId
  message: string
  author: Signature
  /** The commit of main that it is made from. */
  of: CommitInfo
  overrides: IdOverrides
}

class SeriesMaker {
  readonly #repo: Repository
  readonly #staging: Staging
  /** Receives the pushed commits. If a folder is synced, they are stored outside the space's repository. */
  readonly #pushed: Staging
  #tip: Tip
  #count = 0
  /** Whether the changes of some skipped commits are not in the series yet. */
  #hasSkipped: boolean

  constructor(
    readonly sync: Sided<Sync>,
    readonly log: SyncLog,
    readonly start: Tip,
    readonly line: SeriesPlan,
  ) {
    this.#repo = sync.space.repo
    this.#staging = this.#repo.objects.stage()
    this.#pushed = sync.side.usesScratch ? sync.side.commits.objects.stage() : this.#staging
    this.#tip = start
    this.#hasSkipped = line.before === null
  }

  async make(): Promise<CommitSeries> {
    const { commits, before, whole } = this.line
    // Ancestry of new commits is checked before they are on disk. This loads their base commits into memory.
    const there = this.sync.side.usesScratch ? [] : [this.start.head]
    for (const commit of [...there, this.start.local, ...commits.slice(-1)])
      await this.#repo.history.isAncestor(commit, commit)
    let previous = before
    for (const [at, id] of commits.entries()) {
      const commit = await this.#repo.objects.commit(id)
      const made = at >= whole ? await this.#unchanged(commit) : await this.#mergedOnTop(commit, previous, at)
      if (made !== null) await this.#add(made)
      previous = id
    }
    await this.#settle()
    return { commit: this.#tip.head, theirs: this.#tip.local, length: this.#count }
  }

  async #unchanged(of: CommitInfo): Promise<SeriesCommit | null> {
    const includesSkipped = this.#hasSkipped
    this.#hasSkipped = false
    if (of.tree === (await this.#repo.objects.commit(this.#tip.local)).tree) return null
    return {
      of,
      tree: of.tree,
      ...(await this.#messageAndAuthor(of, includesSkipped)),
      overrides: await overridesAt(this.sync.app, this.sync.space, of.id),
    }
  }

  /**
   * Merges a commit from before main contained the remote head onto that head. Returns null if it gets no separate
   * commit.
   */
  async #mergedOnTop(of: CommitInfo, before: CommitId | null, at: number): Promise<SeriesCommit | null> {
    const made = at < this.line.replayed || before === null ? null : await this.#merged(of, before)
    if (made === null) this.#hasSkipped = true
    return made === null || made.tree === (await this.#repo.objects.commit(this.#tip.local)).tree ? null : made
  }

  async #merged(of: CommitInfo, before: CommitId): Promise<SeriesCommit | null> {
    const { app, space } = this.sync
    if (await this.#bringsRemote(of, before)) return null
    await this.#settle()
    const ours = this.#tip.local
    try {
      const merged = await mergeCommits(app, space, { ours, theirs: of.id, base: before })
      if (!merged.clean) return null
      await checkMergedNames(this.#repo, merged.tree, ours, of.id)
      const overrides = await mergedOverrides(app, space, { bases: [before], ours, theirs: of.id, tree: merged.tree })
      return { of, tree: merged.tree, ...(await this.#messageAndAuthor(of, false)), overrides }
    } catch (error) {
      if (error instanceof ServiceError) return null
      throw error
    }
  }

  /**
   * Whether a commit of main brings in remote changes, directly or through a change request. Such changes must not be
   * exported as if they were made here.
   */
  async #bringsRemote({ id, parents }: CommitInfo, before: CommitId): Promise<boolean> {
    if (parents.length < 2) return false
    for (const { theirs } of this.log.entries) {
      if (!(await this.#repo.objects.hasCommit(theirs))) continue
      for (const common of await this.#repo.history.mergeBases(theirs, id))
        if (!(await this.#repo.history.isAncestor(common, before))) return true
    }
    return false
  }

  /**
   * Returns the message and author of the commit, or those of the request if the commit also contains changes by
   * others.
   */
  async #messageAndAuthor(of: CommitInfo, includesSkipped: boolean): Promise<Pick<SeriesCommit, 'message' | 'author'>> {
    const { app, actor } = this.sync
    if (!includesSkipped && of.parents.length < 2) return { message: of.message, author: of.author }
    const not = [includesSkipped ? this.line.before : of.parents[0], this.start.local].filter(
      (commit) => commit != null,
    )
    const preferred = includesSkipped ? actor.user : { displayName: of.author.name, email: of.author.email }
    const { author, others } = await creditsOf(this.#repo, of.id, not, preferred)
    const { seconds, offset } = includesSkipped ? of.committer : of.author
    return {
      author: { ...signatureOf(app, author), seconds, offset },
      message: withCoAuthors(
        includesSkipped ? commitMessage(defaultMessage(this.sync)) : of.message,
        others,
        author.email,
      ),
    }
  }

  async #settle(): Promise<void> {
    await this.#staging.settle()
    if (this.sync.side.usesScratch) await this.#pushed.settle()
  }

  async #add({ of, tree, message, author, overrides }: SeriesCommit): Promise<void> {
    const { app, space, remote } = this.sync
    this.#count++
    const { head, local } = this.#tip
    const [only, ...more] = of.parents
    const signed = !this.#repo.signs || of.headers.gpgsig !== undefined
    if (
      signed &&
      remote.directory === '' &&
      only === head &&
      more.length === 0 &&
      of.message === message &&
      of.tree === tree
    ) {
      this.#tip = { head: of.id, local: of.id }
      return
    }
    const committer = { ...serviceSignature(app), seconds: of.committer.seconds, offset: of.committer.offset }
    const headers = await pageIdsHeader(app, space, local, overrides)
    const fields = { message: message.endsWith('\n') ? message : `${message}\n`, author, committer, headers }
    // Write the folder's commit first: it keeps a merged tree in the repository.
    const mapped = remote.directory === '' ? null : await this.#staging.write(folderCommit(fields, [local], tree))
    const changes: FileChange[] =
      remote.directory === '' ? [] : await folderChanges(this.#repo, this.sync.side, remote.directory, head, tree)
    const commit = await this.#pushed.write({
      ...fields,
      parents: [head],
      changes,
      sign: true,
      ...(remote.directory === '' ? { tree } : {}),
    })
    this.#tip = { head: commit, local: mapped ?? commit }
    rememberOverrides(app, space, this.#tip.local, overrides)
    if (this.#count % BATCH === 0) await this.#settle()
  }
}

/** Adds `Co-authored-by` trailers after the existing trailers of a message. Removes a trailer that names the author. */
function withCoAuthors(message: string, names: readonly string[], author: string): string {
  const paragraphs = message.trimEnd().split(/\n{2,}/)
  const last = paragraphs.at(-1)?.split('\n') ?? []
  const trailers = paragraphs.length > 1 && last.every((line) => /^[A-Za-z][A-Za-z0-9-]*: \S/.test(line)) ? last : []
  const namesAuthor = (line: string): boolean =>
    /^Co-authored-by:/i.test(line) && line.toLowerCase().endsWith(`<${author.toLowerCase()}>`)
  const kept = trailers.filter((line) => !namesAuthor(line))
  const added = names.map((name) => `Co-authored-by: ${name}`).filter((line) => !message.includes(line))
  if (added.length === 0 && kept.length === trailers.length) return message
  const text = trailers.length > 0 ? paragraphs.slice(0, -1) : paragraphs
  return `${[...text, [...kept, ...added].join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}
