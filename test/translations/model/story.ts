/** A model of a source and its expected translation, and the random steps of its story. */
import { BLOCKS, dice, sourceOf, translationOf, wording } from './marked.js'

interface Block {
  marked: string
  /** The text that a person wrote in its place in the result. */
  corrected: string | null
}

interface Page {
  title: string
  /** Null without front matter. */
  description: string | null
  crlf: boolean
  blocks: Block[]
}

/** A story from a seed. Each step changes the model, which returns the expected source and translation at any time. */
export class Story {
  readonly #roll: (below: number) => number
  readonly #word: () => string
  readonly #groups = new Map<string, string>()
  #pages = new Map<string, Page>()
  #deleted = new Map<string, Page>()
  #assets = 0
  #files = 0
  #corrections = 0

  constructor(seed: number, pages: number) {
    this.#roll = dice(seed)
    this.#word = wording(this.#roll)
    for (let n = 0; n < pages; n++) this.#newPage()
    for (const group of ['one', 'two']) this.#groups.set(group, this.#word())
  }

  /** Files of the source. */
  source(): Record<string, string> {
    return this.#all(sourceOf, ({ marked }) => sourceOf(marked))
  }

  /** Files of the result. */
  result(): Record<string, string> {
    return this.#all(translationOf, ({ marked, corrected }) => corrected ?? translationOf(marked))
  }

