/** The styling part of a site's customization: colors, fonts and theme. */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { closed, nullable, oneOf } from './common.js'
import { Href } from './site-destination.js'

const Color = Type.String({
  maxLength: 7,
  pattern: '^#(?:[0-9a-fA-F]{3}){1,2}$',
  'x-pattern-message': 'must be a color such as #1a2b3c or #fff',
  description: 'A color in hexadecimal digits: `#rgb` or `#rrggbb`.',
})
export const ThemedColor = Type.Object(
  { light: Color, dark: Color },
  { ...closed, $id: 'SiteThemedColor', description: 'A color for light and dark pages.' },
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

const format = oneOf(['woff2', 'woff'])

/**
 * A font from custom files. Its name appears in a style sheet, so it may only contain letters, digits, spaces, `-` and
 * `_`.
 */
const customFont = <S extends TSchema, M extends TProperties>(source: S, more: M, $id: string) =>
  Type.Object(
    {
      ...more,
      fontFamily: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[\\p{L}\\p{N}](?:[\\p{L}\\p{N} _-]*[\\p{L}\\p{N}])?$',
        'x-pattern-message': 'must be letters, digits, spaces, - and _, and start and end with a letter or digit',
      }),
      fontFaces: Type.Array(
        Type.Object(
          {
            weight: Type.Integer({ minimum: 100, maximum: 900 }),
            style: Type.Optional(oneOf(['normal', 'italic'])),
            sources: Type.Array(source, { minItems: 1, maxItems: 5 }),
          },
          closed,
        ),
        { minItems: 1, maxItems: 20 },
      ),
    },
    { ...closed, $id },
  )

const fontId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[\\p{L}\\p{N}_-]+$',
  'x-pattern-message': 'must be letters, digits, - and _',
  description: 'A name of your choice.',
})
const CustomFont = customFont(
  Type.Object({ url: Href, format }, closed),
  { id: fontId, custom: Type.Literal(true) },
  'SiteCustomFont',
)
const CustomFontInput = customFont(
  Type.Object({ url: Href, format: Type.Optional(format) }, closed),
  { id: Type.Optional(fontId), custom: Type.Optional(Type.Literal(true)) },
  'SiteCustomFontInput',
)

const CodeTheme = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  'x-pattern-message': 'must be a name such as github-light',
  description:
    'Name of an editor theme, such as `github-light`. Themes that are not included are displayed as `default-light` or `default-dark`.',
})

const styling = {
  theme: oneOf(['clean', 'muted', 'bold', 'gradient']),
  primaryColor: ThemedColor,
  infoColor: ThemedColor,
  successColor: ThemedColor,
  warningColor: ThemedColor,
  dangerColor: ThemedColor,
  corners: oneOf(['straight', 'rounded', 'circular']),
  depth: oneOf(['subtle', 'flat']),
  links: oneOf(['default', 'accent']),
  background: oneOf(['plain', 'match']),
  icons: oneOf(['regular', 'solid', 'duotone', 'light', 'thin']),
  sidebar: Type.Object({ background: oneOf(['default', 'filled']), list: oneOf(['default', 'pill', 'line']) }, closed),
  search: oneOf(['prominent', 'subtle']),
  codeTheme: Type.Object({ light: CodeTheme, dark: CodeTheme }, closed),
}
const Tint = Type.Object({ color: ThemedColor }, closed)

export const SiteStyling = Type.Object(
  {
    ...styling,
    tint: Type.Optional(Tint),
    font: Type.Union([oneOf(siteFonts), CustomFont]),
    monospaceFont: Type.Union([oneOf(siteMonospaceFonts), CustomFont]),
  },
  closed,
)

/** The styling as clients send it: all members are optional, and a font needs no ID or formats. */
export const SiteStylingInput = Type.Partial(
  Type.Object({
    ...styling,
    tint: nullable(Tint),
    font: Type.Union([oneOf(siteFonts), CustomFontInput]),
    monospaceFont: Type.Union([oneOf(siteMonospaceFonts), CustomFontInput]),
  }),
  closed,
)
