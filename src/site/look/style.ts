/** Makes the style sheet of a site: the theme, its colors and its fonts. */
import type { SiteCustomization } from '../../model/index.js'
import { ramp, type RampOptions } from './ramp.js'

/** Returns the color tokens of a site as CSS, for light and dark pages. */
export function colorTokens({ styling }: SiteCustomization): string {
  const optionsOf = (scheme: 'light' | 'dark'): RampOptions => ({
    dark: scheme === 'dark',
    ...(styling.tint ? { tint: styling.tint.color[scheme] } : {}),
    status: {
      info: styling.infoColor[scheme],
      success: styling.successColor[scheme],
      warning: styling.warningColor[scheme],
      danger: styling.dangerColor[scheme],
    },
    match: styling.background === 'match',
  })
  const light = ramp(styling.primaryColor.light, optionsOf('light'))
  const dark = ramp(styling.primaryColor.dark, optionsOf('dark'))
  const lines = Object.entries(light).map(([name, color]) => `--${name}:light-dark(${color},${dark[name]})`)
  return `@layer tokens{:root{${lines.join(';')}}}`
}
