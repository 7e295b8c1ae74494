/** The fonts that teams can choose, by the names of the model. Their files are in installed packages. */

/** A font and its metrics. Metrics are fractions of the font size; `width` is relative to the system's font. */
export interface KnownFont {
  /** The name in style sheets. */
  family: string
  package: string
  /** The system's font that replaces it until it is loaded. */
  like: 'sans' | 'serif' | 'mono'
  /** Width of text relative to the system's font: regular and bold. */
  width: readonly [regular: number, bold?: number]
  ascent: number
  descent: number
  /** The weight of the bold file. Absent = one file contains all weights. `null` = there is only a regular file. */
  bold?: number | null
  hasItalic?: boolean
}

const VARIABLE = '@fontsource-variable/'
const STATIC = '@fontsource/'

export const SANS_FONTS: Readonly<Record<string, KnownFont>> = {
  // ABC Favorit is not free. IBM Plex Sans, a grotesque of similar width, replaces it.
  ABCFavorit: {
    family: 'IBM Plex Sans',
    package: `${VARIABLE}ibm-plex-sans`,
    like: 'sans',
    width: [1.011, 0.973],
    ascent: 1.025,
    descent: 0.275,
    hasItalic: true,
  },
  Inter: {
    family: 'Inter',
    package: `${VARIABLE}inter`,
    like: 'sans',
    width: [1.068, 1.013],
    ascent: 0.969,
    descent: 0.241,
    hasItalic: true,
  },
  Roboto: {
    family: 'Roboto',
    package: `${VARIABLE}roboto`,
    like: 'sans',
    width: [0.997, 0.943],
    ascent: 0.928,
    descent: 0.244,
    hasItalic: true,
  },
  RobotoSlab: {
    family: 'Roboto Slab',
    package: `${VARIABLE}roboto-slab`,
    like: 'serif',
    width: [1.164, 1.112],
    ascent: 1.048,
    descent: 0.271,
  },
  OpenSans: {
    family: 'Open Sans',
    package: `${VARIABLE}open-sans`,
    like: 'sans',
    width: [1.042, 1.007],
    ascent: 1.069,
    descent: 0.293,
    hasItalic: true,
  },
  SourceSansPro: {
    family: 'Source Sans 3',
    package: `${VARIABLE}source-sans-3`,
    like: 'sans',
    width: [0.931, 0.889],
    ascent: 1.024,
    descent: 0.4,
    hasItalic: true,
  },
  Lato: {
    family: 'Lato',
    package: `${STATIC}lato`,
    like: 'sans',
    width: [0.968, 0.922],
    ascent: 0.987,
    descent: 0.213,
    bold: 700,
    hasItalic: true,
  },
  Ubuntu: {
    family: 'Ubuntu',
    package: `${STATIC}ubuntu`,
    like: 'sans',
    width: [1.013, 0.992],
    ascent: 0.97,
    descent: 0.2,
    bold: 700,
    hasItalic: true,
  },
  Raleway: {
    family: 'Raleway',
    package: `${VARIABLE}raleway`,
    like: 'sans',
    width: [1.039, 0.99],
    ascent: 0.94,
    descent: 0.234,
    hasItalic: true,
  },
  Merriweather: {
    family: 'Merriweather',
    package: `${VARIABLE}merriweather`,
    like: 'serif',
    width: [1.175, 1.133],
    ascent: 0.984,
    descent: 0.273,
    hasItalic: true,
  },
  Overpass: {
    family: 'Overpass',
    package: `${VARIABLE}overpass`,
    like: 'sans',
    width: [1.004, 0.96],
    ascent: 0.882,
    descent: 0.382,
    hasItalic: true,
  },
  NotoSans: {
    family: 'Noto Sans',
    package: `${VARIABLE}noto-sans`,
    like: 'sans',
    width: [1.054, 1.019],
    ascent: 1.069,
    descent: 0.293,
    hasItalic: true,
  },
  IBMPlexSerif: {
    family: 'IBM Plex Serif',
    package: `${STATIC}ibm-plex-serif`,
    like: 'serif',
    width: [1.156, 1.133],
    ascent: 1.025,
    descent: 0.275,
    bold: 600,
    hasItalic: true,
  },
  Poppins: {
    family: 'Poppins',
    package: `${STATIC}poppins`,
    like: 'sans',
    width: [1.122, 1.058],
    ascent: 1.05,
    descent: 0.35,
    bold: 600,
    hasItalic: true,
  },
  FiraSans: {
    family: 'Fira Sans',
    package: `${STATIC}fira-sans`,
    like: 'sans',
    width: [1.015, 0.947],
    ascent: 0.935,
    descent: 0.265,
    bold: 600,
    hasItalic: true,
  },
}

const mono = (family: string, name: string, width: number, ascent: number, descent: number): KnownFont => ({
  family,
  package: name,
  like: 'mono',
  width: [width],
  ascent,
  descent,
  ...(name.startsWith(STATIC) ? { bold: null } : {}),
})

export const MONOSPACE_FONTS: Readonly<Record<string, KnownFont>> = {
  FiraCode: mono('Fira Code', `${VARIABLE}fira-code`, 1, 0.99, 0.32),
  IBMPlexMono: mono('IBM Plex Mono', `${STATIC}ibm-plex-mono`, 1, 1.025, 0.275),
  JetBrainsMono: mono('JetBrains Mono', `${VARIABLE}jetbrains-mono`, 1, 1.02, 0.3),
  SourceCodePro: mono('Source Code Pro', `${VARIABLE}source-code-pro`, 1, 0.984, 0.273),
  RobotoMono: mono('Roboto Mono', `${VARIABLE}roboto-mono`, 1, 1.048, 0.271),
  SpaceMono: mono('Space Mono', `${STATIC}space-mono`, 1.017, 1.12, 0.361),
  DMMono: mono('DM Mono', `${STATIC}dm-mono`, 1, 0.992, 0.31),
  Inconsolata: mono('Inconsolata', `${VARIABLE}inconsolata`, 0.833, 0.859, 0.19),
  UbuntuMono: mono('Ubuntu Mono', `${STATIC}ubuntu-mono`, 0.833, 0.83, 0.17),
}

/** Fonts for other scripts, whose characters the chosen fonts may lack: package and the subset with its script. */
export const SCRIPT_FONTS = [
  {
    family: 'Noto Sans Arabic',
    package: `${STATIC}noto-sans-arabic`,
    subset: 'arabic',
    languages: /^(?:ar|fa|ps|ur|ug|ckb|sd)\b/i,
  },
  { family: 'Noto Sans Hebrew', package: `${STATIC}noto-sans-hebrew`, subset: 'hebrew', languages: /^(?:he|iw|yi)\b/i },
  {
    family: 'Noto Sans Devanagari',
    package: `${STATIC}noto-sans-devanagari`,
    subset: 'devanagari',
    languages: /^(?:hi|mr|ne|sa)\b/i,
  },
  { family: 'Noto Sans Thai', package: `${STATIC}noto-sans-thai`, subset: 'thai', languages: /^th\b/i },
] as const
/** The font of formulas (400 KB), for systems without one. */
export const MATH_FONT = {
  family: 'STIX Two Web',
  file: `${STATIC}stix-two-math/files/stix-two-math-latin-400-normal.woff2`,
}
