/**
 * A repository of a host, in memory: commits, branches, pull requests, statuses. Each stand-in presents it in its own
 * format.
 */
import { createHash } from 'node:crypto'

export interface FakeCommit {
  sha: string
  parents: string[]
  message: string
  /** `Name <address>`. */
  author: string
  date: string
}

export interface FakeBranch {
  sha: string
  protected?: boolean
  /** Whether the credential may push to it; default true. */
  canPush?: boolean
}

export interface FakePull {
  number: number
  title: string
  body: string
  head: string
  base: string
  state: 'open' | 'closed' | 'merged'
  author: string
  reviewers: string[]
  comments: string[]
  /** After a merge, the commits at that time, oldest first. Before it, those of the branch. */
  commits: FakeCommit[]
  merge: string | null
  squash: string | null
  mergedAt: string | null
  reason: string
  /** The source repository, or null for this one. */
  fork: string | null
}

export interface FakeStatus {
  sha: string
  state: string
  context: string
  description: string
  url: string
}

const shaOf = (...parts: unknown[]): string => createHash('sha1').update(JSON.stringify(parts)).digest('hex')

/** The source of commits: memory, or a real repository that a test provides. */
export interface FakeCommits {
  /** The commits from a commit or branch, newest first, along first parents. */
  log(from: string, most: number): FakeCommit[]
  find(sha: string): FakeCommit | undefined
}

export class FakeRepository {
  readonly branches = new Map<string, FakeBranch>()
  readonly pulls: FakePull[] = []
  readonly statuses: FakeStatus[] = []
  /** People who may review. */
  readonly people = ['ann', 'ben']
  readonly #commits = new Map<string, FakeCommit>()
  commits: FakeCommits = {
    log: (from, most) => {
      const found: FakeCommit[] = []
      for (
        let at = this.#commits.get(this.branches.get(from)?.sha ?? from);
        at && found.length < most;
        at = this.#commits.get(at.parents[0] ?? '')
      )
        found.push(at)
      return found
    },
    find: (sha) =>
      this.#commits.get(sha) ?? [...this.#commits.values()].find((one) => sha.length >= 7 && one.sha.startsWith(sha)),
  }
  canPush = true
  archived = false

  /** @param name `owner/name` */
  constructor(
    readonly name: string,
    readonly defaultBranch = 'main',
  ) {
    this.commit(defaultBranch, 'Begin')
  }

  /** Adds a commit to a branch, which starts at the default branch if it is new. Returns the commit. */
  commit(
    branch: string,
    message: string,
    parents?: string[],
    author = 'Ann <ann@example.org>',
    date = '2026-05-01T10:00:00Z',
  ): FakeCommit {
    const on = this.branches.get(branch)?.sha ?? this.branches.get(this.defaultBranch)?.sha
    const all = parents ?? (on === undefined ? [] : [on])
    const made = { sha: shaOf(all, message, author, date, this.#commits.size), parents: all, message, author, date }
    this.#commits.set(made.sha, made)
    this.branches.set(branch, { ...this.branches.get(branch), sha: made.sha })
    return made
  }

  open(pull: Pick<FakePull, 'head' | 'base' | 'title' | 'body'> & Partial<FakePull>): FakePull {
    const made: FakePull = {
      number: this.pulls.length + 1,
      state: 'open',
      author: 'ann',
      reviewers: [],
      comments: [],
      commits: [],
      merge: null,
      squash: null,
      mergedAt: null,
      reason: '',
      fork: null,
      ...pull,
    }
    this.pulls.push(made)
    return made
  }

  findOpen(head: string, base: string): FakePull | undefined {
    return this.pulls.find((one) => one.state === 'open' && one.head === head && one.base === base)
  }

  /** Commits of a pull request that its base does not have, oldest first. */
  commitsOf(pull: FakePull): FakeCommit[] {
    if (pull.state === 'merged') return pull.commits
    const had = new Set(this.commits.log(pull.base, 1000).map(({ sha }) => sha))
    return this.commits
      .log(pull.head, 1000)
      .filter(({ sha }) => !had.has(sha))
      .reverse()
  }

  /** Merges as hosts do. */
  merge(pull: FakePull, method: 'merge' | 'squash' | 'rebase' | 'forward'): void {
    const own = this.commitsOf(pull)
    const head = this.branches.get(pull.head)?.sha ?? ''
    const base = this.branches.get(pull.base)?.sha ?? ''
    if (method === 'merge') pull.merge = this.commit(pull.base, `Merge pull request ${pull.number}`, [base, head]).sha
    if (method === 'squash') pull.squash = this.commit(pull.base, `${pull.title} (#${pull.number})`).sha
    if (method === 'rebase')
      for (const one of own) pull.squash = this.commit(pull.base, one.message, undefined, one.author, one.date).sha
    if (method === 'forward') this.branches.set(pull.base, { sha: head })
    Object.assign(pull, { state: 'merged', commits: own, mergedAt: '2026-05-02T10:00:00Z' })
  }

  /** The commit that a merge created. */
  mergedTo(pull: FakePull): string | null {
    if (pull.state !== 'merged') return null
    return pull.merge ?? pull.squash ?? pull.commits.at(-1)?.sha ?? null
  }
}
