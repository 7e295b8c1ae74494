/**
 * Creates the documents of a printed book from rendered pages: cover, table of contents, chapters. Every text is
 * escaped.
 */
import { toHtml } from 'hast-util-to-html'
import { h } from './element.js'
import { cssText, PRINT_STYLE } from './print-style.js'
import type { Html } from './types.js'

/** The texts of the cover and the margins. */
export interface BookFacts {
  title: string
  organization: string
  /** The line below the title, such as the subject of a change request. */
  subtitle?: string
  /** The ISO time of the revision. */
  date: string
  lang: string
}

/** A page or group in the table of contents. */
export interface ContentsItem {
  title: string
  /** Absent for a group. */
  anchor?: string
  items: ContentsItem[]
}

/** A rendered page with its position in the book. */
export interface Sheet {
  anchor: string
  title: string
  /** 0 for the first page of a chapter. */
  depth: number
  description?: string
  /** The HTML of the renderer. */
  html: string
  /** The IDs in the HTML that can be link targets. */
  ids: readonly string[]
}

/**
 * A group, or a top-level page with all pages below it. A chapter starts on a new page, and its title is in the margin.
 */
export interface Chapter {
  title: string
  /** Whether the title is that of a group. It is then shown above the first page. */
  group: boolean
  sheets: Sheet[]
}

function page(facts: BookFacts, css: string, body: string): string {
  const head = toHtml([
    h('meta', { charSet: 'utf-8' }),
    h('title', {}, facts.title),
    h('link', { rel: 'stylesheet', href: '/fonts.css' }),
  ])
  const open = toHtml(h('html', { lang: facts.lang })).replace('</html>', '')
  return `<!doctype html>${open}<head><style>${PRINT_STYLE}${css}</style>${head}</head><body>${body}</body></html>`
}

/** Returns the cover and the table of contents. Page numbers are written as `[[page:<anchor>]]`. */
export function frontDocument(
  facts: BookFacts,
  contents: readonly ContentsItem[],
  href: (anchor: string) => string,
): string {
  const cover = h(
    'section',
    { className: ['cover'], dir: 'auto' },
    h('h1', {}, facts.title),
    facts.subtitle ? h('p', { className: ['by'], dir: 'auto' }, facts.subtitle) : null,
    h('p', { className: ['by'], dir: 'auto' }, facts.organization),
    h('p', { className: ['date'] }, h('time', { dateTime: facts.date }, facts.date.slice(0, 10))),
  )
  const list = (items: readonly ContentsItem[]): Html | null =>
    items.length === 0 ? null : h('ol', {}, items.map(item))
  const item = (one: ContentsItem): Html => {
    const title = h('span', { dir: 'auto' }, one.title)
    if (one.anchor === undefined) return h('li', {}, h('span', { className: ['group'] }, title), list(one.items))
    const number = h('span', { className: ['number'] }, `[[page:${one.anchor}]]`)
    return h(
      'li',
      {},
      h('a', { href: href(one.anchor) }, title, h('span', { className: ['dots'] }), number),
      list(one.items),
    )
  }
  const css =
    '@page { @bottom-center { content: counter(page, lower-roman); font-size: 8.5pt; color: #5a6069; } } @page :first { @bottom-center { content: none; } }'
  return page(
    facts,
    css,
    toHtml([cover, h('nav', { className: ['contents'] }, h('h1', {}, 'Contents'), list(contents))]),
  )
}

/** Returns a document of chapters. It contains hidden links so that the engine records the position of each ID. */
export function chaptersDocument(facts: BookFacts, chapters: readonly Chapter[]): string {
  const style = 'font-size: 8.5pt; color: #5a6069;'
  const pages = chapters.map(
    ({ title }, index) =>
      `@page c${index} { @top-right { content: ${cssText(shortened(title))}; ${style} } } .c${index} { page: c${index}; }`,
  )
  const margins = `@page { @top-left { content: ${cssText(shortened(facts.title))}; ${style} } @bottom-center { content: counter(page); ${style} } } @page :first { counter-set: page [[first-page]]; }`
  const body = chapters.map((chapter, index) => chapterHtml(chapter, index)).join('')
  const ids = chapters.flatMap((chapter) => chapter.sheets.flatMap((sheet) => [sheet.anchor, ...sheet.ids]))
  const links = h(
    'div',
    { hidden: true },
    ids.map((id) => h('a', { href: `#${encodeURIComponent(id)}` })),
  )
  return page(facts, `${margins}${pages.join('')}`, body + toHtml(links))
}

const MAX_TITLE_LENGTH = 70
const shortened = (text: string): string =>
  text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1)}…` : text

function chapterHtml({ title, group, sheets }: Chapter, index: number): string {
  const opening = group ? toHtml(h('p', { className: ['group-title'], dir: 'auto' }, title)) : ''
  const made = sheets.map((sheet) => {
    const heading = toHtml([
      h('h1', { className: ['page-title'], id: sheet.anchor, dir: 'auto' }, sheet.title),
      ...(sheet.description ? [h('p', { className: ['lead'], dir: 'auto' }, sheet.description)] : []),
    ])
    const classes = ['sheet', ...(sheet.depth > 0 ? ['sub'] : [])].join(' ')
    return `<section class="${classes}">${heading}${sheet.html}</section>`
  })
  return `<article class="chapter c${index}">${opening}${made.join('')}</article>`
}
