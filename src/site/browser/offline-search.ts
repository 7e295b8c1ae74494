/** Searches the pages of a bundle. Their texts are scripts next to this one, which are loaded with the first search. */
import type { Hit, Marked, Results } from './search.js'

type Section = [title: string, anchor: string, text: string]
type Page = [title: string, file: string, place: string, sections: Section[]]

/** The data of a page for the search: the spaces that it searches, and the words for the number of results. */
interface Order {
  spaces: { number: number; scope: { id: string; title: string } }[]
  everything: string
  none: string
  counts: string[]
}

declare global {
  var binderySearch: Record<string, { more: boolean; pages: Page[] }> | undefined
}

const MAX_PAGES = 8
const MAX_SECTIONS = 3
const BEFORE = 60
const AFTER = 140
const WITHOUT_SPACES = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u

const here = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href
const root = new URL('..', here)

function loadScript(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = new URL(name, here).href
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(name))
    document.head.append(script)
  })
}

async function load(space: number): Promise<Page[]> {
  const pages: Page[] = []
  for (let part = 1; ; part++) {
    const id = `${space}-${part}`
    await loadScript(`search-${id}.js`)
    const found = globalThis.binderySearch?.[id]
    pages.push(...(found?.pages ?? []))
    if (!found?.more) return pages
  }
}

const loaded = new Map<number, Promise<Page[]>>()

function pagesOf(space: number): Promise<Page[]> {
  const known = loaded.get(space) ?? load(space)
  loaded.set(space, known)
  return known
}

/** Returns patterns that match the words of a query. Words of scripts without spaces match anywhere. */
function patternsOf(query: string): RegExp[] {
  const words = [...new Set(query.match(/[\p{L}\p{N}]+/gu) ?? [])]
  return words.map(
    (word) => new RegExp(WITHOUT_SPACES.test(word) ? word : String.raw`(?<![\p{L}\p{N}])${word}[\p{L}\p{N}]*`, 'iu'),
  )
}

function marked(text: string, patterns: readonly RegExp[]): Marked {
  return text.split(new RegExp(`(${patterns.map(({ source }) => source).join('|')})`, 'giu'))
}

/** Returns the text around the first match. */
function snippet(text: string, patterns: readonly RegExp[]): Marked {
  const places = patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const from = first < BEFORE ? 0 : Math.max(0, text.indexOf(' ', first - BEFORE) + 1 || first)
  const start = Math.min(from, first)
  const space = text.lastIndexOf(' ', first + AFTER)
  const end = first + AFTER >= text.length ? text.length : space > first ? space : first + AFTER
  const cut = text.slice(start, end).replace(/[\ud800-\udbff]$/, '')
  return marked((start > 0 ? '… ' : '') + cut + (end < text.length ? ' …' : ''), patterns)
}

interface Found {
  page: Page
  score: number
}

function foundIn(page: Page, patterns: readonly RegExp[]): Found | null {
  const [title, , place, sections] = page
  let score = 0
  for (const pattern of patterns) {
    const best = pattern.test(title)
      ? 20
      : sections.some(([heading]) => pattern.test(heading))
        ? 8
        : sections.some(([, , text]) => pattern.test(text))
          ? 2
          : pattern.test(place)
            ? 1
            : 0
    if (best === 0) return null
    score += best
  }
  return { page, score }
}

function hitsOf({ page: [title, file, place, sections] }: Found, patterns: readonly RegExp[]): Hit[] {
  const address = new URL(file.split('/').map(encodeURIComponent).join('/'), root).href
  const has = (text: string): boolean => patterns.some((pattern) => pattern.test(text))
  const intro = sections[0]?.[2] ?? ''
  const below = sections.slice(1).filter(([heading, , text]) => has(heading) || has(text))
  return [
    {
      href: address,
      kind: 'page',
      title: marked(title, patterns),
      place,
      text: has(intro) || below.length === 0 ? snippet(intro, patterns) : [''],
    },
    ...below.slice(0, MAX_SECTIONS).map(
      ([heading, anchor, text]): Hit => ({
        href: `${address}#${encodeURIComponent(anchor)}`,
        kind: 'section',
        title: marked(heading, patterns),
        place: title,
        text: snippet(text, patterns),
      }),
    ),
  ]
}

/** Returns the results of a search in the bundle. */
export async function searchBundle(form: HTMLFormElement, scope: string): Promise<Results> {
  const order: Order = JSON.parse(form.closest('dialog')?.dataset.offline ?? '{}')
  const query = String(new FormData(form).get('q') ?? '').normalize('NFC')
  const patterns = patternsOf(query)
  const scopes = new Map(order.spaces.map((one) => [one.scope.id, one.scope]))
  const chips = scopes.size < 2 ? [] : [{ id: '', title: order.everything }, ...scopes.values()]
  const groups: Results['groups'] = []
  for (const { number, scope: own } of order.spaces) {
    if ((scope !== '' && scope !== own.id) || patterns.length === 0) continue
    const found = (await pagesOf(number)).flatMap((page) => foundIn(page, patterns) ?? [])
    const best = found.sort((a, b) => b.score - a.score).slice(0, MAX_PAGES)
    const hits = best.flatMap((one) => hitsOf(one, patterns))
    if (hits.length > 0) groups.push({ title: own.title, hits })
  }
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0)
  return { query, status: order.counts[count - 1] ?? order.none, scopes: chips, groups }
}
