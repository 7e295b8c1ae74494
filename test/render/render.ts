/** Renders markdown for tests and reads the result as a browser does. */
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5'
import { renderMarkdown, type RenderOrder } from '../../src/render/tasks.js'

type Element = DefaultTreeAdapterMap['element']

export const ORDER: RenderOrder = {
  targets: {
    links: {
      'page.md': { href: '/page', title: 'The page' },
      'page.md#part': { href: '/page#part', title: 'The page' },
    },
    images: { 'pic.png': '/files/pic.png', 'dark.png': '/files/dark.png' },
  },
  idPrefix: '',
  conditional: 'show',
}

export const html = (markdown: string, order: Partial<RenderOrder> = {}): string =>
  renderMarkdown(markdown, { ...ORDER, ...order }).html

/** All elements of a fragment, in order. */
export function elementsOf(fragment: string): Element[] {
  const found: Element[] = []
  const pending: DefaultTreeAdapterMap['parentNode'][] = [parseFragment(fragment)]
  for (let node = pending.pop(); node; node = pending.pop()) {
    for (const child of node.childNodes) if ('tagName' in child) found.push(child)
    pending.push(...node.childNodes.filter((child): child is Element => 'tagName' in child))
    if ('content' in node) throw new Error('a template came out')
  }
  return found
}

/** The text of a fragment as a reader sees it. */
export function textIn(fragment: string): string {
  const texts: string[] = []
  const walk = (node: DefaultTreeAdapterMap['node']): void => {
    if ('value' in node) texts.push(node.value)
    if ('childNodes' in node) for (const child of node.childNodes) walk(child)
  }
  walk(parseFragment(fragment))
  return texts.join('')
}

/** Elements that no page needs: those that run, load, or affect their surroundings. */
const FORBIDDEN = new Set(
  'script style link meta base iframe frame frameset object embed applet form button textarea select option svg foreignobject audio video track template slot portal noscript html head body title annotation-xml maction semantics'.split(
    ' ',
  ),
)
const LINK = /^(?:(?:https?|mailto|tel|sms|ftps?|ircs?|xmpp|slack|vscode):|[^:]*$|[/#?])/i
const PICTURE = /^(?:https?:|data:image\/|[^:]*$)/i

/** Finds the unsafe parts of a fragment without the renderer's own list. */
export function faults(fragment: string): string[] {
  return elementsOf(fragment).flatMap((element) => {
    const name = element.tagName.toLowerCase()
    const wrong = FORBIDDEN.has(name) ? [`<${name}>`] : []
    for (const { name: attribute, value } of element.attrs) {
      const key = attribute.toLowerCase()
      const plain = value.replace(/[\u0000-\u0020\u007f-\u009f]/g, '')
      if (
        key.startsWith('on') ||
        [
          'srcdoc',
          'formaction',
          'action',
          'background',
          'ping',
          'data',
          'poster',
          'xmlns',
          'is',
          'slot',
          'nonce',
        ].includes(key)
      )
        wrong.push(`${name}[${key}]`)
      if ((key === 'href' || key.endsWith(':href')) && !LINK.test(plain)) wrong.push(`${name}[${key}=${value}]`)
      if ((key === 'src' || key === 'srcset') && !PICTURE.test(plain)) wrong.push(`${name}[${key}=${value}]`)
      if (key === 'style' && /url|expression|@|\\|position|var\(|image|content/i.test(value))
        wrong.push(`${name}[style=${value}]`)
      if (key.startsWith('data-') && !['data-source', 'data-expression'].includes(key)) wrong.push(`${name}[${key}]`)
    }
    return wrong
  })
}
