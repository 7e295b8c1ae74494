/** Which addresses belong to the imported part of a website, and how one page's several addresses become one. */

/** Links to such files are not pages. */
const NOT_PAGES =
  /\.(png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|rar|tar|dmg|exe|msi|deb|rpm|jar|mp[34]|m4[av]|webm|ogg|wav|mov|avi|css|js|mjs|json|xml|rss|atom|txt|csv|ya?ml|woff2?|ttf|otf|eot|docx?|xlsx?|pptx?|od[tsp]|epub|ics)$/i
const MAX_SEGMENTS = 15
/** A segment that comes so often in one path is a trap: a relative link that leads ever deeper. */
const MAX_REPEATED = 3

/** The part of a website that is imported: an origin and a path with all below it. */
export interface Scope {
  origin: string
  /** Without a slash at the end; '' = the whole site. */
  prefix: string
  /** Whether queries tell pages apart: only if the first address has one. */
  queries: boolean
}

/** The scope that the first address names: itself and what is below it; for a file (`index.html`), its folder. */
export function scopeOf(url: string): Scope {
  const { origin, pathname, search } = new URL(url)
  const path = /\.[A-Za-z0-9]{1,8}$/.test(pathname) ? pathname.replace(/[^/]*$/, '') : pathname
  return { origin, prefix: path.replace(/\/+$/, ''), queries: search !== '' }
}

/** The address of a page in the form in which it is looked up and fetched; null if it is outside of the scope, or no page. */
export function pageUrl(scope: Scope, target: string): string | null {
  if (!URL.canParse(target)) return null
  const url = new URL(target)
  if (url.origin !== scope.origin || url.username !== '' || url.password !== '') return null
  url.hash = ''
  if (!scope.queries) url.search = ''
  url.pathname = url.pathname.replace(/\/{2,}/g, '/')
  if (!isWithin(scope, url.pathname) || NOT_PAGES.test(url.pathname)) return null
  const segments = url.pathname.split('/').filter((part) => part !== '')
  const most = Math.max(0, ...segments.map((one) => segments.filter((other) => other === one).length))
  return segments.length > MAX_SEGMENTS || most > MAX_REPEATED || url.href.length > 1_000 ? null : url.href
}

const isWithin = ({ prefix }: Scope, path: string): boolean => path === prefix || path.startsWith(`${prefix}/`)
