/** The sites whose content pages can show after a click. Until then, nothing is loaded from them. */

/** A kind of embedded content: where its pages are, and the address of its frame. */
interface EmbedHost {
  hosts: RegExp
  /** The Font Awesome name of its icon. */
  icon: string
  /** The host of the frame, for the Content-Security-Policy. */
  frame: string
  /** Returns the path of the frame; null if the address is not that of a single item. */
  path(url: URL): string | null
}

const matched = (pattern: RegExp, url: URL, path: (id: string) => string): string | null => {
  const id = pattern.exec(url.pathname + url.search)?.[1]
  return id === undefined ? null : path(encodeURIComponent(id))
}

const HOSTS: readonly EmbedHost[] = [
  {
    hosts: /^(?:(?:www\.|m\.)?youtube\.com|youtu\.be)$/,
    icon: 'youtube',
    frame: 'www.youtube-nocookie.com',
    path: (url) =>
      matched(/^(?:\/(?:embed|shorts|live)\/|\/watch\?(?:.*&)?v=|\/)([\w-]{11})(?![\w-])/, url, (id) => `/embed/${id}`),
  },
  {
    hosts: /^(?:www\.|player\.)?vimeo\.com$/,
    icon: 'vimeo',
    frame: 'player.vimeo.com',
    path: (url) => matched(/^\/(?:video\/)?(\d{5,12})/, url, (id) => `/video/${id}?dnt=1`),
  },
  {
    hosts: /^(?:www\.)?loom\.com$/,
    icon: 'circle-play',
    frame: 'www.loom.com',
    path: (url) => matched(/^\/(?:share|embed)\/([0-9a-f]{32})/, url, (id) => `/embed/${id}`),
  },
  {
    hosts: /^(?:www\.)?figma\.com$/,
    icon: 'figma',
    frame: 'www.figma.com',
    path: (url) =>
      /^\/(?:file|design|proto|board)\//.test(url.pathname)
        ? `/embed?embed_host=share&url=${encodeURIComponent(url.href)}`
        : null,
  },
  {
    hosts: /^codepen\.io$/,
    icon: 'codepen',
    frame: 'codepen.io',
    path: (url) => {
      const [, user, id] = /^\/([\w-]+)\/(?:pen|embed)\/(\w+)/.exec(url.pathname) ?? []
      return user === undefined ? null : `/${user}/embed/${id}?default-tab=result`
    },
  },
  {
    hosts: /^codesandbox\.io$/,
    icon: 'cube',
    frame: 'codesandbox.io',
    path: (url) => matched(/^\/(?:s|embed)\/([\w-]+)/, url, (id) => `/embed/${id}`),
  },
]

/** The hosts whose frames pages may load, for the Content-Security-Policy. */
export const EMBED_HOSTS: readonly string[] = HOSTS.map(({ frame }) => `https://${frame}`)

/** Returns the address of the frame that shows an address, and an icon; null if its host is not on the list. */
export function frameOf(address: string): { src: string; icon: string } | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol)) return null
  const known = HOSTS.find(({ hosts }) => hosts.test(url.hostname))
  const path = known?.path(url) ?? null
  return known && path !== null ? { src: `https://${known.frame}${path}`, icon: known.icon } : null
}

/** Returns the familiar form of an address's host; null if it is not an http(s) address. */
export function hostIn(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/^www\./, '') : null
}
