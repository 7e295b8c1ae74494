/**
 * Turns the HTML of a page into HTML that works from a folder: links point to files next to it, and nothing is
 * loaded from another host. It reads the output of our own renderers, which write every attribute in double quotes.
 */

/** The path of the site in links while a bundle is written. It is a path that no site has. */
export const BASE = '/~bundle'

const TAG = /<(\/?)([a-z][a-z\d-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*(\/?)>/gi
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:="([^"]*)")?/g
/** Attributes for the script, whose addresses exist only on the server, and the addresses of forms. */
const DROPPED = new Set(['data-frame', 'data-nav', 'data-nav-source', 'data-copy-page', 'action', 'srcset'])
/** Elements that load the address in an attribute when they are shown. */
const LOADING = new Set(['img', 'source', 'video', 'audio', 'track', 'script', 'link', 'iframe', 'embed', 'object'])
const MEDIA = new Set(['img', 'video', 'audio'])
const ADDRESSES = new Set(['href', 'src', 'poster', 'data'])
/** Links in the head that load nothing. */
const NAMING = /^(?:canonical|alternate)$/

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Returns the text of an attribute or of a piece of text. */
export const decoded = (text: string): string =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|([a-z]+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const encoded = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Returns the path below the site that an address names, with its query and anchor; null if it is another address. */
export function pathBelow(address: string): string | null {
  if (!address.startsWith(BASE)) return null
  const path = address.slice(BASE.length)
  return /^(?:$|[/?#])/.test(path) ? path : null
}

/** Lists the paths below the site that the HTML refers to. */
export function pathsIn(html: string): Set<string> {
  const found = new Set<string>()
  for (const [, , , attributes = ''] of html.matchAll(TAG))
    for (const [, name = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
      const path = ADDRESSES.has(name.toLowerCase()) ? pathBelow(decoded(value)) : null
      if (path !== null) found.add(path)
    }
  return found
}

/**
 * Returns the HTML with the addresses of a bundle.
 * @param addressOf returns the address of a path below the site, as seen from the page
 */
export function offlineHtml(html: string, addressOf: (path: string) => string): string {
  let links = 0
  return html.replace(TAG, (tag, end: string, written: string, attributes: string, empty: string) => {
    const name = written.toLowerCase()
    if (name === 'a') links += end === '' ? 1 : -1
    if (end !== '' || attributes === '') return tag
    const kept = rewritten(name, attributes, addressOf)
    const isLost = kept.lost !== undefined && LOADING.has(name)
    if (isLost && !MEDIA.has(name)) return ''
    const text = isLost ? replacement(kept, links > 0) : ''
    return isLost && name === 'img' ? text : `${text}<${written}${kept.text}${isLost ? ' hidden' : ''}${empty}>`
  })
}

interface Rewritten {
  text: string
  /** An address at another host that the element would load. */
  lost?: string
  alt: string
}

function rewritten(name: string, attributes: string, addressOf: (path: string) => string): Rewritten {
  const all = [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', value]) => ({ key: key.toLowerCase(), value }))
  const rel = all.find(({ key }) => key === 'rel')?.value ?? ''
  const loads = LOADING.has(name) && !(name === 'link' && NAMING.test(rel))
  const made: Rewritten = { text: '', alt: '' }
  for (const { key, value } of all) {
    if (DROPPED.has(key)) continue
    const address = ADDRESSES.has(key) && value !== undefined ? decoded(value) : null
    const path = address === null ? null : pathBelow(address)
    const target = path === null ? address : addressOf(path)
    if (key === 'alt') made.alt = decoded(value ?? '')
    if (loads && target !== null && isElsewhere(target, path !== null)) made.lost ??= target
    else if (path !== null) made.text += ` ${key}="${encoded(target ?? '')}"`
    else made.text += value === undefined ? ` ${key}` : ` ${key}="${value}"`
  }
  return made
}

/** Whether an address that an element loads is outside of the bundle. */
const isElsewhere = (address: string, isOurs: boolean): boolean =>
  isOurs ? /^https?:/i.test(address) : !/^(?:data:|#)/i.test(address)

/** Returns the replacement for a picture, video or sound from another host: a link, or its text within a link. */
function replacement({ lost = '', alt }: Rewritten, isLinked: boolean): string {
  const name = URL.canParse(lost) ? new URL(lost).hostname : ''
  if (name === '' || !/^https?:/i.test(lost)) return encoded(alt)
  if (isLinked) return encoded(alt || name)
  return `<a href="${encoded(lost)}">${encoded(alt || name)}</a>`
}
