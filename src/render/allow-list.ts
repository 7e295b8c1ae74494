/**
 * The elements and attributes that rendered pages may contain. Everything else, from authors or from a bug, is dropped.
 */
import type { Element, Root } from 'hast'
import { type Schema, sanitize } from 'hast-util-sanitize'
import type { Html } from './types.js'

const TEXT = [
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'br',
  'cite',
  'code',
  'del',
  'dfn',
  'em',
  'i',
  'ins',
  'kbd',
  'mark',
  'q',
  's',
  'samp',
  'small',
  'span',
  'strike',
]
const MORE_TEXT = ['strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr', 'rp', 'rt', 'ruby', 'font', 'big', 'center']
const BLOCKS = [
  'article',
  'aside',
  'blockquote',
  'dd',
  'details',
  'div',
  'dl',
  'dt',
  'figcaption',
  'figure',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
]
const MORE_BLOCKS = [
  'header',
  'hr',
  'li',
  'nav',
  'ol',
  'p',
  'pre',
  'section',
  'summary',
  'ul',
  'input',
  'img',
  'picture',
  'source',
]
const TABLES = ['caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr']
const MATH = [
  'math',
  'menclose',
  'merror',
  'mfrac',
  'mi',
  'mmultiscripts',
  'mn',
  'mo',
  'mover',
  'mpadded',
  'mphantom',
  'mprescripts',
  'mroot',
  'mrow',
  'ms',
]
const MORE_MATH = [
  'mspace',
  'msqrt',
  'mstyle',
  'msub',
  'msubsup',
  'msup',
  'mtable',
  'mtd',
  'mtext',
  'mtr',
  'munder',
  'munderover',
]
const math = [...MATH, ...MORE_MATH]

/** Only colors and lengths: nothing that could load a file or cover other content. */
const DECLARATION =
  '(?:color|background-color|flex-basis|width|height|min-width|min-height|padding(?:-[a-z]+)?|margin(?:-[a-z]+)?|border(?:-[a-z]+)?|vertical-align|text-align|font-size|font-weight|font-style|display|line-height|math-[a-z]+)'
const STYLE = new RegExp(`^(?:\\s*${DECLARATION}\\s*:\\s*[-a-z0-9#.%\\s]{1,60}(?:;|$))+\\s*$`, 'i')
const SIZE = /^\d{1,4}(?:\.\d{1,3})?%?(?:px)?$/
const MATH_ATTRIBUTES =
  'accent accentUnder bevelled columnAlign columnLines columnSpacing columnSpan depth display displayStyle fence form frame height'.split(
    ' ',
  )
const MORE_MATH_ATTRIBUTES =
  'lSpace largeOp lineThickness lspace mathColor mathBackground mathSize mathVariant maxSize minSize movableLimits notation rSpace rowAlign rowLines rowSpacing rowSpan rspace scriptLevel separator stretchy symmetric width voffset linethickness maxsize minsize movablelimits columnalign columnlines columnspacing columnspan displaystyle accentunder mathvariant mathcolor mathsize rowspacing rowalign rowlines scriptlevel largeop'.split(
    ' ',
  )

