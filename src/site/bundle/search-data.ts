/**
 * The texts of the pages for the search of a bundle. Pages from a folder cannot read other files, so the texts are
 * scripts. `browser/offline-search.ts` searches them.
 */
import { decoded } from './offline-html.js'

/** A section of a page: its title and anchor ('' for the beginning of the page), and its text. */
export type SearchedSection = [title: string, anchor: string, text: string]
/** A page: its title, its file, the titles of the entries above it, and its sections. */
export type SearchedPage = [title: string, file: string, place: string, sections: SearchedSection[]]

/** Size of one script in characters, approximately. */
const PART = 1_000_000
/** Maximum length of the text of a page that can be searched, in characters. */
const MAX_TEXT = 200_000

const TOKEN = /<!--[\s\S]*?-->|<(\/?)([a-z][a-z\d-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*\/?>|[^<]+|</gi
/** Elements whose text is not a part of the page. */
const UNREAD = new Set(['svg', 'button', 'template', 'script', 'style', 'annotation'])
/** The notes of the margin, which name dates and authors of changes. They contain no other details. */
const NOTE = /\sclass="(?:rec|fold)[ "]/
/** Elements within a line. All others separate words. */
const INLINE = /^(?:a|abbr|b|bdi|code|del|em|i|ins|kbd|mark|math|m[a-z]+|s|small|span|strong|sub|sup|u)$/

/** Returns the text of rendered HTML by sections, each with the heading that starts it. */
export function sectionsOf(html: string): SearchedSection[] {
  let last: SearchedSection = ['', '', '']
  const sections = [last]
  let unread = 0
  let isTitle = false
  let isNote = false
  let left = MAX_TEXT
  for (const [token, end, written = '', attributes = ''] of html.slice(0, 4 * MAX_TEXT).matchAll(TOKEN)) {
    const name = written.toLowerCase()
    if (name === 'details' && (isNote || NOTE.test(attributes))) isNote = end === ''
    else if (UNREAD.has(name) && !token.endsWith('/>')) unread = Math.max(0, unread + (end === '/' ? -1 : 1))
    else if (/^h[1-6]$/.test(name)) {
      const id = end === '/' ? undefined : /\sid="([^"]*)"/.exec(attributes)?.[1]
      isTitle = id !== undefined
      if (id === undefined) last[2] += ' '
      else sections.push((last = ['', decoded(id), '']))
    } else if (name !== '' && !INLINE.test(name)) last[2] += ' '
    else if (name === '' && unread === 0 && !isNote && !token.startsWith('<!--') && left > 0) {
      left -= token.length
      last[isTitle ? 0 : 2] += decoded(token)
    }
  }
  const clean = (text: string): string => text.replace(/\s+/g, ' ').trim()
  return sections
    .map(([title, anchor, text]): SearchedSection => [clean(title), anchor, clean(text)])
    .filter(([title, , text], at) => at === 0 || title !== '' || text !== '')
}

/** Collects the pages of one space into scripts. */
export class SearchScripts {
  #pages: string[] = []
  #length = 0
  #part = 1

  /** @param space the number of the space in the bundle */
  constructor(private readonly space: number) {}

  /** Adds a page, and returns a script that is complete. */
  add(page: SearchedPage): { name: string; body: string } | null {
    const text = JSON.stringify(page)
    this.#pages.push(text)
    this.#length += text.length
    return this.#length < PART ? null : this.#script(true)
  }

  /** Returns the last script. */
  end(): { name: string; body: string } {
    return this.#script(false)
  }

  #script(more: boolean): { name: string; body: string } {
    const id = `${this.space}-${this.#part++}`
    const body = `(self.binderySearch??={})["${id}"]={"more":${more},"pages":[${this.#pages.join()}]}`
    this.#pages = []
    this.#length = 0
    return { name: `search-${id}.js`, body }
  }
}
