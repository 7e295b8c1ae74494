/** What pages link to and show, as a table that can be sent to another thread. */
import type { LinkTarget, Targets } from './types.js'

/** Targets by how they are written in the page. */
export interface TargetTable {
  links: Readonly<Record<string, LinkTarget>>
  images: Readonly<Record<string, string>>
}

const FOLLOWED = /^(?:https?|mailto|tel|sms|ftps?|ircs?|xmpp|slack|vscode):/i
const EMBEDDED = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i

/**
 * Returns what the table says. What is not in it: addresses of other sites lead there, `#anchor` to a place in the same page
 * (whose IDs begin with `idPrefix`), pictures in the address itself are shown; nothing else is.
 */
export function tableTargets({ links, images }: TargetTable, idPrefix: string): Targets {
  return {
    link(url) {
      const written = url.trim()
      if (Object.hasOwn(links, written)) return links[written] as LinkTarget
      if (written.startsWith('#')) return { href: `#${idPrefix}${decodedAnchor(written.slice(1))}` }
      if (written.startsWith('//')) return { href: `https:${written}` }
      return FOLLOWED.test(written) ? { href: written } : null
    },
    image(url) {
      const written = url.trim()
      if (Object.hasOwn(images, written)) return images[written] as string
      return EMBEDDED.test(written) ? written : null
    },
  }
}

/** The ID that an anchor names: without percent-encoding. */
function decodedAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}
