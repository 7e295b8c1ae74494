/** How this product writes markdown that no author has written: the options of mdast-util-to-markdown that all printers share. */

export const MARKDOWN_STYLE = {
  bullet: '*',
  bulletOther: '-',
  emphasis: '_',
  rule: '*',
  fences: true,
  listItemIndent: 'one',
} as const

/** Text that would be a tag or math, which CommonMark does not know: it is escaped. */
export const UNSAFE_TEXT: { character: string; after?: string; before?: string; inConstruct: 'phrasing' }[] = [
  { character: '{', after: '(?=[%{])', inConstruct: 'phrasing' },
  { character: '$', after: '(?=\\$)', inConstruct: 'phrasing' },
  { character: '$', before: '(?<=\\$)', inConstruct: 'phrasing' },
]
