/** A small random website, with the expected result of an import. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { pick, type Random } from '../simulation/two-sided/random.js'
import { LITERALS, NAMES } from './odd-texts.js'
import { picture } from './story-support.js'

interface SitePage {
  /** The notation in URLs. */
  path: string
  title: string
  /** Appears once in the page's content. */
  word: string
  /** Pieces of text as a reader sees them. */
  seen: string[]
  links: Link[]
  pictures: { alt: string; bytes: Buffer | null }[]
  html: string
  send(response: ServerResponse, request: IncomingMessage): void
}
interface Link {
  word: string
  /** The page that it points to, or the URL that it must have. */
  to: SitePage | string
  part?: string
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const KOI8 = 'юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ'
const koi8 = (text: string): Buffer =>
  Buffer.from(
    [...text].map((c) => (KOI8.includes(c) ? 0xc0 + KOI8.indexOf(c) : c.charCodeAt(0) < 128 ? c.charCodeAt(0) : 63)),
  )
const utf16 = (text: string, big: boolean): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return big ? bytes.swap16() : bytes
}

/** The ways in which servers send the same page. */
const SENDINGS: ((html: string) => [Record<string, string>, Buffer])[] = [
  (html) => [{ 'content-type': 'text/html; charset=utf-8' }, Buffer.from(html)],
  (html) => [{ 'content-type': 'text/html' }, Buffer.from(`\ufeff${html}`)],
  (html) => [{ 'content-type': 'text/html; charset=iso-8859-1' }, Buffer.from(`\ufeff${html}`)],
  (html) => [{ 'content-type': 'text/html' }, Buffer.from(html.replace('<head>', '<head><meta charset="utf-8">'))],
  (html) => [{ 'content-type': 'TEXT/HTML;CHARSET="UTF8"' }, Buffer.from(html)],
  (html) => [
    { 'content-type': 'text/html', 'content-encoding': 'gzip' },
    gzipSync(html.replace('<head>', '<head><meta charset="utf-8">')),
  ],
  (html) => [{ 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'br' }, brotliCompressSync(html)],
  (html) => [{ 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'deflate' }, deflateSync(html)],
  (html) => [{ 'content-type': 'application/xhtml+xml; charset=utf-8' }, Buffer.from(html)],
  (html) => [{ 'content-type': 'text/html' }, utf16(html, false)],
  (html) => [{ 'content-type': 'text/html' }, utf16(html, true)],
]
const KOI_SENDING = (html: string): [Record<string, string>, Buffer] => [
  { 'content-type': 'text/html; charset=koi8-r' },
  koi8(html),
]

export class Site {
  readonly pages: SitePage[] = []
  /** Entries that must be listed as not imported, by a part of the URL. */
  readonly failing: string[] = []
  /** Text that must not be imported. */
  readonly forbidden: string[] = []
  readonly #other = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
  readonly #begin: string
  #made = 0
  #taken = new Set<string>()
  origin = ''

  constructor(
    readonly next: Random,
    size: number,
  ) {
    this.#begin = pick(next, ['/docs/', '/', '/a%20b/', '/v1.0/docs/']) as string
    const names = NAMES.filter(() => next(3) === 0).slice(0, size)
    // The page of a folder is one page, whether its URL names the file or not. The same applies to two spellings of
    // the same letters.
    for (const name of [
      '',
      ...names.filter(
        (one) =>
          !(one === 'gamma/index.html' && names.includes('gamma/')) &&
          !(one === 'cafe%CC%81' && names.includes('caf%C3%A9')),
      ),
    ])
      this.#add(name)
  }

  /** The start URL of an import. */
  get start(): string {
    return this.origin + this.#begin
  }

