/** Reads a whole site like a reader without scripts: follows all links, starting at the first page. */
import { selectAll } from 'hast-util-select'
import type { Element, Nodes } from 'hast'
import { parseHtml } from './words-of.js'

/** A response of a site. */
export interface Read {
  /** The path and query. */
  path: string
  status: number
  type: string
  location: string | null
  text: string
  /** The parsed HTML. Absent for other types. */
  tree?: Nodes
}

/** A reference from one page to another address. */
export interface Reference {
  from: string
  /** The absolute address. */
  to: URL
  kind: 'link' | 'picture' | 'part'
}

export interface Crawl {
  reads: Map<string, Read>
  references: Reference[]
}

const ATTRIBUTES: readonly [selector: string, attribute: string, kind: Reference['kind']][] = [
  ['a[href]', 'href', 'link'],
  ['form[action]', 'action', 'part'],
  ['link[href]', 'href', 'part'],
  ['script[src]', 'src', 'part'],
  ['img[src]', 'src', 'picture'],
  ['source[srcset]', 'srcSet', 'picture'],
  ['video[src], audio[src], video[poster]', 'src', 'picture'],
]

function referencesIn(tree: Nodes, from: string, base: string): Reference[] {
  return ATTRIBUTES.flatMap(([selector, attribute, kind]) =>
    selectAll(selector, tree).flatMap((element) => {
      const value = String(element.properties[attribute] ?? '').split(/\s/)[0] as string
      return URL.canParse(value, base) ? [{ from, to: new URL(value, base), kind }] : []
    }),
  ).concat(navigationIn(tree, from, base))
}

/** The parts of the navigation that the script loads. */
const navigationIn = (tree: Nodes, from: string, base: string): Reference[] => {
  const [source] = selectAll('[data-nav-source]', tree).map(({ properties }) => String(properties.dataNavSource))
  const above = source ?? /^.*\/~nav\//.exec(from)?.[0]
  return selectAll('[data-nav]', tree).map(({ properties }) => ({
    from,
    to: new URL(`${above}${String(properties.dataNav)}`, base),
    kind: 'part',
  }))
}

/** Whether a form of the page sends data, so that its address cannot be read. */
const isPost = (element: Element): boolean => String(element.properties.method).toLowerCase() === 'post'

/** Reads everything below the address of a site. */
export async function crawl(address: string, together = 6): Promise<Crawl> {
  const { origin, pathname } = new URL(address)
  const reads = new Map<string, Read>()
  const references: Reference[] = []
  const waiting = [pathname]
  const known = new Set(waiting)
  const add = (to: URL): void => {
    const path = to.pathname + to.search
    const isOwn = to.origin === origin && `${to.pathname}/`.startsWith(`${pathname}/`)
    // A PDF is made when it is requested, for a minute of processor time each.
    if (!isOwn || known.has(path) || /\/~(?:pdf\/|bundle)/.test(path)) return
    known.add(path)
    waiting.push(path)
  }
  const readOne = async (path: string): Promise<void> => {
    const response = await fetch(origin + path, { redirect: 'manual' })
    const type = response.headers.get('content-type') ?? ''
    const location = response.headers.get('location')
    const text = await response.text()
    const isHtml = type.startsWith('text/html') && response.status === 200
    const tree = isHtml ? parseHtml(text) : undefined
    reads.set(path, { path, status: response.status, type, location, text, ...(tree ? { tree } : {}) })
    if (location !== null) add(new URL(location, origin + path))
    if (!tree) return
    const posts = new Set(
      selectAll('form', tree)
        .filter(isPost)
        .map(({ properties }) => properties.action),
    )
    const found = referencesIn(tree, path, origin + path).filter(({ to }) => !posts.has(to.pathname))
    references.push(...found)
    for (const { to } of found) add(to)
  }
  const worker = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) await readOne(path)
  }
  while (waiting.length > 0) await Promise.all(Array.from({ length: together }, worker))
  return { reads, references }
}
