/** Makes the commits of an export commit by commit: main's first-parent line, put on top of the remote's head. */
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
import { type ExportLine, findExportLine } from './plan-commit-series.js'
import type { SyncLog } from './log-entries.js'
import type { Sided } from './remote-side.js'
import type { Sync } from './sync.js'

/** Commits that become durable together. */
const BATCH = 200

/** The last commit that was made: on the remote, and the same commit here (of the folder alone, if only a folder is synced). */
interface Tip {
  head: CommitId
  local: CommitId
}

/** What an export pushes: the last of its commits, the same commit here, and how many there are. */
export interface ExportRow {
  commit: CommitId
  theirs: CommitId
  row: number
}

/**
 * Makes the commits, on top of the remote's head `tip`. Each has the tree, the author, the author's date and the message of a commit of main; the service
 * is the committer, at the time of main's commit. So they depend on main and the remote alone, and making them again gives the same ones. Commits without
 * effect are left out. A merged change request is one commit, with the others who wrote it as co-authors. A commit of main that
 * would come out as itself is pushed as it is.
 *
 * Commits from before main took in the remote's head are put on top of it by a merge. What cannot be (it collides, or it came from the remote) has no commit
 * of its own: it is in the next commit whose tree is known, which has the message of the request, and everybody who wrote it as co-author.
 */
export async function exportRow(sync: Sided<Sync>, log: SyncLog, main: CommitId, tip: Tip): Promise<ExportRow> {
  return new RowMaker(
    sync,
    log,
    tip,
    await withoutReturn(sync.space.repo, await findExportLine(sync.space.repo, log, main, tip.local), tip),
  ).make()
}

/** The line without what came to nothing: main took the remote's head as it is. */
async function withoutReturn(repo: Repository, line: ExportLine, tip: Tip): Promise<ExportLine> {
  const at = line.commits[line.whole] as CommitId
  if (line.whole === 0 || (await repo.commit(at)).tree !== (await repo.commit(tip.local)).tree) return line
  return { commits: line.commits.slice(line.whole + 1), before: at, whole: 0, replayed: 0 }
}

/** What one commit of the row has, beside its parent. */
interface SeriesCommit {
  tree: TreeId
  message: string
  author: Signature
  /** The commit of main that it is made of. */
  of: CommitInfo
  overrides: IdOverrides
}

class RowMaker {
  readonly #repo: Repository
  readonly #staging: Staging
  /** Where the commits are made that are pushed: of a folder, beside the space. */
  readonly #pushed: Staging
  #tip: Tip
  #count = 0
  /** Whether commits were left out whose changes are in none of the row yet. */
  #owing: boolean

  constructor(
    readonly sync: Sided<Sync>,
    readonly log: SyncLog,
    readonly ground: Tip,
    readonly line: ExportLine,
  ) {
    this.#repo = sync.space.repo
    this.#staging = this.#repo.stage()
    this.#pushed = sync.side.beside ? sync.side.commits.stage() : this.#staging
    this.#tip = ground
    this.#owing = line.before === null
  }

  async make(): Promise<ExportRow> {
    const { commits, before, whole } = this.line
    // New commits are asked for their ancestry before they are on the disk: this loads those that they build on.
    const there = this.sync.side.beside ? [] : [this.ground.head]
    for (const commit of [...there, this.ground.local, ...commits.slice(-1)])
      await this.#repo.isAncestor(commit, commit)
    let previous = before
    for (const [at, id] of commits.entries()) {
      const commit = await this.#repo.commit(id)
      const made = at >= whole ? await this.#asItIs(commit) : await this.#onTop(commit, previous, at)
      if (made !== null) await this.#add(made)
      previous = id
    }
    await this.#settle()
    return { commit: this.#tip.head, theirs: this.#tip.local, row: this.#count }
  }

  async #asItIs(of: CommitInfo): Promise<SeriesCommit | null> {
    const owing = this.#owing
    this.#owing = false
    if (of.tree === (await this.#repo.commit(this.#tip.local)).tree) return null
    return {
      of,
      tree: of.tree,
      ...(await this.#said(of, owing)),
      overrides: await overridesAt(this.sync.app, this.sync.space, of.id),
    }
  }

  /** A commit from before main took in the remote's head, merged onto that. Null if it has no commit of its own. */
  async #onTop(of: CommitInfo, before: CommitId | null, at: number): Promise<SeriesCommit | null> {
    const made = at < this.line.replayed || before === null ? null : await this.#merged(of, before)
    if (made === null) this.#owing = true
    return made === null || made.tree === (await this.#repo.commit(this.#tip.local)).tree ? null : made
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
      return { of, tree: merged.tree, ...(await this.#said(of, false)), overrides }
    } catch (error) {
      if (error instanceof ServiceError) return null
      throw error
    }
  }

  /** Whether a commit of main brings in anything of the remote, also by a change request: that must not be exported as if it were made here. */
  async #bringsRemote({ id, parents }: CommitInfo, before: CommitId): Promise<boolean> {
    if (parents.length < 2) return false
    for (const { theirs } of this.log.entries) {
      if (!(await this.#repo.hasCommit(theirs))) continue
      for (const common of await this.#repo.mergeBases(theirs, id))
        if (!(await this.#repo.isAncestor(common, before))) return true
    }
    return false
  }

  /** Message and author: those of the commit, or of the request if the commit has to speak for others too. */
  async #said(of: CommitInfo, owing: boolean): Promise<Pick<SeriesCommit, 'message' | 'author'>> {
    const { app, actor } = this.sync
    if (!owing && of.parents.length < 2) return { message: of.message, author: of.author }
    const not = [owing ? this.line.before : of.parents[0], this.ground.local].filter((commit) => commit != null)
    const preferred = owing ? actor.user : { displayName: of.author.name, email: of.author.email }
    const { author, others } = await creditsOf(this.#repo, of.id, not, preferred)
    const { seconds, offset } = owing ? of.committer : of.author
    return {
      author: { ...signatureOf(app, author), seconds, offset },
      message: withCoAuthors(owing ? commitMessage(defaultMessage(this.sync)) : of.message, others, author.email),
    }
  }

  async #settle(): Promise<void> {
    await this.#staging.settle()
    if (this.sync.side.beside) await this.#pushed.settle()
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
    const said = { message: message.endsWith('\n') ? message : `${message}\n`, author, committer, headers }
    // The folder's commit comes first: it makes sure that the repository keeps a tree that a merge made.
    const mapped = remote.directory === '' ? null : await this.#staging.write(folderCommit(said, [local], tree))
    const changes: FileChange[] =
      remote.directory === '' ? [] : await folderChanges(this.#repo, this.sync.side, remote.directory, head, tree)
    const commit = await this.#pushed.write({
      ...said,
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

/** A message with `Co-authored-by` trailers, after the trailers that it has. One that names the author is left out. */
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