  #word(kind: string): string {
    return `${kind}${(++this.#made).toString(36)}q${this.next(46656).toString(36)}z`
  }

  #add(name: string): void {
    const word = this.#word('word')
    this.#taken.add(name)
    this.pages.push({
      path: this.#begin + name,
      title: `Title ${word}`.replace('word', 'of'),
      word,
      seen: [],
      links: [],
      pictures: [],
      html: '',
      send: () => {},
    })
  }

  /** Writes the pages once the address of the server is known. */
  write(origin: string): void {
    this.origin = origin
    const written = this.pages.map((page) => this.#body(page))
    // Each page but the first is linked from an earlier one, so that all can be found.
    for (const [i, page] of this.pages.entries()) {
      const from = this.next(i)
      if (i > 0) written[from]?.push(this.#linkTo(this.pages[from] as SitePage, page))
    }
    for (const [i, page] of this.pages.entries()) this.#finish(page, written[i] as string[])
  }

  #linkTo(page: SitePage, to: SitePage): string {
    const word = this.#word('link')
    page.links.push({ word, to })
    return `<p>See <a href="${escaped(this.#addressOf(page, to))}">${word}</a>.</p>`
  }

  /** Returns one of the URLs of a page. */
  #addressOf(from: SitePage, to: SitePage): string {
    const query = this.next(6) === 0 ? '?utm_source=docs&x=%20' : ''
    const path = to.path + query
    const forms = [path, this.origin + path, `${this.origin.replace('http:', '')}${path}`]
    const folder = from.path.slice(0, from.path.lastIndexOf('/') + 1)
    if (to.path.startsWith(folder) && to.path !== folder && !to.path.slice(folder.length).startsWith('-'))
      forms.push(
        `./${path.slice(folder.length)}`,
        `../${folder.split('/').at(-2)}/${path.slice(folder.length)}`.replace(/^\.\.\/\//, './'),
      )
    if (this.next(5) === 0) return this.#redirect(to)
    return pick(this.next, folder === '/' ? forms.slice(0, 3) : forms) as string
  }

  /** Returns a URL that leads to a page in up to three steps. */
  #redirect(to: SitePage): string {
    let target = to.path
    for (let i = this.next(3); i >= 0; i--) {
      const path = `${this.#begin}${this.#word('old')}`
      const location = pick(this.next, [target, this.origin + target]) as string
      const status = pick(this.next, [301, 302, 303, 307, 308]) as number
      this.#other.set(path, (_, response) => response.writeHead(status, { location }).end('moved'))
      target = path
    }
    return target
  }

  #say(page: SitePage, text: string): string {
    page.seen.push(text.replace(/\s+/g, ' ').trim())
    return escaped(text)
  }

  /** A piece of text with a meaning elsewhere, between words that identify its place. */
  #literal(page: SitePage): string {
    const literal = pick(this.next, LITERALS) as string
    return this.#say(
      page,
      pick(this.next, [
        `${literal} ${this.#word('end')}`,
        `${this.#word('begin')} ${literal}`,
        `${this.#word('a')} ${literal} ${this.#word('b')}`,
      ]) as string,
    )
  }

  #block(page: SitePage, depth = 0): string {
    const { next } = this
    const text = (): string => this.#literal(page)
    const inline = (): string =>
      pick(next, [
        text,
        () => `<b>${this.#say(page, this.#word('bold'))}</b>`,
        () => `<code>${this.#say(page, `${this.#word('code')} <x> \`y\``)}</code>`,
        () => this.#link(page),
      ])?.() as string
    const kinds: (() => string)[] = [
      () => `<p>${inline()}</p>`,
      () => `<p>${inline()} ${inline()}<br>${inline()}</p>`,
      () => `<ul><li>${inline()}</li><li><p>${text()}</p><p>${text()}</p></li></ul>`,
      () => `<ol start="${next(9)}"><li>${inline()}<li>${text()}</ol>`,
      () => `<table><tr><th>${text()}<th>${text()}<tr><td>${inline()}<td>${text()}</table>`,
      () =>
        `<pre><code class="language-js">${this.#say(page, `${this.#word('line')} \`\`\` < & { {% x %}`)}\n</code></pre>`,
      () => `<h2 id="${this.#word('id')}">${this.#say(page, this.#word('heading'))}</h2>`,
      () => `<div>${text()}</div>`,
      () => `<p>${this.#picture(page)}</p>`,
      () => `<dl><dt>${text()}<dd>${text()}</dl>`,
      () => `<section><h3>${text()}</h3>${inline()}</section>`,
    ]
    if (depth < 3)
      kinds.push(
        () => `<blockquote>${this.#block(page, depth + 1)}</blockquote>`,
        () =>
          `<details><summary>${this.#say(page, this.#word('summary'))}</summary>${this.#block(page, depth + 1)}</details>`,
        () => `<div class="admonition warning">${this.#block(page, depth + 1)}</div>`,
        () => `<ul><li>${this.#block(page, depth + 1)}</li></ul>`,
      )
    return pick(next, kinds)?.() as string
  }

  #link(page: SitePage): string {
    const word = this.#word('link')
    const target = pick(this.next, this.pages) as SitePage
    const outside = 'https://example.org/x/?a=b&c=d#e_f'
    const link = pick(this.next, [
      (): [string, Link] => [this.#addressOf(page, target), { word, to: target }],
      (): [string, Link] => [this.#addressOf(page, target), { word, to: target }],
      (): [string, Link] => [outside, { word, to: outside }],
      (): [string, Link] => ['mailto:ada@example.org', { word, to: 'mailto:ada@example.org' }],
      (): [string, Link] => [
        '/elsewhere/page',
        { word, to: this.#begin === '/' ? `${this.origin}/elsewhere/page` : `${this.origin}/elsewhere/page` },
      ],
      (): [string, Link] => this.#broken(word),
    ])?.() as [string, Link]
    page.links.push(link[1])
    if (link[0] === '/elsewhere/page' && this.#begin === '/') this.#expectFailure('/elsewhere/page', 404)
    return `<a href="${escaped(link[0])}">${word}</a>`
  }

  #expectFailure(path: string, status: number): void {
    if (!this.failing.includes(path)) this.failing.push(path)
    this.#other.set(path, (_, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<main>no</main>'),
    )
  }

  /** A link to a page that cannot be imported keeps its URL, and that is listed. */
  #broken(word: string): [string, Link] {
    const path = `${this.#begin}${this.#word('broken')}`
    const answer = (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): void =>
      void this.#other.set(path, (_, response) =>
        response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body),
      )
    // A download is no page, and needs no word.
    if (this.next(8) === 0) answer(200, { 'content-type': 'application/octet-stream' }, Buffer.alloc(99))
    else {
      this.failing.push(path)
      pick(this.next, [
        () => answer(404),
        () => answer(403, {}, '<main>no</main>'),
        () => answer(410),
        () => answer(302, { location: path }),
        () => answer(302, { location: 'https://example.org/away' }),
        () => answer(301, { location: 'http://[' }),
        () => answer(301),
        () => answer(200, { 'content-encoding': 'gzip' }, 'this is no gzip'),
        () => answer(200, { 'content-length': '5000' }, ''),
        () => answer(200, { 'content-encoding': 'made-up' }, 'what is this?'),
      ])?.()
    }
    return [path, { word, to: this.origin + path }]
  }

  #picture(page: SitePage): string {
    const alt = this.#word('alt')
    const bytes = picture(this.next(4) === 0 ? 'shared' : alt)
    const path = `/pictures/${this.#word('file')}${pick(this.next, ['.png', '', '.PNG', '%20x.png', '.jpg'])}`
    const good = this.next(5) > 0
    page.pictures.push({ alt, bytes: good ? bytes : null })
    const wrong = pick(this.next, [
      (response: ServerResponse) => response.writeHead(404).end(),
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Not a picture</h1>'),
      (response: ServerResponse) => response.writeHead(302, { location: path }).end(),
    ]) as (response: ServerResponse) => unknown
    if (!good) this.failing.push(path)
    this.#other.set(path, (_, response) =>
      good ? response.writeHead(200, { 'content-type': 'image/png' }).end(bytes) : wrong(response),
    )
    return `<img alt="${alt}" src="${pick(this.next, [path, this.origin + path])}">`
  }

  #body(page: SitePage): string[] {
    const blocks = [`<p>${page.word}</p>`]
    for (let i = 1 + this.next(5); i > 0; i--) blocks.push(this.#block(page))
    return blocks
  }

  #finish(page: SitePage, blocks: string[]): void {
    const { next } = this
    const frame = pick(next, ['main', 'article']) as string
    const junk = this.#word('junk')
    this.forbidden.push(junk)
    const head = `<!doctype html><html><head><title>${page.title}</title><script>var x = "${junk}</main>"</script><style>.${junk}{}</style></head>`
    const around = `<nav><a href="${this.#begin}">${junk}</a></nav>`
    const inside = pick(next, [
      '',
      `<p hidden>${junk}</p>`,
      `<form>${junk}<input></form>`,
      `<script>${junk}</script>`,
      `<template>${junk}</template>`,
      `<!-- ${junk} -->`,
    ]) as string
    page.html = `${head}<body>${around}<${frame}><h1>${page.title}</h1>${inside}${blocks.join('\n')}</${frame}><footer>${junk}</footer></body></html>`
    const isPlain = /^[\x20-\x7e\n]*$/.test(page.html)
    const [headers, bytes] = (isPlain && next(4) === 0 ? KOI_SENDING : (pick(next, SENDINGS) as (typeof SENDINGS)[0]))(
      page.html,
    )
    page.send = (response) => response.writeHead(200, headers).end(bytes)
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url as string).replace(/\?.*/, '')
    const page = this.pages.find((one) => one.path === path)
    if (page) page.send(response, request)
    else if (this.#other.has(path)) this.#other.get(path)?.(request, response)
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here')
  }
}
