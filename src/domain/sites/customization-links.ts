// Collects the links in the customization of a site, so that they can be checked.
import type { SiteCustomizationInput } from '../../model/index.js'
import type { GivenDestination } from './destinations.js'

/** A URL from a client, and its JSON pointer in the body. */
interface GivenHref {
  href: string
  path: string
}

/** Collects the plain URLs in a customization: pictures, fonts, the privacy policy. */
export function hrefsOf({
  favicon,
  styling,
  header,
  footer,
  privacyPolicy,
  socialPreview,
}: SiteCustomizationInput): GivenHref[] {
  const found: GivenHref[] = []
  const add = (href: string | null | undefined, path: string): void => {
    if (typeof href === 'string') found.push({ href, path })
  }
  const themed = (pair: { light: string; dark: string } | null | undefined, path: string): void => {
    add(pair?.light, `${path}/light`)
    add(pair?.dark, `${path}/dark`)
  }
  if (favicon && 'icon' in favicon) themed(favicon.icon, '/favicon/icon')
  themed(header?.logo, '/header/logo')
  themed(footer?.logo, '/footer/logo')
  add(privacyPolicy?.url, '/privacyPolicy/url')
  add(socialPreview?.url, '/socialPreview/url')
  for (const name of ['font', 'monospaceFont'] as const) {
    const font = styling?.[name]
    if (typeof font !== 'object') continue
    for (const [i, face] of font.fontFaces.entries())
      for (const [j, source] of face.sources.entries())
        add(source.url, `/styling/${name}/fontFaces/${i}/sources/${j}/url`)
  }
  return found
}

/** Collects the destinations of the links in a customization. */
export function destinationsOf({ header, footer, announcement }: SiteCustomizationInput): GivenDestination[] {
  const found: GivenDestination[] = []
  const add = (link: { to: GivenDestination['to'] | null } | null | undefined, path: string): void => {
    if (link?.to) found.push({ to: link.to, path: `${path}/to` })
  }
  add(header?.primaryLink, '/header/primaryLink')
  add(announcement?.link, '/announcement/link')
  for (const [i, link] of (header?.links ?? []).entries()) {
    add(link, `/header/links/${i}`)
    for (const [j, below] of (link.links ?? []).entries()) add(below, `/header/links/${i}/links/${j}`)
  }
  for (const [i, group] of (footer?.groups ?? []).entries())
    for (const [j, link] of group.links.entries()) add(link, `/footer/groups/${i}/links/${j}`)
  return found
}
