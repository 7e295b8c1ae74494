/** A random archive of pages, with the expected result of an import. */
import { posix } from 'node:path'
import { Document, ExternalHyperlink, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from 'docx'
import { pick, type Random } from '../simulation/two-sided/random.js'
import { LITERALS } from './odd-texts.js'
import { type Entry, rawZip } from './raw-zip.js'
import { picture } from './story-support.js'

type Kind = 'md' | 'html' | 'docx'
export interface ArchivePage {
  path: string
  kind: Kind
  title: string
  word: string
  seen: string[]
  links: { word: string; to: ArchivePage | string }[]
  pictures: { alt: string; bytes: Buffer | null }[]
  /** The text of a markdown file, whose bytes must stay except for the targets of links. */
  text: string
}

const HEX = '0123456789abcdef'
const FOLDERS = [
  '',
  '',
  'Guide',
  'guide',
  'Größe',
  'Grösse',
  'Gro\u0308ße',
  '日本語',
  'a b',
  'a%20b',
  'x/y',
  'x/y/z',
  'con',
  'plus+',
  'q?',
  'SUMMARY',
  'back`tick',
  '(paren)',
  '[b]',
  "it's",
  'dots..in',
  '#hash',
  `${'f'.repeat(200)}`,
] // prettier-ignore
const NAMES = [
  'one',
  'One',
  'ONE',
  'café',
  'cafe\u0301',
  'README',
  'readme',
  'index',
  'Привет',
  'two words',
  'per%20cent',
  'per%cent',
  'a&b',
  'a#b',
  'a?b',
  'semi;colon',
  'q"uote',
  'star*',
  'long'.repeat(60),
  'Emoji 😀',
  'con',
  'nul.x',
  '-dash',
  'page.md',
  'x.html',
  'summary',
  '*',
  '_Sidebar',
  'تجربة',
  'trailing ',
  '{% x %}',
  '$1',
  '<b>',
  'a|b',
  '[x](y)',
  '`',
  '\u200b',
  '~',
] // prettier-ignore
const inLink = (path: string, full: boolean): string =>
  path
    .split('/')
    .map((part) =>
      full
        ? encodeURIComponent(part).replace(/[()'*!]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
        : encodeURI(part).replace(/[#?()]/g, (c) => encodeURIComponent(c).replace('(', '%28').replace(')', '%29')),
    )
    .join('/')
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export class Archive {
  readonly pages: ArchivePage[] = []
  readonly failing: string[] = []
  readonly forbidden: string[] = []
  readonly #files: Entry[] = []
  #made = 0
  readonly notion: boolean

  constructor(
    readonly next: Random,
    size: number,
  ) {
    this.notion = next(3) === 0
    const taken = new Set<string>()
    while (this.pages.length < size) {
      const kind = pick(next, ['md', 'md', 'md', 'html', 'docx']) as Kind
      const folder = pick(next, FOLDERS) as string
      const hex = Array.from({ length: 32 }, () => HEX[next(16)]).join('')
      const name = `${pick(next, NAMES)}${this.notion && next(2) === 0 ? ` ${hex}` : ''}.${kind}`
      const path = posix.join(folder, name)
      if (taken.has(path) || name.length > 250) continue
      taken.add(path)
      const word = this.#word('word')
      this.pages.push({
        path,
        kind,
        title: `Title ${word.replace('word', 'of')}`,
        word,
        seen: [],
        links: [],
        pictures: [],
        text: '',
      })
    }
  }

  #word(kind: string): string {
    return `${kind}${(++this.#made).toString(36)}q${this.next(46656).toString(36)}z`
  }

  /** The bytes of the archive. */
  async write(): Promise<Buffer> {
    for (const page of this.pages) this.#put(page.path, await this.#bytes(page))
    for (let i = this.next(4); i > 0; i--) this.#nasty()
    for (const name of ['.DS_Store', '__MACOSX/._one.md', 'Thumbs.db']) if (this.next(4) === 0) this.#put(name, 'junk')
    const files = this.#files.map((entry) => [this.next(1000), entry] as const).sort(([a], [b]) => a - b)
    return rawZip(files.map(([, entry]) => entry))
  }

  #put(name: string, data: string | Buffer, more: Partial<Entry> = {}): void {
    this.#files.push({ name, data, stored: this.next(3) === 0, descriptor: this.next(3) === 0, ...more })
  }

  /** Files that must be left out and listed. */
  #nasty(): void {
    const word = this.#word('nasty')
    const text = `# Nasty\n\n${word}\n`
    this.forbidden.push(word)
    const [name, more] = pick<[string, Partial<Entry>]>(this.next, [
      [`../${word}.md`, {}],
      [`a/../../${word}.md`, {}],
      [`/${word}.md`, {}],
      [`C:/${word}.md`, {}],
      [`..\\${word}.md`, {}],
      [`${word}\0.md`, {}],
      [`${word}\n.md`, {}],
      [`tab\t/${word}.md`, {}],
      [`${word}-crc.md`, { crc: 1 }],
      [`${word}-size.md`, { size: 3 }],
      [`${word}-long.md`, { size: 3000 }],
      [`${word}-locked.md`, { encrypted: true }],
      [`${word}-method.md`, { method: 12 }],
      [`${word}-link.md`, { mode: 0o120777, stored: true }],
      [`${word}-packed.md`, { deflated: Buffer.from('this is not deflated') }],
    ]) as [string, Partial<Entry>]
    this.failing.push(word)
    this.#put(name, text, { descriptor: false, stored: false, ...more })
  }

  #picture(page: ArchivePage): [string, string] {
    const alt = this.#word('alt')
    const shared = this.next(4) === 0
    const bytes = picture(shared ? 'shared' : alt)
    const path = posix.join(
      pick(this.next, FOLDERS.slice(0, 10)) as string,
      `${this.#word('file')}${pick(this.next, ['.png', ' x.png', '.PNG', '(1).png', 'ä.png'])}`,
    )
    const there = this.next(5) > 0
    if (there) this.#put(path, bytes)
    page.pictures.push({ alt, bytes: there ? bytes : null })
    return [alt, posix.relative(posix.dirname(page.path), path)]
  }

  #link(page: ArchivePage): [string, string] {
    const word = this.#word('link')
    const to = this.next(4) === 0 ? 'https://example.org/x?a=b#c' : (pick(this.next, this.pages) as ArchivePage)
    page.links.push({ word, to })
    if (typeof to === 'string') return [word, to]
    const path = posix.relative(posix.dirname(page.path), to.path)
    const href = inLink(path, this.next(2) === 0)
    return [word, this.next(3) === 0 ? `./${href}` : href]
  }

  #literal(page: ArchivePage): string {
    const text = `${this.#word('a')} ${pick(this.next, LITERALS)} ${this.#word('b')}`
    page.seen.push(text.replace(/\s+/g, ' '))
    return text
  }

  async #bytes(page: ArchivePage): Promise<Buffer | string> {
    if (page.kind === 'md') return this.#markdown(page)
    return page.kind === 'html' ? this.#html(page) : this.#word97(page)
  }

  /** Markdown in any style, which must stay unchanged. */
  #markdown(page: ArchivePage): string {
    const end = this.next(4) === 0 ? '\r\n' : '\n'
    const blocks = [`${this.next(3) === 0 ? `${page.title}\n====` : `# ${page.title}`}`, page.word]
    for (let i = this.next(5); i >= 0; i--)
      blocks.push(
        pick(this.next, [
          () => '*  a bullet,  \n   __and__   more\t\n*\tanother',
          () => `| a|b |\n|:-|--:|\n|${pick(this.next, ['x', '`\\|`'])} | y`,
          () => '```js\n[not a link](one.md)\n```',
          () => '{% hint style="info" %}\nText   with  spaces\n{% endhint %}',
          () => '<details>\n<summary>s</summary>\n\ninner\n\n</details>',
          () => `Text \`[code](${this.pages[0]?.path.replace(/\s/g, '')})\` text`,
          () => this.#mdLink(page),
          () => `* item ${this.#mdLink(page)}`,
          () => `> ${this.#mdLink(page)}`,
          () => `| ${this.#mdLink(page)} | b |\n|---|---|`,
          () => this.#mdPicture(page),
        ])?.() as string,
      )
    page.text =
      `${this.next(6) === 0 ? '\ufeff' : ''}${this.next(5) === 0 ? '---\nowner:   me # kept\n---\n\n' : ''}${blocks.join('\n\n')}${this.next(5) === 0 ? '' : '\n'}`.replaceAll(
        '\n',
        end,
      )
    return page.text
  }

  #mdLink(page: ArchivePage): string {
    const [word, href] = this.#link(page)
    return pick(this.next, [
      `[${word}](${href})`,
      `[${word}](${href})`,
      `[${word}](<${href}>)`,
      `[${word}](${href} "title")`,
    ]) as string
  }

  #mdPicture(page: ArchivePage): string {
    const [alt, path] = this.#picture(page)
    return `![${alt}](${inLink(path, true)})`
  }

  #html(page: ArchivePage): string {
    const blocks = [`<p>${page.word}</p>`]
    for (let i = this.next(4); i >= 0; i--)
      blocks.push(
        pick(this.next, [
          () => `<p>${escaped(this.#literal(page))}</p>`,
          () => {
            const [word, href] = this.#link(page)
            return `<p><a href="${escaped(href)}">${word}</a></p>`
          },
          () => {
            const [alt, path] = this.#picture(page)
            return `<p><img alt="${alt}" src="${escaped(inLink(path, false))}"></p>`
          },
        ])?.() as string,
      )
    return `<!doctype html><html><head><meta charset="utf-8"><title>${page.title}</title></head><body><main><h1>${page.title}</h1>${blocks.join('')}</main></body></html>`
  }

  async #word97(page: ArchivePage): Promise<Buffer> {
    const word = this.#word('link')
    page.links.push({ word, to: 'https://example.org/x' })
    const cell = (text: string): TableCell => new TableCell({ children: [new Paragraph(text)] })
    const children = [
      new Paragraph({ text: page.title, heading: HeadingLevel.HEADING_1 }),
      new Paragraph(page.word),
      new Paragraph(this.#literal(page)),
      new Paragraph({
        children: [new ExternalHyperlink({ link: 'https://example.org/x', children: [new TextRun(word)] })],
      }),
      new Table({
        rows: [
          new TableRow({ children: [cell(this.#literal(page)), cell(this.#literal(page))] }),
          new TableRow({ children: [cell('a'), cell('b')] }),
        ],
      }),
    ]
    return Packer.toBuffer(new Document({ sections: [{ children }] }))
  }
}