const schema: Schema = {
  tagNames: [...TEXT, ...MORE_TEXT, ...BLOCKS, ...MORE_BLOCKS, ...TABLES, ...math],
  attributes: {
    '*': [
      'id',
      'className',
      'title',
      'lang',
      'dir',
      'ariaLabel',
      'ariaHidden',
      ['role', 'img', 'note'],
      ['style', STYLE],
      ['align', 'left', 'right', 'center', 'justify'],
    ],
    a: ['href', 'dataMention'],
    abbr: ['title'],
    col: [['width', SIZE], 'span'],
    details: ['open'],
    font: [['color', /^#?[a-z0-9]{1,20}$/i]],
    img: ['src', 'alt', ['width', SIZE], ['height', SIZE], ['loading', 'lazy']],
    input: [['type', 'checkbox'], ['disabled', true], 'checked'],
    li: ['value'],
    ol: ['start', ['type', '1', 'a', 'A', 'i', 'I']],
    source: ['srcSet', ['media', '(prefers-color-scheme: dark)', '(prefers-color-scheme: light)']],
    td: ['colSpan', 'rowSpan', ['width', SIZE]],
    th: ['colSpan', 'rowSpan', 'scope', ['width', SIZE]],
    time: ['dateTime'],
    ...Object.fromEntries(math.map((name) => [name, [...MATH_ATTRIBUTES, ...MORE_MATH_ATTRIBUTES]])),
  },
  protocols: {
    href: ['http', 'https', 'mailto', 'tel', 'sms', 'ftp', 'ftps', 'irc', 'ircs', 'xmpp', 'slack', 'vscode'],
  },
  ancestors: Object.fromEntries(
    ['caption', 'col', 'colgroup', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'].map((name) => [name, ['table']]),
  ),
  clobber: [],
  strip: [
    'script',
    'style',
    'title',
    'textarea',
    'iframe',
    'object',
    'noscript',
    'template',
    'svg',
    'noembed',
    'xmp',
    'plaintext',
    'select',
  ],
}
const general = schema.attributes?.['*'] ?? []
/** The list for HTML that authors wrote: without data of the renderer, and with the placeholders of rendered nodes. */
const authors: Schema = {
  ...schema,
  tagNames: [...(schema.tagNames ?? []), 'bindery-slot'],
  attributes: { ...schema.attributes, 'bindery-slot': ['dataSlot'] },
}
/** Without styles, and without classes, which would give the author's content the style and position of the interface. */
const siteAuthors: Schema = {
  ...authors,
  attributes: {
    ...authors.attributes,
    '*': general.filter((name) => name !== 'className' && !(Array.isArray(name) && name[0] === 'style')),
    font: [],
  },
}
const print: Schema = {
  ...schema,
  attributes: { ...schema.attributes, '*': [...general, 'dataSource', 'dataSyntax', 'dataExpression'] },
}
const site: Schema = {
  ...print,
  tagNames: [...(schema.tagNames ?? []), 'svg', 'use', 'button', 'label'],
  attributes: {
    ...print.attributes,
    '*': [
      ...general.filter((name) => !(Array.isArray(name) && /^(?:style|role)$/.test(name[0]))),
      ...['dataSource', 'dataExpression', 'dataB', 'ariaLabelledBy', 'hidden'],
      ['dataChange', 'added', 'removed', 'changed'],
      ['role', 'img', 'note', 'group'],
    ],
    a: ['href', 'download', 'dataFrame', ['target', '_blank'], 'rel'],
    details: ['open', ['name', 'rec']],
    button: [['type', 'button'], 'dataCopy', 'dataTry', 'disabled'],
    input: [['type', 'checkbox'], ['disabled', true], 'checked'],
    pre: ['tabIndex'],
    div: ['tabIndex', 'dataTitle', 'dataWidth'],
    svg: [],
    use: [['href', /^#i-[a-z0-9~-]{1,70}$/]],
  },
  strip: (schema.strip ?? []).filter((name) => name !== 'svg'),
  // The check box that unfolds code works. Check boxes of authors are already disabled.
  required: {},
}
const LISTS = { print, site, authors, siteAuthors }

/** Image addresses: http(s), relative to this document, or data URLs. */
const PICTURE =
  /^(?:https?:\/\/|data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]|(?![a-z][a-z0-9+.-]*:)[^\s\\])/i

/**
 * Drops everything that is not on the list.
 * @param list the medium, or `authors` for HTML as written, which keeps the placeholders of `author-html.ts`
 */
export function allowed(tree: Root, list: keyof typeof LISTS = 'print'): Root & { children: Html[] } {
  const clean = sanitize(tree, LISTS[list]) as Root & { children: Html[] }
  checkPictures(clean)
  return clean
}

function checkPictures(tree: Root): void {
  const pending: (Root | Element)[] = [tree]
  for (let node = pending.pop(); node; node = pending.pop()) {
    for (const child of node.children) {
      if (child.type !== 'element') continue
      for (const name of ['src', 'srcSet']) {
        const value = child.properties[name]
        if (value !== undefined && !(typeof value === 'string' && PICTURE.test(value))) delete child.properties[name]
      }
      pending.push(child)
    }
  }
}
