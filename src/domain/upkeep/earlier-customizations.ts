/** Converts the site customizations of an earlier release to the values of this one. */
import type { MigrationView } from '../../store/index.js'

type Json = Record<string, unknown>

const LOCALES = new Set(['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru'])
const MAX_MENU_TITLE_LENGTH = 64
const MAX_MESSAGE_LENGTH = 128

/**
 * Migrates all stored customizations. `aiSearch` becomes `ai`, removed values (the theme `system`, the majority of
 * languages) are reset to their defaults, and texts that are now too long are cut.
 */
export function migrateCustomizations(view: MigrationView): void {
  for (const doc of view.documents('site-customizations')) {
    const { aiSearch, ...settings } = { ...(doc.settings as Json) }
    if ((aiSearch as Json | undefined)?.enabled === true) settings.ai = { mode: 'search' }
    const locale = (settings.internationalization as Json | undefined)?.locale
    if (typeof locale === 'string' && !LOCALES.has(locale)) {
      if (locale === 'pt') settings.internationalization = { locale: 'pt-br' }
      else delete settings.internationalization
    }
    if ((settings.themes as Json | undefined)?.default === 'system')
      settings.themes = without(settings.themes as Json, 'default')
    const announcement = settings.announcement as Json | undefined
    if (announcement) settings.announcement = { ...announcement, ...cut('message', announcement, MAX_MESSAGE_LENGTH) }
    const header = settings.header as (Json & { links?: Json[] }) | undefined
    if (header?.links) settings.header = { ...header, links: header.links.map(withShortMenu) }
    view.put('site-customizations', { ...doc, settings })
  }
}

const without = (members: Json, name: string): Json =>
  Object.fromEntries(Object.entries(members).filter(([key]) => key !== name))

/** Cuts the member, if it is a text, to at most `length` characters without splitting a surrogate pair. */
function cut(member: string, { [member]: text }: Json, length: number): Json {
  return typeof text === 'string' ? { [member]: text.slice(0, length).replace(/[\ud800-\udbff]$/, '') } : {}
}

const withShortMenu = (link: Json & { links?: Json[] }): Json =>
  link.links
    ? { ...link, links: link.links.map((below) => ({ ...below, ...cut('title', below, MAX_MENU_TITLE_LENGTH) })) }
    : link
