/** The icons of the interface. A page contains the symbol of each icon once, and its icons refer to it. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** The shapes by name, in a box of 20 units and drawn as lines in the color of the text. */
const SHAPES = {
  auto: '<circle cx="10" cy="10" r="6.75"/><path d="M10 3.25v13.5"/><path d="M10 3.25a6.75 6.75 0 0 1 0 13.5Z" fill="currentColor"/>',
  book: '<path d="M3.5 4.25c2.5-1 4.7-.8 6.5.6 1.8-1.4 4-1.6 6.5-.6v11c-2.5-1-4.7-.8-6.5.6-1.8-1.4-4-1.6-6.5-.6zM10 4.85v11"/>',
  branch:
    '<circle cx="6" cy="4.75" r="1.75"/><circle cx="6" cy="15.25" r="1.75"/><circle cx="14" cy="7.25" r="1.75"/><path d="M6 6.5v7M14 9c0 2.75-3.5 3-8 4.25"/>',
  check: '<path d="m4.5 10.5 3.5 3.5 7.5-8"/>',
  clock: '<circle cx="10" cy="10" r="7"/><path d="M10 6v4.25l2.75 1.5"/>',
  code: '<path d="M7 6 3 10l4 4m6-8 4 4-4 4"/>',
  copy: '<rect x="7" y="7" width="9.5" height="9.5" rx="1.5"/><path d="M13 4.5A1 1 0 0 0 12 3.5H5A1.5 1.5 0 0 0 3.5 5v7a1 1 0 0 0 1 1"/>',
  danger: '<path d="M6.9 2.75h6.2l4.15 4.15v6.2l-4.15 4.15H6.9L2.75 13.1V6.9ZM10 6.25v4.5m0 2.8v.2"/>',
  down: '<path d="m5 8 5 5 5-5"/>',
  edit: '<path d="m3.5 16.5.8-3.4 8.9-8.9a1.8 1.8 0 0 1 2.6 2.6l-8.9 8.9-3.4.8ZM11.5 6l2.5 2.5"/>',
  file: '<path d="M5.5 2.75h6l4 4v10.5h-10zM11.5 2.75v4h4"/>',
  get: '<path d="M10 3.5v9m-3.75-3.5L10 12.75 13.75 9M4 16.5h12"/>',
  globe:
    '<circle cx="10" cy="10" r="7"/><path d="M3 10h14M10 3c2.3 2 3.2 4.4 3.2 7s-.9 5-3.2 7c-2.3-2-3.2-4.4-3.2-7S7.7 5 10 3Z"/>',
  good: '<circle cx="10" cy="10" r="7"/><path d="m6.9 10.3 2.2 2.2 4.1-4.7"/>',
  hash: '<path d="M8 3.5 6.5 16.5M13.5 3.5 12 16.5M3.75 7.5h13M3.25 12.5h13"/>',
  info: '<circle cx="10" cy="10" r="7"/><path d="M10 9.25v4.25M10 6.4v.2"/>',
  menu: '<path d="M3 5.5h14M3 10h14M3 14.5h9"/>',
  moon: '<path d="M16.5 11.8A6.75 6.75 0 0 1 8.2 3.5a6.75 6.75 0 1 0 8.3 8.3Z"/>',
  more: '<path d="M4.5 10h.01M10 10h.01M15.5 10h.01" stroke-width="2.5"/>',
  next: '<path d="M4 10h12m-4.5-4.5L16 10l-4.5 4.5"/>',
  play: '<path d="M7 4.5v11l9-5.5z" fill="currentColor"/>',
  prev: '<path d="M16 10H4m4.5-4.5L4 10l4.5 4.5"/>',
  right: '<path d="m8 5 5 5-5 5"/>',
  search: '<circle cx="9" cy="9" r="5.5"/><path d="m13.2 13.2 4 4"/>',
  stack: '<path d="m10 3 7 3.5-7 3.5-7-3.5zM3 10l7 3.5 7-3.5M3 13.5 10 17l7-3.5"/>',
  sun: '<circle cx="10" cy="10" r="3.25"/><path d="M10 2.5v1.75m0 11.5v1.75M2.5 10h1.75m11.5 0h1.75M4.7 4.7l1.2 1.2m8.2 8.2 1.2 1.2m0-10.6-1.2 1.2m-8.2 8.2-1.2 1.2"/>',
  warn: '<path d="M10 3.25 17.5 16.5h-15ZM10 8v4m0 2.1v.2"/>',
  x: '<path d="m5 5 10 10M15 5 5 15"/>',
} as const satisfies Record<string, string>

/** An icon of the interface, or one of Font Awesome by its name. */
export type IconName = keyof typeof SHAPES | `fa~${string}`

/** An icon of the interface. It is hidden from screen readers, so the element around it needs a text or a label. */
export const Icon = ({ name, flip = false }: { name: IconName; flip?: boolean }) => (
  <svg class={flip ? 'i flip' : 'i'} viewBox="0 0 20 20" aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)

const require = createRequire(import.meta.url)
// bound: the platforms of social accounts
const brands = new Map<string, Promise<string>>()
const PLATFORM =
  /^fa~(?:x-twitter|instagram|facebook|linkedin|github|discord|slack|youtube|tiktok|reddit|bluesky|mastodon|threads|medium)$/

async function brandSymbol(name: string): Promise<string> {
  const file = require.resolve(`@fortawesome/fontawesome-free/svgs/brands/${name.slice('fa~'.length)}.svg`)
  const [, box = '0 0 20 20', path = ''] =
    /viewBox="([^"]+)".*?<path [^>]*d="([^"]+)"/s.exec(await readFile(file, 'utf8')) ?? []
  return `<symbol id="i-${name}" viewBox="${box}"><path fill="currentColor" stroke="none" d="${path}"/></symbol>`
}

async function symbolOf(name: string): Promise<string> {
  if (Object.hasOwn(SHAPES, name))
    return `<symbol id="i-${name}" viewBox="0 0 20 20">${SHAPES[name as keyof typeof SHAPES]}</symbol>`
  if (!PLATFORM.test(name)) return ''
  const symbol = brands.get(name) ?? brandSymbol(name)
  brands.set(name, symbol)
  return symbol
}

/** Returns the symbols to which a part of a page refers, as a hidden SVG element. */
export async function symbolsFor(html: string): Promise<string> {
  const names = new Set([...html.matchAll(/<use href="#i-([a-z0-9~-]+)"/g)].map(([, name = '']) => name))
  const symbols = await Promise.all([...names].map(symbolOf))
  return `<svg hidden>${symbols.join('')}</svg>`
}
