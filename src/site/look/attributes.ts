/** The attributes of the document that select variants of the theme. Settings that equal the default have none. */
import type { SiteCustomization } from '../../model/index.js'

/** The customization of a site for one reader. */
export interface Look extends SiteCustomization {
  /** The theme that the site has chosen, if any. */
  chosenTheme?: SiteCustomization['themes']['default']
}

/** Returns the attributes of `<html>` for a customization. */
export function lookAttributes({ styling, header, themes, chosenTheme }: Look): Record<string, string> {
  const all = {
    'data-theme': [styling.theme, 'clean'],
    'data-corners': [styling.corners, 'rounded'],
    'data-depth': [styling.depth, ''],
    'data-links': [styling.links, 'default'],
    'data-icons': [styling.icons, 'regular'],
    'data-sidebar': [styling.sidebar.background, 'default'],
    'data-list': [styling.sidebar.list, 'default'],
    'data-search': [styling.search, 'prominent'],
    'data-header': [header.preset, 'default'],
    'data-toggle': [themes.toggeable ? '' : 'off', ''],
    // Without a site theme, the reader's system theme applies until they choose one.
    'data-scheme': [themes.toggeable ? (chosenTheme ?? '') : themes.default, ''],
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, [value = '', usual]]) => (value === usual ? [] : [[name, value]])),
  )
}
