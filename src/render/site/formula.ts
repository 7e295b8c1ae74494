/** Renders formulas without style attributes: the library's styles become classes of the theme. */
import { formula } from '../math.js'
import type { Html } from '../types.js'

const COLOR = /(?:^|;)color:(#[0-9a-f]{3,8})(?:;|$)/i
const PADDING = /padding-(left|right):\s*0em/g

/** Renders a TeX formula like `formula`. */
export const siteFormula = (tex: string, displayMode: boolean): Html => restyled(formula(tex, displayMode))

function restyled(node: Html): Html {
  if (node.type !== 'element') return node
  const { style, ...kept } = node.properties
  const children = node.children.map(restyled)
  if (typeof style !== 'string') return { ...node, children }
  const [, color] = COLOR.exec(style) ?? []
  const className = [kept['className'] ?? [], classesOf(node.tagName, style)].flat()
  const properties = {
    ...kept,
    ...(color === undefined ? {} : { mathColor: color }),
    ...(className.length > 0 ? { className } : {}),
  }
  return { ...node, properties, children }
}

function classesOf(tagName: string, style: string): string[] {
  if (style.includes('border:1px')) return ['tml-box']
  if (tagName !== 'mtd') return []
  return [...style.matchAll(PADDING)].map(([, side]) => (side === 'left' ? 'tml-start' : 'tml-end'))
}
