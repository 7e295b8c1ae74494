/** Renders links, pictures and other inline nodes on pages of sites. */
import { plainText } from '../../content/blocks/node.js'
import { missingImage } from '../author-html.js'
import { h } from '../element.js'
import { printInlines, standsForTitle } from '../inlines.js'
import {
  type Data,
  type Html,
  type HtmlElement,
  type ImageSize,
  type InlineRenderer,
  type RenderContext,
  textOf,
  urlOf,
} from '../types.js'
import type { InlineNode } from '../../content/types.js'
import { siteFormula } from './formula.js'
import { chosenIcon } from './icon.js'
import { noteMark } from './text.js'

const OUTSIDE = /^https?:/i
/** The colors of the theme by the names that authors use. */
const COLORS: Record<string, string> = {
  red: 'red',
  danger: 'red',
  orange: 'orange',
  warning: 'orange',
  yellow: 'yellow',
  green: 'green',
  success: 'green',
  blue: 'blue',
  info: 'blue',
  primary: 'accent',
  tint: 'accent',
  purple: 'purple',
  violet: 'purple',
  pink: 'purple',
  gray: 'gray',
  grey: 'gray',
}

/** Returns the attributes of a link to another site. */
export const linkAttributes = (href: string, { options }: RenderContext): Record<string, string> =>
  options.site?.newWindow && OUTSIDE.test(href) ? { href, target: '_blank', rel: 'noopener' } : { href }

/** Renders the text of a broken link. */
export const brokenLink = (content: Html[], { options }: RenderContext): Html[] =>
  options.site?.markBroken ? [h('span', { className: ['broken'] }, content)] : content

/** Renders colored text with a class, because pages have no style attributes. */
export function color(data: Data, content: Html): Html {
  const named = (name: string): string | undefined =>
    COLORS[textOf(data, name).toLowerCase().replace(/^\$/, '').replace(/-\d+$/, '')] ?? hue(textOf(data, name))
  const text = named('color')
  const ground = named('background')
  const className = [...(text ? [`c-${text}`] : []), ...(ground ? [`bg-${ground}`] : [])]
  return className.length > 0 ? h('span', { className }, content) : content
}

/** Returns the color of the theme that is closest to a hexadecimal color. */
function hue(written: string): string | undefined {
  const [, hex] = /^#([0-9a-f]{3}|[0-9a-f]{6})(?:[0-9a-f]{1,2})?$/i.exec(written) ?? []
  if (hex === undefined) return undefined
  const full = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16))
  const most = Math.max(r, g, b)
  const range = most - Math.min(r, g, b)
  if (range < 30) return 'gray'
  const sector = most === r ? (g - b) / range : most === g ? 2 + (b - r) / range : 4 + (r - g) / range
  const degrees = (sector * 60 + 360) % 360
  const found = [
    [20, 'red'],
    [45, 'orange'],
    [70, 'yellow'],
    [165, 'green'],
    [255, 'blue'],
    [335, 'purple'],
    [361, 'red'],
  ] as const
  return found.find(([to]) => degrees < to)?.[1]
}

function linkOf(node: InlineNode, context: RenderContext, className: string[], icon: Html | null = null): Html[] {
  const target = context.options.targets.link(urlOf(node.data))
  const isPlaceholder = standsForTitle(node)
  if (!target && isPlaceholder && !context.options.site?.markBroken) return []
  const inner: Html[] =
    isPlaceholder && (target?.title !== undefined || plainText(node.nodes).trim() === '')
      ? [{ type: 'text', value: target?.title ?? urlOf(node.data) }]
      : context.inlines(node.nodes)
  if (!target)
    return className.length > 0
      ? [h('span', { className, ariaDisabled: 'true' }, icon, inner)]
      : brokenLink(inner, context)
  const attributes = { ...linkAttributes(target.href, context), className, title: textOf(node.data, 'title') }
  return [h('a', attributes, icon, inner)]
}

function button(node: InlineNode, context: RenderContext): Html[] {
  const isSecondary = textOf(node.data, 'style') === 'secondary'
  const icon = chosenIcon(textOf(node.data, 'icon'), context)
  return linkOf(node, context, isSecondary ? ['btn'] : ['btn', 'primary'], icon)
}

const SIZE = /^\d{1,4}(?:\.\d{1,3})?(?:%|px)?$/

/**
 * Renders a picture, or its two variants for light and dark pages.
 * @param className further classes of each variant
 */
export function picture(data: Data, context: RenderContext, className: string[] = []): HtmlElement[] {
  const { targets } = context.options
  const url = textOf(data, 'src') || urlOf(data)
  const light = targets.image(url)
  const alt = textOf(data, 'alt')
  if (light === null) return [missingImage(alt, url, (one) => targets.link(one))]
  const given = (name: string): string => (SIZE.test(textOf(data, name)) ? textOf(data, name) : '')
  const width = given('width')
  const size = sizeOf(width, given('height'), targets.sizeOf(url))
  const make = (src: string, variant: string[]): HtmlElement => {
    const classes = [...className, ...variant, ...(width ? ['sized'] : [])]
    const img = h('img', { src, ...size, title: textOf(data, 'title'), className: classes, loading: 'lazy' })
    img.properties['alt'] = alt
    return img
  }
  const dark = targets.image(urlOf(data, 'refDark') || textOf(data, 'srcDark'))
  return dark === null ? [make(light, [])] : [make(light, ['on-light']), make(dark, ['on-dark'])]
}

/** Returns the attributes with which the browser reserves space for a picture before it is loaded. */
function sizeOf(width: string, height: string, known: ImageSize | null): { width?: string; height?: string } {
  if (!known || (width && height)) return { width, height }
  const given = /^(\d+)(?:px)?$/.exec(width)?.[1]
  if (given !== undefined)
    return { width: given, height: String(Math.round((Number(given) * known.height) / known.width)) }
  return width || height ? { width, height } : { width: String(known.width), height: String(known.height) }
}

export const siteInlines: ReadonlyMap<string, InlineRenderer> = new Map<string, InlineRenderer>([
  ...printInlines,
  ...Object.entries({
    link: (node, context) => linkOf(node, context, []),
    button,
    'inline-image': (node, context) =>
      picture(node.data, context, [textOf(node.data, 'size') === 'line' ? 'in-line' : 'in-text']),
    icon(node, context) {
      const name = textOf(node.data, 'icon')
      const made = chosenIcon(name, context)
      if (!made) return []
      const shown = h('span', { className: ['icon'], role: 'img', ariaLabel: name.replace(/-/g, ' ') }, made)
      return [color(node.data, shown)]
    },
    math: (node) => [siteFormula(textOf(node.data, 'formula'), false)],
    'footnote-reference': (node, context) => [noteMark(textOf(node.data, 'label'), context)],
    inserted: (node, context) => [h('ins', {}, context.inlines(node.nodes))],
    deleted: (node, context) => [h('del', {}, context.inlines(node.nodes))],
    annotation: (node, context) => [...context.inlines(node.nodes), noteMark(textOf(node.data, 'label'), context)],
  } satisfies Record<string, InlineRenderer>),
])
