/** The links and images of pages, as a table that can be sent to another thread. */
import { own } from '../kernel/defined.js'
import type { ImageSize, LinkTarget, Targets } from './types.js'

/** Targets as written in the page. */
export interface TargetTable {
  links: Readonly<Record<string, LinkTarget>>
  images: Readonly<Record<string, string>>
  /** The known sizes of images, by their targets as written in the page. */
  sizes?: Readonly<Record<string, ImageSize>>
}

const FOLLOWED = /^(?:https?|mailto|tel|sms|ftps?|ircs?|xmpp|slack|vscode):/i
const EMBEDDED = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i

/**
 * Returns the targets in the table. For other targets: addresses of other sites are followed, `#anchor` points to an ID
 * in the same page (with `idPrefix`), and data URLs of images are shown; all others are dropped.
 */
export function tableTargets({ links, images, sizes = {} }: TargetTable, idPrefix: string): Targets {
  return {
    link(url) {
      const written = url.trim()
      const link = own(links, written)
      if (link !== undefined) return link
      if (written.startsWith('#')) return { href: `#${idPrefix}${decodedAnchor(written.slice(1))}` }
      if (written.startsWith('//')) return { href: `https:${written}` }
      return FOLLOWED.test(written) ? { href: written } : null
    },
    image(url) {
      const written = url.trim()
      return own(images, written) ?? (EMBEDDED.test(written) ? written : null)
    },
    sizeOf(url) {
      const written = url.trim()
      return own(sizes, written) ?? null
    },
  }
}

/** Returns the ID that an anchor refers to, without percent-encoding. */
function decodedAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}
