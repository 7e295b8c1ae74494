/** The addresses under which readers reach a site, and the ways to write a path. */
import { percent } from './canaries.js'
import type { Site, World } from './world.js'

/** One of the addresses of a site. */
export interface Place {
  name: string
  host: string
  /** The path of the site there, without a slash at the end. */
  prefix: string
  /** The path that links of the site start with: behind a proxy, the one that readers see. */
  base: string
  /** The start of a request line with a whole address. The `Host` header then names another host. */
  target?: string
}

/** @param port the port of the sites */
export function placesOf(world: World, site: Site, port: number): Place[] {
  const host = `127.0.0.1:${port}`
  const { organization, hostname, customHostname, wildcard } = world
  const proxied = site.proxy === null ? null : site.proxy.slice(site.proxy.indexOf('/'))
  const named = (name: string, of: string, prefix: string): Place => ({
    name,
    host: of,
    prefix,
    base: proxied ?? prefix,
  })
  /** A host name in the notations that a client may choose. */
  const notations = (name: string, of: string | null, prefix: string): Place[] =>
    of === null
      ? []
      : [
          named(name, of, prefix),
          named(`${name} with port`, `${of.toUpperCase()}:${port}`, prefix),
          named(`${name} with a dot`, `${of}.`, prefix),
          { ...named(`${name} in the target`, of, prefix), target: `http://${of}` },
        ]
  return [
    ...(wildcard === null
      ? [
          named('by ID', host, `/${organization}/${site.basename}`),
          named('by name', host, `/${hostname}/${site.basename}`),
        ]
      : [named('wildcard', `${hostname}.${wildcard}`, `/${site.basename}`)]),
    ...notations('custom', customHostname, `/${site.basename}`),
    ...notations('own', site.hostname, ''),
  ]
}

export interface Spelling {
  name: string
  /** Whether the address must lead a visitor who may read the page to it. */
  arrives: boolean
  of(segments: readonly string[]): string
}

const plain = (segments: readonly string[]): string => segments.map(encodeURIComponent).join('/')
const withLast = (change: (last: string) => string) => (segments: readonly string[]) =>
  [...segments.slice(0, -1).map(encodeURIComponent), change(segments.at(-1) ?? '')].join('/')
const spelled = (name: string, arrives: boolean, of: Spelling['of']): Spelling => ({ name, arrives, of })

export const PLAIN: Spelling = spelled('plain', true, plain)
export const SPELLINGS: readonly Spelling[] = [
  PLAIN,
  spelled('slash', true, (segments) => `${plain(segments)}/`),
  spelled(
    'upper case',
    true,
    withLast((last) => encodeURIComponent(last.toUpperCase())),
  ),
  spelled('percent', true, withLast(percent)),
  spelled(
    'lower percent',
    true,
    withLast((last) => percent(last).toLowerCase()),
  ),
  spelled('NFD', true, (segments) => plain(segments.map((one) => one.normalize('NFD')))),
  spelled('html', true, (segments) => `${plain(segments)}.html`),
  spelled('index', false, (segments) => `${plain(segments)}/index`),
  spelled(
    'double percent',
    false,
    withLast((last) => percent(last).replaceAll('%', '%25')),
  ),
  spelled('double slash', false, (segments) => `/${segments.map(encodeURIComponent).join('//')}//`),
  spelled('dot', false, (segments) => `./${plain(segments)}/.`),
  spelled('dot dot', false, (segments) => `x/../${plain(segments)}`),
  spelled('coded dot dot', false, (segments) => `x/%2e%2e/${plain(segments)}`),
  spelled('coded slash', false, (segments) => segments.map(encodeURIComponent).join('%2F')),
  spelled('backslash', false, (segments) => segments.map(encodeURIComponent).join('%5C')),
  spelled('zero', false, (segments) => `${plain(segments)}%00`),
  spelled('space', false, (segments) => `${plain(segments)}%20`),
  spelled('broken percent', false, (segments) => `${plain(segments)}%zz`),
  spelled('query', true, (segments) => `${plain(segments)}?x=1`),
  spelled('semicolon', false, (segments) => `${plain(segments)};x=1`),
]
