import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BareRepository } from '../support/bare-repository.js'
import { type GitHttp, startGitHttp } from '../support/git-http.js'
import { filesOf } from '../support/files-of.js'
import { git } from '../support/hermetic-git.js'
import { type MergeStyle, mergeOnRemote } from '../support/people-on-remote.js'
import { startService, type TestService } from '../support/service.js'
import { pick, type Random, random } from '../simulation/two-sided/random.js'
import { commitTo, type Desk, flat, openDesk } from '../commits/fixture.js'

type Files = Map<string, string>
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'haven']

/**
 * The text of a page contains a mark that identifies the page, so that its ID can be checked wherever people move it.
 */
const pageOf = (mark: string, title: string): string =>
  `# ${title}\n\nmark: ${mark}\n\n${Array.from({ length: 6 }, (_, n) => `${mark} tells of ${WORDS[n]} and of what came ${n} days after.\n`).join('\n')}`
const markOf = (text: string): string | null => /^mark: (\w+)$/m.exec(text)?.[1] ?? null

/** A space, its remote, and the ID that each page had when it was first seen. */
export class Story {
  readonly ids = new Map<string, string>()
  #marks = 0

  private constructor(
    readonly next: Random,
    readonly here: TestService,
    readonly desk: Desk,
    readonly remotes: GitHttp,
    readonly remote: BareRepository & { url: string },
    readonly folder: string,
  ) {}

  static async begin(seed: number): Promise<Story> {
    const folder = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
    const remotes = await startGitHttp({ root: folder })
    const first = new Map(
      Array.from(
        { length: 7 },
        (_, n) => [n < 4 ? `p${n}.md` : `part/p${n}.md`, pageOf(`m${n}`, `Page ${n}`)] as const,
      ),
    )
    const toc = `# Contents\n\n${[...first.keys()].map((path, n) => `* [Page ${n}](${path})\n`).join('')}`
    const remote = await remotes.createRepository('docs.git', {
      files: Object.fromEntries([...first, ['SUMMARY.md', toc]]),
    })
    const here = await startService()
    const story = new Story(random(seed), here, await openDesk(here), remotes, remote, folder)
    story.#marks = 7
    await story.sync('import', 'main')
    await story.judge()
    return story
  }

  async close(): Promise<void> {
    await this.here.close()
    await this.remotes.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Checks that every page of main has the ID that its mark was first seen with. */
  async judge(): Promise<void> {
    const files = await this.#files(this.desk.repo)
    for (const page of flat(await this.desk.pages())) {
      const mark = page.git ? markOf(files.get(page.git.path) ?? '') : null
      if (mark === null) continue
      const known = this.ids.get(mark)
      if (known === undefined) this.ids.set(mark, page.id)
      else if (known !== page.id)
        throw new Error(`page ${mark} at ${page.git?.path} has the ID ${page.id} instead of ${known}`)
    }
  }

  async #files(repo: string): Promise<Files> {
    return new Map(
      [...(await filesOf(repo, 'main'))]
        .filter(([path]) => path.endsWith('.md'))
        .map(([path, text]) => [path, `${text.trim()}\n`]),
    )
  }

  /** A person's commit on one side. */
  async commit(side: 'here' | 'there', change: (story: Story, files: Files) => string): Promise<string> {
    const repo = side === 'here' ? this.desk.repo : this.remote.path
    const before = await this.#files(repo)
    const after = new Map(before)
    const told = change(this, after)
    const files: Record<string, string | null> = {}
    for (const path of before.keys()) if (!after.has(path)) files[path] = null
    for (const [path, text] of after) if (before.get(path) !== text) files[path] = text
    if (Object.keys(files).length > 0) await commitTo(repo, files)
    return `${side}: ${told}`
  }

