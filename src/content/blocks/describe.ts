// Describes the document format for its reference page.
import { tagTable } from './tags.js'

/** The description of one node type, for the reference page. */
interface BlockDescription {
  type: string
  object: 'block' | 'inline'
  /** The markdown syntax. */
  syntax: string
  about: string
  /** Members of `data` that the syntax provides. */
  data: string[]
}

type Row = [type: string, syntax: string, about: string, ...data: string[]]

const BLOCKS: Row[] = [
  ['paragraph', 'text', 'text'],
  ...[1, 2, 3, 4, 5, 6].map(
    (level): Row => [
      `heading-${level}`,
      `${'#'.repeat(level)} text`,
      'a heading; `id` if it has an anchor, `attributes`: a list in braces at its end',
      'id',
      'attributes',
    ],
  ),
  ['list-ordered', '1. item', 'a numbered list', 'start', 'tight'],
  ['list-unordered', '* item', 'a list', 'tight'],
  ['list-tasks', '* [x] item', 'a list with check boxes', 'tight'],
  ['list-item', '* item', 'one item of a list', 'checked'],
  ['blockquote', '> text', 'a quotation'],
  ['divider', '***', 'a horizontal rule'],
  [
    'code',
    '```',
    'code; its tag or its info string sets the options',
    'syntax',
    'meta',
    'title',
    'overflow',
    'lineNumbers',
    'expandable',
    'format',
  ],
  ['math', '$$', 'a formula on separate lines', 'formula'],
  [
    'table',
    '| a | b | or <table>',
    'rows with their columns (`definition`) and values (`records`)',
    'view',
    'format',
    'definition',
    'records',
    'attributes',
  ],
  ['table-row', '| a | b |', 'one row', 'header'],
  ['table-cell', '| a |', 'one cell', 'html', 'attributes'],
  ['images', '<figure> or ![alt](src)', 'one image or several', 'align', 'fullWidth', 'format'],
  [
    'image',
    '<img>',
    'one image',
    'ref',
    'src',
    'srcDark',
    'refDark',
    'alt',
    'caption',
    'size',
    'width',
    'height',
    'link',
    'title',
  ],
  ['caption', '<figcaption>', 'the text below an image'],
  ['expandable', '<details>', 'blocks that a reader can expand', 'title', 'open'],
  ['expandable-title', '<summary>', 'the line that is always shown'],
  ['footnote', '[^1]: text', 'the text of a footnote or an annotation', 'label'],
  ['definition', '[label]: url', 'the target of reference links', 'label', 'url', 'title'],
  ['html', '<…>', 'HTML that no other block represents, as written', 'html', 'comment'],
  [
    'unknown-block',
    '{% name … %}',
    'an unknown tag, or a tag without its partner',
    'name',
    'closing',
    'attributes',
    'positional',
  ],
  ['raw', '', 'source text'],
]

const INLINES: Row[] = [
  ['link', '[text](url)', 'a link; `mention` if its title is "mention"', 'ref', 'title', 'mention', 'reference'],
  [
    'inline-image',
    '![alt](src) amid text',
    'an image within a line',
    'ref',
    'alt',
    'title',
    'size',
    'srcDark',
    'refDark',
  ],
  ['icon', '<i class="fa-name">', 'an icon', 'icon'],
  ['button', '<a class="button primary">', 'a link that looks like a button', 'ref', 'style', 'icon'],
  ['expression', '<code class="expression">', 'an expression that is evaluated', 'expression'],
  ['math', '$$x$$', 'a formula within a line', 'formula'],
  ['footnote-reference', '[^1]', 'the mark of a footnote', 'label'],
  ['annotation', '[text](#user-content-fn-1)[^1]', 'text with a note', 'label', 'ref'],
  ['anchor', '<a id="x"></a>', 'an anchor to link to', 'id'],
  ['hard-break', 'backslash or two spaces at the end of a line', 'a new line'],
  ['line', '<p> in a table cell or caption', 'text on a separate line', 'html'],
  ['html-inline', '<…>', 'an HTML tag that no other node represents, as written', 'html'],
]

/** Returns every type of block and inline node that `parseDocument` creates, in the order of the reference page. */
export function describeBlocks(): BlockDescription[] {
  const rows = (list: Row[], object: 'block' | 'inline'): BlockDescription[] =>
    list.map(([type, syntax, about, ...data]) => ({ type, object, syntax, about, data }))
  const tags = tagTable.map((row): BlockDescription => {
    const syntax = ['{%', row.name, ...row.attributes.map((name) => `${name}="…"`), '%}'].join(' ')
    return {
      type: row.type,
      object: 'block',
      syntax: row.end === 'none' ? syntax : `${syntax} … {% end${row.name} %}`,
      about: row.about,
      data: [...row.attributes],
    }
  })
  return [...rows(BLOCKS, 'block'), ...tags, ...rows(INLINES, 'inline')]
}