  /** Applies a change and returns its description. */
  step(): string {
    const kinds = Object.getOwnPropertyNames(STEPS)
    const kind = kinds[this.#roll(kinds.length)] as keyof typeof STEPS
    STEPS[kind](this)
    return kind
  }

  /** Corrects a paragraph in the result: returns a file with the old text and the new one. */
  correct(): { path: string; from: string; to: string } | null {
    const [path, page] = this.#pick()
    const block = page.blocks[this.#roll(page.blocks.length)]
    if (block === undefined || !/^«[^»]*»$/.test(block.marked)) return null
    const from = block.corrected ?? translationOf(block.marked)
    block.corrected = `Corrected ${++this.#corrections} by hand.`
    return { path, from, to: block.corrected }
  }

  /** Undoes a correction that was not possible because the result does not have the block yet. */
  forget(corrected: string): void {
    for (const { blocks } of this.#pages.values())
      for (const block of blocks) if (block.corrected === corrected) block.corrected = null
  }

  edit(): void {
    const [, page] = this.#pick()
    const at = this.#roll(page.blocks.length)
    if (page.blocks[at] !== undefined) page.blocks[at] = this.#newBlock()
  }

  reorder(): void {
    const [, page] = this.#pick()
    const [block] = page.blocks.splice(this.#roll(page.blocks.length), 1)
    if (block !== undefined) page.blocks.splice(this.#roll(page.blocks.length + 1), 0, block)
  }

  insert(): void {
    const [, page] = this.#pick()
    page.blocks.splice(this.#roll(page.blocks.length + 1), 0, this.#newBlock())
  }

  remove(): void {
    const [, page] = this.#pick()
    if (page.blocks.length > 3) page.blocks.splice(this.#roll(page.blocks.length), 1)
  }

  carry(): void {
    const [, from] = this.#pick()
    const [, to] = this.#pick()
    if (from.blocks.length < 4) return
    const [block] = from.blocks.splice(this.#roll(from.blocks.length), 1)
    if (block !== undefined) to.blocks.splice(this.#roll(to.blocks.length + 1), 0, block)
  }

  rename(): void {
    const [path, page] = this.#pick()
    // In the same position of the table of contents, because that is the order of the map.
    this.#pages = new Map(
      [...this.#pages].map(([at, one]) =>
        at === path ? [`${this.#roll(2) === 0 ? '' : 'folder/'}renamed-${++this.#files}.md`, page] : [at, one],
      ),
    )
  }

  move(): void {
    const all = [...this.#pages]
    const [entry] = all.splice(this.#roll(all.length), 1)
    if (entry !== undefined) all.splice(this.#roll(all.length + 1), 0, entry)
    this.#pages = new Map(all)
  }

  create(): void {
    this.#newPage()
  }

  delete(): void {
    if (this.#pages.size < 4) return
    const [path, page] = this.#pick()
    this.#pages.delete(path)
    this.#deleted.set(path, page)
  }

  restore(): void {
    const [path, page] = [...this.#deleted][0] ?? []
    if (path === undefined || page === undefined) return
    this.#deleted.delete(path)
    // The result has lost the page with its corrections. The present page is a new translation.
    this.#pages.set(path, { ...page, blocks: page.blocks.map((block) => ({ ...block, corrected: null })) })
  }

  retitle(): void {
    this.#pick()[1].title = this.#word()
  }

  describe(): void {
    const [, page] = this.#pick()
    page.description = page.description !== null && this.#roll(3) === 0 ? null : this.#word()
  }

  regroup(): void {
    this.#groups.set(this.#roll(2) === 0 ? 'one' : 'two', this.#word())
  }

  ends(): void {
    const [, page] = this.#pick()
    page.crlf = !page.crlf
  }

  asset(): void {
    this.#assets++
  }

  #pick(): [string, Page] {
    return [...this.#pages][this.#roll(this.#pages.size)] as [string, Page]
  }

  #newBlock(): Block {
    const make = this.#roll(3) === 0 ? BLOCKS[0] : BLOCKS[this.#roll(BLOCKS.length)]
    return { marked: (make as (typeof BLOCKS)[0])(this.#word), corrected: null }
  }

  #newPage(): void {
    const blocks = Array.from({ length: 3 + this.#roll(6) }, () => this.#newBlock())
    this.#pages.set(`page-${++this.#files}.md`, {
      title: this.#word(),
      description: this.#roll(2) === 0 ? this.#word() : null,
      crlf: this.#roll(4) === 0,
      blocks,
    })
  }

  #all(plain: (marked: string) => string, ofBlock: (block: Block) => string): Record<string, string> {
    const files: Record<string, string> = {
      '.gitbook/assets/a.png': `picture ${this.#assets}`,
      'notes.txt': `Words that stay, ${this.#assets}.\n`,
    }
    const half = Math.floor(this.#pages.size / 2)
    const lines = [...this.#pages].map(([path, page], n) => {
      const head = page.description === null ? '' : `---\nicon: gear\ndescription: «${page.description}»\n---\n\n`
      const text = `${plain(`${head}# «${page.title}»`)}\n\n${page.blocks.map(ofBlock).join('\n\n')}\n`
      files[path] = page.crlf ? text.replaceAll('\n', '\r\n') : text
      const group = n === 0 ? 'one' : n === half ? 'two' : null
      return `${group === null ? '' : `\n## «${this.#groups.get(group)}» <a href="#${group}" id="${group}"></a>\n\n`}* [«${page.title}»](${path})`
    })
    files['SUMMARY.md'] = plain(`# «Summary»\n${lines.join('\n')}\n`)
    return files
  }
}

const STEPS = {
  edit: (story: Story) => story.edit(),
  editAgain: (story: Story) => story.edit(),
  reorder: (story: Story) => story.reorder(),
  insert: (story: Story) => story.insert(),
  remove: (story: Story) => story.remove(),
  carry: (story: Story) => story.carry(),
  rename: (story: Story) => story.rename(),
  move: (story: Story) => story.move(),
  create: (story: Story) => story.create(),
  delete: (story: Story) => story.delete(),
  restore: (story: Story) => story.restore(),
  retitle: (story: Story) => story.retitle(),
  describe: (story: Story) => story.describe(),
  regroup: (story: Story) => story.regroup(),
  ends: (story: Story) => story.ends(),
  asset: (story: Story) => story.asset(),
}
