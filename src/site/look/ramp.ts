/** Derives every color token of a site from the colors that its team chose, so that text and controls stay legible. */

type Oklch = { L: number; C: number; H: number }
type Rgb = readonly [number, number, number]

const linear = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
const gamma = (v: number): number => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055)

function parse(hex: string): Rgb {
  const digits = hex.slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3')
  const byte = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16) / 255
  return [byte(0), byte(2), byte(4)]
}

function toOklch(hex: string): Oklch {
  const [red, green, blue] = parse(hex)
  const [r, g, b] = [linear(red), linear(green), linear(blue)]
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const A = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const B = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return {
    L: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    C: Math.hypot(A, B),
    H: (Math.atan2(B, A) * 180) / Math.PI,
  }
}

function toLinear({ L, C, H }: Oklch): Rgb {
  const a = C * Math.cos((H * Math.PI) / 180)
  const b = C * Math.sin((H * Math.PI) / 180)
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

/** Returns the color with this lightness and hue, and the largest chroma up to C that sRGB can show. */
function toHex(L: number, C: number, H: number): string {
  const fits = (c: number): boolean => toLinear({ L, C: c, H }).every((v) => v > -0.0005 && v < 1.0005)
  let [low, high] = fits(C) ? [C, C] : [0, C]
  for (let i = 0; i < 12 && low !== high; i++) {
    const middle = (low + high) / 2
    if (fits(middle)) low = middle
    else high = middle
  }
  const byte = (v: number): number => Math.round(Math.min(1, Math.max(0, gamma(Math.max(0, v)))) * 255)
  return `#${toLinear({ L, C: low, H })
    .map((v) => byte(v).toString(16).padStart(2, '0'))
    .join('')}`
}

function luminance(hex: string): number {
  const [r, g, b] = parse(hex)
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/** Returns the WCAG contrast of two colors, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

/** Moves the lightness away from the backgrounds in steps of 0.01 until the contrast with each reaches the minimum. */
function search({ L, C, H }: Oklch, grounds: readonly string[], bar: number, dark: boolean): string {
  for (let step = L; step >= 0 && step <= 1; step += dark ? 0.01 : -0.01) {
    const hex = toHex(step, C, H)
    if (grounds.every((ground) => contrast(hex, ground) >= bar)) return hex
  }
  return dark ? '#ffffff' : '#000000'
}

/** Returns a color of the same hue that is legible on a background of any color. */
export function legible(color: string, ground: string, bar: number): string {
  const isDark = contrast('#ffffff', ground) >= contrast('#000000', ground)
  return search(toOklch(color), [ground], bar, isDark)
}

/** The hues of syntax colors, and of text that authors color. */
const CODE = { keyword: 300, string: 150, number: 55, name: 245, red: 25, yellow: 95 }

export interface RampOptions {
  /** Whether the page is dark. */
  dark: boolean
  /** Replaces the hue of the neutral colors. */
  tint?: string
  /** The chosen colors of hints, by style. */
  status: Readonly<Record<'info' | 'success' | 'warning' | 'danger', string>>
  /** The syntax colors of a code theme. */
  code?: Readonly<Record<string, string>>
  /** Whether the background of the page takes the hue of the primary color. */
  match: boolean
}

/** Returns the tokens of one scheme: hexadecimal colors by name. */
export function ramp(primary: string, { dark, tint, status, code = {}, match }: RampOptions): Record<string, string> {
  const picked = toOklch(primary)
  const base = tint === undefined ? picked : toOklch(tint)
  const hue = base.H
  const k = Math.min(1, (tint === undefined ? 1 : 1.6) * (base.C / 0.08))
  const neutral = (L: number, C: number): string => toHex(L, C * k, hue)
  const paper = dark ? neutral(match ? 0.195 : 0.18, 0.008) : match ? neutral(0.985, 0.009) : neutral(0.997, 0.002)
  const paper2 = dark ? neutral(0.212, 0.009) : neutral(0.974, 0.005)
  const paper3 = dark ? neutral(0.252, 0.011) : neutral(0.947, 0.008)
  const grounds = [paper, paper2, paper3]
  const ink = (L: number, C: number, bar: number): string => search({ L, C: C * k, H: hue }, grounds, bar, dark)
  const tokens: Record<string, string> = {
    paper,
    'paper-2': paper2,
    'paper-3': paper3,
    line: dark ? neutral(0.31, 0.012) : neutral(0.895, 0.01),
    'line-strong': ink(dark ? 0.45 : 0.7, 0.015, 3.05),
    'ink-3': ink(0.6, 0.014, 4.7),
    'ink-2': ink(dark ? 0.72 : 0.48, 0.012, 7.05),
    ink: ink(dark ? 0.91 : 0.25, 0.01, 11),
  }
  for (const [name, color] of Object.entries({ accent: primary, ...status }))
    Object.assign(tokens, familyOf(name, color, { grounds, dark, hue, k }))
  // The fill is the chosen color. If black and white text are equally legible, white is used, so that the same color
  // looks the same in both schemes.
  const isUsable = contrast('#ffffff', primary) >= 4.5 || contrast('#111111', primary) >= 4.5
  const fill = isUsable ? toHex(picked.L, picked.C, picked.H) : search(picked, ['#ffffff'], 4.55, false)
  tokens['accent-fill'] = fill
  tokens['on-accent'] = contrast('#ffffff', fill) >= 4.5 ? '#ffffff' : '#111111'
  const on = [...grounds, tokens['accent-wash'] ?? paper]
  for (const [name, H] of Object.entries(CODE))
    tokens[`code-${name}`] = search({ L: dark ? 0.76 : 0.5, C: 0.1, H }, on, 4.6, dark)
  for (const [name, color] of Object.entries(code)) tokens[`syntax-${name}`] = search(toOklch(color), on, 4.6, dark)
  return tokens
}

/** Returns the four tokens of one color: for backgrounds, borders, marks and text. */
function familyOf(
  name: string,
  color: string,
  { grounds, dark, hue, k }: { grounds: readonly string[]; dark: boolean; hue: number; k: number },
): Record<string, string> {
  const picked = toOklch(color)
  // A gray takes the hue of the neutral colors.
  const c = picked.C < 0.02 ? { ...picked, H: hue, C: 0.03 * k } : picked
  const rich = Math.min(c.C, 0.19)
  const wash = toHex(dark ? 0.262 : 0.957, Math.min(rich * (dark ? 0.3 : 0.2), dark ? 0.034 : 0.021), c.H)
  const on = [...grounds, wash]
  const line = { ...c, L: dark ? Math.max(c.L, 0.6) : Math.min(c.L, 0.72), C: rich }
  const text = { ...c, L: dark ? Math.max(c.L, 0.7) : Math.min(c.L, 0.6), C: Math.min(rich, dark ? 0.13 : 0.19) }
  return {
    [`${name}-wash`]: wash,
    [`${name}-edge`]: toHex(dark ? 0.37 : 0.87, Math.min(rich * 0.4, dark ? 0.05 : 0.048), c.H),
    [`${name}-line`]: search(line, on, 3.05, dark),
    [`${name}-text`]: search(text, on, 4.6, dark),
  }
}
