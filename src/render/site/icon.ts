/** Refers to icons, which the document contains once as symbols. The page collects the names that it uses. */
import { h } from '../element.js'
import type { HtmlElement, RenderContext } from '../types.js'

/** Matches names of Font Awesome icons, without the prefix `fa-`. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME = 60

/** Renders an icon of the interface. */
export function symbol(name: string, context: RenderContext, ...more: string[]): HtmlElement {
  context.icons.add(name)
  return h('svg', { className: ['i', ...more], ariaHidden: 'true' }, h('use', { href: `#i-${name}` }))
}

/** Renders an icon that an author chose, as decoration; null if no icon can have this name. */
export function chosenIcon(written: string, context: RenderContext): HtmlElement | null {
  const name = written.trim().toLowerCase().replace(/^fa-/, '')
  return name.length <= MAX_NAME && NAME.test(name) ? symbol(`fa~${name}`, context) : null
}
