/** The target of a link, image or card. */
export interface ContentReference {
  kind: 'url' | 'email' | 'anchor' | 'page' | 'file' | 'broken'
  /** As written, without percent-decoding. */
  url: string
  anchor?: string
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/
const PAGE = /\.(?:md|markdown|mdx)$/i
const EMAIL = /^mailto:/i

/** Whether the last part of a path has no dot, or has a markdown extension. */
const isPage = (path: string): boolean => path.indexOf('.', path.lastIndexOf('/') + 1) < 0 || PAGE.test(path)

/** Classifies a target by its form alone, without checking whether the page or file exists. */
export function referenceOf(url: string): ContentReference {
  if (url === 'broken-reference' || url.startsWith('/broken/pages/')) return { kind: 'broken', url }
  if (EMAIL.test(url)) return { kind: 'email', url }
  if (SCHEME.test(url) || url.startsWith('//')) return { kind: 'url', url }
  if (url.startsWith('#')) return { kind: 'anchor', url, anchor: url.slice(1) }
  const hash = url.indexOf('#')
  const path = (hash < 0 ? url : url.slice(0, hash)).split('?')[0] ?? ''
  const anchor = hash < 0 ? {} : { anchor: url.slice(hash + 1) }
  return { kind: isPage(path) ? 'page' : 'file', url, ...anchor }
}
