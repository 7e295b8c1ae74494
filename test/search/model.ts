/** The model of a search story: the pages of a space according to the contract, and the words on each. */
import { join } from 'node:path'
import { commitPlainly } from '../support/plain-edit.js'
import type { TestService } from '../support/service.js'

export interface Known {
  /** The word in the title, and those in the text. */
  title: string
  text: string[]
  hidden: boolean
  gitPath: string
}

type Change = Record<string, unknown>

/** A space that a story writes to, and the expected search results. */
export class Shelf {
  readonly pages = new Map<string, Known>()
  /** Words that occurred at some time. */
  readonly gone = new Set<string>()

  constructor(
    readonly here: TestService,
    readonly id: string,
  ) {}

  get url(): string {
    return `/v1/spaces/${this.id}`
  }

  /** The page that a search for a word must find, or null if it must find none. */
  where(word: string): string | null {
    for (const [id, page] of this.pages)
      if (!page.hidden && (page.title === word || page.text.includes(word))) return id
    return null
  }

  words(): string[] {
    return [...this.pages.values()].flatMap(({ title, text }) => [title, ...text]).concat([...this.gone].slice(-10))
  }

  async change(changes: readonly Change[], to = this.url): Promise<void> {
    await this.here.admin.call('post', `${to}/content`, { changes }).expect(200)
  }

  async insert(title: string, text: string[], hidden: boolean): Promise<void> {
    await this.change([{ operation: 'insert_page', title: `The ${title}`, document: { markdown: body(text) }, hidden }])
    const page = (await this.all()).find((one) => one.title === `The ${title}`)
    if (!page) throw new Error(`the page of ${title} is missing`)
    this.pages.set(page.id, { title, text, hidden, gitPath: page.git.path })
  }

  async rewrite(id: string, text: string[], to = this.url): Promise<void> {
    await this.change([{ operation: 'update_page', page: id, document: { markdown: body(text) } }], to)
  }

  /** The content of main after a rewrite. */
  rewritten(id: string, text: string[]): void {
    const page = this.pages.get(id) as Known
    for (const word of page.text) this.gone.add(word)
    page.text = text
  }

  async retitle(id: string, title: string): Promise<void> {
    const page = this.pages.get(id) as Known
    await this.change([{ operation: 'update_page', page: id, title: `The ${title}` }])
    this.gone.add(page.title)
    page.title = title
  }

  async hide(id: string, hidden: boolean): Promise<void> {
    await this.change([{ operation: 'update_page', page: id, hidden: hidden || null }])
    ;(this.pages.get(id) as Known).hidden = hidden
  }

  async delete(id: string): Promise<void> {
    await this.change([{ operation: 'delete_page', page: id }])
    const page = this.pages.get(id) as Known
    for (const word of [page.title, ...page.text]) this.gone.add(word)
    this.pages.delete(id)
  }

  /** The same as `rewrite`, through a commit outside the service. */
  async rewritePlainly(id: string, text: string[]): Promise<void> {
    const page = this.pages.get(id) as Known
    const front = page.hidden ? '---\nhidden: true\n---\n\n' : ''
    await commitPlainly(join(this.here.dir, 'repos', `${this.id}.git`), {
      [page.gitPath]: `${front}# The ${page.title}\n\n${body(text)}`,
    })
    this.rewritten(id, text)
  }

  async all(): Promise<{ id: string; title: string; git: { path: string } }[]> {
    return (await this.here.admin.call('get', `${this.url}/content/pages`).expect(200)).body.pages
  }
}

/** Words at every place of a page: text, a list, a table, a hint, code, a link, after a heading. */
const body = ([first = '', second = '', third = '', ...rest]: readonly string[]): string =>
  [
    `Text with ${first} in it.`,
    '## Part',
    `- an entry on ${second}\n- another`,
    '{% hint style="info" %}\nKeep `' + third + '` here.\n{% endhint %}',
    '| name | value |\n| --- | --- |\n' + rest.map((word) => `| one | ${word} |`).join('\n'),
  ].join('\n\n') + '\n'
