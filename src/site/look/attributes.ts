/** The attributes of the document that select variants of the theme. Settings that equal the default have none. */
import type { SiteCustomization } from '../../model/index.js'

/** Returns the attributes of `<html>` for a customization. */
export function lookAttributes({ styling, header, themes }: SiteCustomization): Record<string, string> {
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
    // Light is the usual value: until readers choose, their system decides.
    'data-scheme': [themes.default, themes.toggeable ? 'light' : ''],
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, [value = '', usual]]) => (value === usual ? [] : [[name, value]])),
  )
}
