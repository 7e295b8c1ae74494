/** The colors of a site as CSS. */
import type { SiteCustomization } from '../../model/index.js'
import { codeColors } from './code-themes.js'
import { legible, ramp, type RampOptions } from './ramp.js'

type Scheme = 'light' | 'dark'

/** Returns the color tokens of a site as CSS, for light and dark pages. */
export function colorTokens(look: SiteCustomization): string {
  const light = tokensOf(look, 'light')
  const dark = tokensOf(look, 'dark')
  const names = [...new Set([...Object.keys(light), ...Object.keys(dark)])]
  const lines = names.map((name) => {
    const [one, other] = [colorIn(light, name), colorIn(dark, name)]
    return one === other ? `--${name}:${one}` : `--${name}:light-dark(${one},${other})`
  })
  return `@layer tokens{:root{${lines.join(';')}}}`
}

/** Returns a token of a scheme. A scheme with the default code theme has only the default syntax colors. */
const colorIn = (tokens: Record<string, string>, name: string): string =>
  tokens[name] ?? tokens[name.replace(/^syntax-/, 'code-')] ?? ''

function tokensOf(look: SiteCustomization, scheme: Scheme): Record<string, string> {
  const { styling } = look
  const code = codeColors(styling.codeTheme[scheme])
  const options: RampOptions = {
    dark: scheme === 'dark',
    ...(styling.tint ? { tint: styling.tint.color[scheme] } : {}),
    status: {
      info: styling.infoColor[scheme],
      success: styling.successColor[scheme],
      warning: styling.warningColor[scheme],
      danger: styling.dangerColor[scheme],
    },
    ...(code ? { code } : {}),
    match: styling.background === 'match',
  }
  const colors = ramp(styling.primaryColor[scheme], options)
  return { ...colors, ...headerTokens(look, scheme, colors) }
}

/** Returns the tokens for a header with a custom color. Its texts and controls are legible on any color. */
function headerTokens(
  { header }: SiteCustomization,
  scheme: Scheme,
  colors: Record<string, string>,
): Record<string, string> {
  if (header.preset !== 'custom') return {}
  const ground = header.backgroundColor?.[scheme] ?? colors['paper'] ?? '#ffffff'
  const link = header.linkColor?.[scheme] ?? colors['ink'] ?? '#000000'
  return {
    'top-bg': ground,
    'top-ink': legible(colors['ink'] ?? link, ground, 4.55),
    'top-ink-2': legible(link, ground, 4.55),
    'top-line': header.backgroundColor ? ground : (colors['line'] ?? ground),
    'top-field': ground,
    'top-field-line': legible(link, ground, 3.05),
    'top-mark': legible(link, ground, 3.05),
  }
}
