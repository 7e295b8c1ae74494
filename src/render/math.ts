/** Renders formulas as MathML, which needs no script and no style sheet. */
import type { Root } from 'hast'
import { raw } from 'hast-util-raw'
import temml from 'temml'
import { required } from '../kernel/defined.js'
import { allowed } from './allow-list.js'
import { h } from './element.js'
import type { Html } from './types.js'

/** Maximum length of a formula, in characters. Longer formulas are shown as written. */
const MAX_FORMULA = 5_000
/** Maximum number of macro expansions in a formula. Without a limit, they can grow endlessly. */
const MAX_EXPANSIONS = 500

/** Renders a TeX formula. An invalid formula is shown as written, with the reason as its title. */
export function formula(tex: string, displayMode: boolean): Html {
  if (tex.length > MAX_FORMULA) return asWritten(tex, `It has more than ${MAX_FORMULA} characters.`)
  try {
    const html = temml.renderToString(tex, {
      displayMode,
      throwOnError: true,
      trust: false,
      maxExpand: MAX_EXPANSIONS,
      maxSize: [20, 20],
    })
    const tree = raw({ type: 'root', children: [{ type: 'raw', value: html }] }) as Root
    const made = required(allowed(tree).children[0])
    return h(displayMode ? 'div' : 'span', { className: ['math'] }, made)
  } catch (error) {
    return asWritten(tex, error instanceof Error ? error.message : String(error))
  }
}

const asWritten = (tex: string, reason: string): Html =>
  h('code', { className: ['math-error'], title: reason.slice(0, 300) }, tex)
