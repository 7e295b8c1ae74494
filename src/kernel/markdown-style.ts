/** The style of generated markdown: the options of mdast-util-to-markdown that all printers share. */

export const MARKDOWN_STYLE = {
  bullet: '*',
  bulletOther: '-',
  emphasis: '_',
  rule: '*',
  fences: true,
  listItemIndent: 'one',
} as const

/** Text that would become a tag or math, which CommonMark does not know. It is escaped. */
export const UNSAFE_TEXT: { character: string; after?: string; before?: string; inConstruct: 'phrasing' }[] = [
  { character: '{', after: '(?=[%{])', inConstruct: 'phrasing' },
  { character: '$', after: '(?=\\$)', inConstruct: 'phrasing' },
  { character: '$', before: '(?<=\\$)', inConstruct: 'phrasing' },
]
