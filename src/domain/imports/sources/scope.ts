/** Decides which addresses belong to the imported part of a website, and normalizes a page's addresses. */

/** Extensions of files that are not pages. */
const NOT_PAGES =
  /\.(png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|rar|tar|dmg|exe|msi|deb|rpm|jar|mp[34]|m4[av]|webm|ogg|wav|mov|avi|css|js|mjs|json|xml|rss|atom|txt|csv|ya?ml|woff2?|ttf|otf|eot|docx?|xlsx?|pptx?|od[tsp]|epub|ics)$/i
const MAX_SEGMENTS = 15
/** Maximum number of times that a segment may occur in a path. More indicate a relative link that leads ever deeper. */
const MAX_REPEATED = 3

/** The imported part of a website: an origin, and a path with everything below it. */
export interface Scope {
  origin: string
  /** Path without a trailing slash; '' = the whole site. */
  prefix: string
  /** Whether queries distinguish pages. True only if the first address has one. */
  queries: boolean
}

/**
 * Returns the scope of the first address: itself and everything below it. For a file (`index.html`), it is the folder.
 */
export function scopeOf(url: string): Scope {
  const { origin, pathname, search } = new URL(url)
  const path = /\.[A-Za-z0-9]{1,8}$/.test(pathname) ? pathname.replace(/[^/]*$/, '') : pathname
  return { origin, prefix: path.replace(/\/+$/, ''), queries: search !== '' }
}

/** Returns the normalized address of a page. Null if it is outside of the scope or not a page. */
export function pageUrl(scope: Scope, target: string): string | null {
  if (!URL.canParse(target)) return null
  const url = new URL(target)
  if (url.origin !== scope.origin || url.username !== '' || url.password !== '') return null
  url.hash = ''
  if (!scope.queries) url.search = ''
  url.pathname = url.pathname.replace(/\/{2,}/g, '/')
  if (!isWithin(scope, url.pathname) || NOT_PAGES.test(url.pathname)) return null
  const segments = url.pathname.split('/').filter((part) => part !== '')
  const maxRepeats = Math.max(0, ...segments.map((one) => segments.filter((other) => other === one).length))
  return segments.length > MAX_SEGMENTS || maxRepeats > MAX_REPEATED || url.href.length > 1_000 ? null : url.href
}

const isWithin = ({ prefix }: Scope, path: string): boolean => path === prefix || path.startsWith(`${prefix}/`)
