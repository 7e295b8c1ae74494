/** The part of a site's customization that is about its looks: colours, fonts and theme. */
import { Type } from '@sinclair/typebox'
import { closed, nullable, oneOf } from './common.js'
import { Href } from './site-destination.js'

const Color = Type.String({ maxLength: 7, pattern: '^#(?:[0-9a-fA-F]{3}){1,2}$', description: 'A colour in hexadecimal digits: `#rgb` or `#rrggbb`.' })
export const ThemedColor = Type.Object(
  { light: Color, dark: Color },
  { ...closed, $id: 'SiteThemedColor', description: 'A colour on light and on dark pages.' },
)

const siteFonts = [
  'ABCFavorit',
  'Inter',
  'Roboto',
  'RobotoSlab',
  'OpenSans',
  'SourceSansPro',
  'Lato',
  'Ubuntu',
  'Raleway',
  'Merriweather',
  'Overpass',
  'NotoSans',
  'IBMPlexSerif',
  'Poppins',
  'FiraSans',
] as const
const siteMonospaceFonts = [
  'FiraCode',
  'IBMPlexMono',
  'JetBrainsMono',
  'SourceCodePro',
  'RobotoMono',
  'SpaceMono',
  'DMMono',
  'Inconsolata',
  'UbuntuMono',
] as const

/** A font from files of one's own. Its name appears in a style sheet, so it is letters, digits, blanks, `-` and `_` only. */
const CustomFont = Type.Object(
  {
    fontFamily: Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\p{L}\\p{N}](?:[\\p{L}\\p{N} _-]*[\\p{L}\\p{N}])?$' }),
    fontFaces: Type.Array(
      Type.Object(
        {
          weight: Type.Integer({ minimum: 100, maximum: 900 }),
          style: Type.Optional(oneOf(['normal', 'italic'])),
          sources: Type.Array(Type.Object({ url: Href, format: Type.Optional(oneOf(['woff2', 'woff'])) }, closed), { minItems: 1, maxItems: 5 }),
        },
        closed,
      ),
      { minItems: 1, maxItems: 20 },
    ),
  },
  { ...closed, $id: 'SiteCustomFont' },
)

export const SiteStyling = Type.Object(
  {
    theme: oneOf(['clean', 'muted', 'bold', 'gradient']),
    primaryColor: ThemedColor,
    tint: nullable(Type.Object({ color: ThemedColor }, closed)),
    infoColor: ThemedColor,
    successColor: ThemedColor,
    warningColor: ThemedColor,
    dangerColor: ThemedColor,
    corners: oneOf(['straight', 'rounded', 'circular']),
    depth: oneOf(['subtle', 'flat']),
    links: oneOf(['default', 'accent']),
    font: Type.Union([oneOf(siteFonts), CustomFont]),
    monospaceFont: Type.Union([oneOf(siteMonospaceFonts), CustomFont]),
    background: oneOf(['plain', 'match']),
    icons: oneOf(['regular', 'solid', 'duotone', 'light', 'thin']),
    sidebar: Type.Object({ background: oneOf(['default', 'filled']), list: oneOf(['default', 'pill', 'line']) }, closed),
    search: oneOf(['subtle', 'prominent']),
  },
  closed,
)