  #page(files: Files): string | null {
    return pick(
      this.next,
      [...files.keys()].filter((path) => path !== 'SUMMARY.md' && markOf(files.get(path) as string) !== null),
    )
  }

  edit(files: Files): string {
    const path = this.#page(files)
    if (path !== null) files.set(path, `${files.get(path)}\nAdded ${this.next(1_000_000)}.\n`)
    return `edit ${path}`
  }

  moveFile(files: Files): string {
    const path = this.#page(files)
    const to = `${pick(this.next, ['', 'part/', 'new/'])}${pick(this.next, WORDS)}-${this.next(100)}.md`
    if (path === null || files.has(to)) return 'nothing'
    files.set(to, files.get(path) as string)
    files.delete(path)
    this.#inToc(files, (toc) => toc.replace(`](${path})`, `](${to})`))
    return `move ${path} to ${to}`
  }

  /** Two files exchange places. The table of contents stays the same, or follows the pages. */
  exchange(files: Files): string {
    const [a, b] = [this.#page(files), this.#page(files)]
    if (a === null || b === null || a === b) return 'nothing'
    const [one, other] = [files.get(a) as string, files.get(b) as string]
    files.set(a, other).set(b, one)
    if (this.next(2) === 0)
      this.#inToc(files, (toc) =>
        toc.replace(`](${a})`, '](?)').replace(`](${b})`, `](${a})`).replace('](?)', `](${b})`),
      )
    return `exchange ${a} and ${b}`
  }

  retitle(files: Files): string {
    const path = this.#page(files)
    const title = `Title ${this.next(1000)}`
    if (path !== null)
      this.#inToc(files, (toc) => toc.replace(new RegExp(`\\[[^\\]]*\\]\\(${path}\\)`), `[${title}](${path})`))
    return `retitle ${path}`
  }

  addFile(files: Files): string {
    const mark = `m${this.#marks++}`
    const path = `${mark}.md`
    files.set(path, pageOf(mark, `Page ${mark}`))
    this.#inToc(files, (toc) => `${toc.trimEnd()}\n* [Page ${mark}](${path})\n`)
    return `add ${path}`
  }

  deleteFile(files: Files): string {
    const path = this.#page(files)
    if (path === null || files.size < 6) return 'nothing'
    files.delete(path)
    this.#inToc(files, (toc) => toc.replace(new RegExp(`.*\\(${path}\\)\n`), ''))
    return `delete ${path}`
  }

  #inToc(files: Files, change: (toc: string) => string): void {
    files.set('SUMMARY.md', change(files.get('SUMMARY.md') ?? '# Contents\n'))
  }

  /** A member changes a title, a position or a text through the API. */
  async api(): Promise<string> {
    const page = pick(
      this.next,
      flat(await this.desk.pages()).filter((one) => one.git),
    )
    if (!page) return 'nothing'
    const change = pick(this.next, [
      { title: `Title ${this.next(1000)}` },
      { slug: `${pick(this.next, WORDS)}-${this.next(100)}` },
      { title: `Title ${this.next(1000)}`, slug: `${pick(this.next, WORDS)}-${this.next(100)}` },
    ])
    const { status } = await this.desk.admin.call('post', `${this.desk.url}/content`, {
      changes: [{ operation: 'update_page', page: page.id, ...change }],
    })
    return `api: ${JSON.stringify(change)} of ${page.path} ${status}`
  }

  async sync(direction: 'import' | 'export', branch: string): Promise<string> {
    const { admin, url } = this.desk
    const input = {
      url: this.remote.url,
      ref: `refs/heads/${branch}`,
      ...(direction === 'export' ? { commitMessage: 'Publish' } : {}),
    }
    await admin.call('post', `${url}/git/${direction}`, input).expect(204)
    const run = await this.#idle()
    if (run.changeRequest) await this.#resolve(run.changeRequest)
    return `${direction} ${branch}: ${run.result ?? run.state} ${run.error ?? ''}`
  }

  async #idle(): Promise<{ state: string; result?: string; error?: string; changeRequest?: string }> {
    for (const end = Date.now() + 90_000; ; ) {
      const { body } = await this.desk.admin.call('get', `${this.desk.url}/git/history?limit=5`)
      if (body.items.every((run: { state: string }) => run.state !== 'queued' && run.state !== 'running'))
        return body.items[0]
      if (Date.now() > end) throw new Error('a run does not end')
      await new Promise((done) => setTimeout(done, 25))
    }
  }

  /** Chooses one side for each conflict, and merges the change request. */
  async #resolve(id: string): Promise<void> {
    const { admin, url } = this.desk
    const { body } = await admin.call('get', `${url}/change-requests/${id}/conflicts`)
    const take = pick(this.next, ['main', 'change-request'])
    const resolve = (body.items as { path: string }[]).map(({ path }) => ({ path, take }))
    await admin.call('post', `${url}/change-requests/${id}/update`, { resolve })
    await admin.call('post', `${url}/change-requests/${id}/merge`)
  }

  /** The push arrives, but its response is lost. */
  async cutExport(branch: string): Promise<string> {
    this.remotes.behaviour.losePushResponses = true
    try {
      return `cut ${await this.sync('export', branch)}`
    } finally {
      delete this.remotes.behaviour.losePushResponses
    }
  }

  /** Merges the branch of exports on the remote, and deletes it there. */
  async mergeDocs(style: MergeStyle): Promise<string> {
    if ((await this.remote.head('refs/heads/docs')) === null) return 'nothing to merge'
    try {
      await mergeOnRemote(this.remote, 'docs', style)
    } catch {
      return `${style} of docs: conflicts`
    }
    if (this.next(2) === 0) await git(this.remote.path, ['update-ref', '-d', 'refs/heads/docs'])
    return `${style} of docs`
  }

  async restart(): Promise<string> {
    await this.here.restart()
    return 'restart'
  }
}
